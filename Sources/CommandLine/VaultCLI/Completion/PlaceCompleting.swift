package import ArgumentParser

/// A command with its own completion for one of its arguments.
package protocol PlaceCompleting: ParsableCommand {
  /// The words for an argument. Nil if the usual words for an argument of this name will do.
  static func candidates(for argument: String, _ completion: Completion) async -> Completion.Result?
}
