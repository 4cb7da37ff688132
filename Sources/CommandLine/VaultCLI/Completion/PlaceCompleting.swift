package import ArgumentParser

/// A command with its own completion for one of its arguments.
package protocol PlaceCompleting: ParsableCommand {
  /// The words for an argument; nil if the usual words for this argument name are right.
  static func candidates(for argument: String, _ completion: Completion) async -> Completion.Result?
}
