internal import VaultCrypto

/// UTF-8 text in the secure heap, possibly followed by the padding it was sealed with.
package struct SecretText: Sendable {
  private let storage: SecretBytes
  /// The count of text bytes.
  let count: Int

  /// Takes over bytes of which the first `count` are valid UTF-8.
  init(_ storage: SecretBytes, count: Int) {
    self.storage = storage
    self.count = count
  }

  /// Copies a string; the string itself stays in ordinary memory. So does the copy where the secure heap is full.
  init(copying text: String) throws(CryptoError) {
    var text = text
    text.makeContiguousUTF8()
    do throws(CryptoError) {
      storage = try unsafe SecretBytes(copying: text.utf8Span.span.bytes)
    } catch {
      guard error.code == .secureMemoryExhausted else { throw error }
      storage = try unsafe SecretBytes(copyingBeyondHeap: text.utf8Span.span.bytes)
    }
    count = storage.count
  }

  /// Gives the text's bytes to `body`; they must not leave it.
  func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes { bytes throws(Failure) in try body(bytes.extracting(0..<count)) }
  }

  /// A copy in ordinary memory.
  package func string() -> String {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
  }

  /// Whether both hold the same bytes; takes the same time wherever they differ.
  static func == (left: SecretText, right: SecretText) -> Bool {
    left.withBytes { first in right.withBytes { second in constantTimeEqual(first, second) } }
  }
}
