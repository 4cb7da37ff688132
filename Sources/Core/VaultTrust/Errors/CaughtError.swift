/// Passes an error of a caller's closure, of any type, through code that throws only ``VaultError``s.
package struct CaughtError<Failure: Error> {
  package private(set) var error: Failure?

  package init() {}

  /// Runs `body`. Its error is stored, and a placeholder that nobody sees is thrown instead.
  package mutating func passing<Result>(_ body: () throws(Failure) -> Result) throws(VaultError) -> Result {
    do throws(Failure) {
      return try body()
    } catch {
      self.error = error
      throw .cancelled()
    }
  }
}
