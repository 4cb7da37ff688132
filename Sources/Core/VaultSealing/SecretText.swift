internal import VaultCrypto

/// UTF-8 text in the secure heap, possibly followed by the padding it was sealed with.
package struct SecretText: Sendable {
  private let storage: SecretBytes
  let count: Int

  /// Takes bytes whose first `count` are valid UTF-8.
  init(_ storage: SecretBytes, count: Int) {
    self.storage = storage
    self.count = count
  }

  /// Copies a string, which itself stays in ordinary memory. The copy goes to ordinary memory, too, if half of the
  /// secure heap is in use, because keys and opened values need room there.
  init(copying text: String) throws(CryptoError) {
    var text = text
    text.makeContiguousUTF8()
    let bytes = unsafe text.utf8Span.span.bytes
    let fits = SecureMemory.usedByteCount + bytes.byteCount <= SecureMemory.byteCount / 2
    storage = try fits ? SecretBytes(copying: bytes) : SecretBytes(copyingBeyondHeap: bytes)
    count = storage.count
  }

  /// Lends the text's bytes to `body`, which must not copy them out.
  func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes { bytes throws(Failure) in try body(bytes.extracting(0..<count)) }
  }

  /// A copy in ordinary memory.
  package func string() -> String {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
  }

  /// Whether both hold the same bytes; the time does not depend on where they differ.
  static func == (left: SecretText, right: SecretText) -> Bool {
    left.withBytes { first in right.withBytes { second in constantTimeEqual(first, second) } }
  }
}
