/// Why an index cannot be used; then the files themselves are read.
package struct IndexFailure: Error {
  /// What to say about it, in half a sentence.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
