import COpenSSL

/// OpenSSL's error queue of this thread, handled in one place only.
package enum ErrorQueue {
  /// Runs `body`, on an empty queue unless it goes on with what began on one; false means that OpenSSL failed.
  ///
  /// - Parameter continues: whether `clear()` was called before an earlier step, and nothing has failed since. A look
  ///   at the queue costs as much as a short message.
  @inline(__always)
  package static func check(
    _ reason: StaticString, code: CryptoError.Code = .libraryFailed, continues: Bool = false, _ body: () -> Bool
  ) throws(CryptoError) {
    if !continues { clear() }
    if body() { return }
    throw CryptoError(code, reason, underlying: drain())
  }

  /// Runs `body` on an empty queue and hands on what it made.
  @inline(__always)
  static func make(_ reason: StaticString, _ body: () -> OpaquePointer?) throws(CryptoError) -> OpaquePointer {
    clear()
    guard let made = unsafe body() else { throw CryptoError(.libraryFailed, reason, underlying: drain()) }
    return unsafe made
  }

  /// Empties the queue, so that an entry left by earlier code is not reported as ours.
  ///
  /// Clearing walks all sixteen places of the queue and costs more than many a call it guards: a look comes first.
  @inline(__always)
  static func clear() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Takes every entry off the queue, oldest first; nil when there was none.
  static func drain() -> String? {
    var lines: [String] = []
    while true {
      let entry = ERR_get_error()
      if entry == 0 { break }
      lines.append(text(of: entry))
    }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }

  private static func text(of entry: UInt) -> String {
    // 256 bytes is what the manual page of ERR_error_string_n asks for at least.
    var buffer = [CChar](repeating: 0, count: 256)
    unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      unsafe ERR_error_string_n(entry, buffer.baseAddress, buffer.count)
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
