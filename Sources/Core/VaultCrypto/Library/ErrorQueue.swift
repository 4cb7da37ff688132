import COpenSSL

/// OpenSSL's error queue of this thread, handled only here.
enum ErrorQueue {
  /// Runs `body`, whose result false means that OpenSSL failed. The queue is empty before it, unless `continues`.
  ///
  /// - Parameter continues: whether `clear()` was called before an earlier step and nothing has failed since. Checking
  ///   the queue costs as much as a short message.
  @inline(__always)
  static func check(
    _ reason: StaticString, code: CryptoError.Code = .libraryFailed, continues: Bool = false, _ body: () -> Bool
  ) throws(CryptoError) {
    if !continues { clear() }
    if body() { return }
    throw CryptoError(code, reason, underlying: drain())
  }

  /// Runs `body` on an empty queue and returns its result; nil means that OpenSSL failed.
  @inline(__always)
  static func make(_ reason: StaticString, _ body: () -> OpaquePointer?) throws(CryptoError) -> OpaquePointer {
    clear()
    guard let made = unsafe body() else { throw CryptoError(.libraryFailed, reason, underlying: drain()) }
    return unsafe made
  }

  /// Empties the queue, so that an entry of earlier code is not reported as ours.
  ///
  /// Clearing walks all sixteen places of the queue and costs more than many calls it guards, so it checks first.
  @inline(__always)
  static func clear() {
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// Removes all entries, oldest first; nil if the queue was empty.
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
    // ERR_error_string_n needs at least 256 bytes, says its manual page.
    var buffer = [CChar](repeating: 0, count: 256)
    unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      unsafe ERR_error_string_n(entry, buffer.baseAddress, buffer.count)
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
