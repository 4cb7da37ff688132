/// Why an index cannot be used; the files themselves are then read.
package struct IndexFailure: Error {
  /// The message, half a sentence.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
