package import ArgumentParser

/// A command that knows by itself what may stand in one of its places.
package protocol PlaceCompleting: ParsableCommand {
  /// Nil where the name of the argument says it all.
  static func candidates(for argument: String, _ completion: Completion) async -> Completion.Result?
}
