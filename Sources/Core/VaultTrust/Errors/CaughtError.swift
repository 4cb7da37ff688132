/// Takes an error of a caller's closure, of any type, past code that throws ``VaultError``s alone.
package struct CaughtError<Failure: Error> {
  /// What the closure has thrown.
  package private(set) var error: Failure?

  package init() {}

  /// Does `body`; what it throws is kept, and an error thrown in its place that nobody sees.
  package mutating func passing<Result>(_ body: () throws(Failure) -> Result) throws(VaultError) -> Result {
    do throws(Failure) {
      return try body()
    } catch {
      self.error = error
      throw .cancelled()
    }
  }
}
