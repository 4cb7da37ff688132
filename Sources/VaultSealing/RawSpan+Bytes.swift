extension RawSpan {
  /// A copy in ordinary memory, for bytes that are no secret.
  func copiedBytes() -> [UInt8] {
    unsafe withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
  }
}
