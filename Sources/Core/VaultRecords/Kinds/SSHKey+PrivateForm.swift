package import VaultCrypto
internal import VaultDocument

extension SSHKey {
  /// The public half of a private key in OpenSSH's form, as `TYPE BASE64`. It stands at the beginning of the file in
  /// clear, even if the key has a passphrase. Nil for other forms and for invalid text.
  ///
  /// The form is base64 in lines: a name with a NUL, two names, options, a count and the public key, each text after
  /// its length (PROTOCOL.key of OpenSSH).
  package static func publicKey(ofPrivate text: SecretBytes) throws(CryptoError) -> String? {
    let decoded = try text.withBytes { text throws(CryptoError) -> SecretBytes? in
      try binary(ofPrivate: Span<UInt8>(_bytes: text))
    }
    guard let decoded else { return nil }
    let blob = decoded.withBytes { bytes -> [UInt8]? in publicBlob(Span<UInt8>(_bytes: bytes)) }
    guard let blob else { return nil }
    var offset = 0
    // The first text of the public key is the type, with which the line begins.
    guard let name = field(of: blob.span, at: &offset), !name.isEmpty,
      blob[name].allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return "\(String(decoding: blob[name], as: UTF8.self)) \(Base64.encode(blob))"
  }

  private static let start = Array("-----BEGIN OPENSSH PRIVATE KEY-----".utf8)
  private static let magic = Array("openssh-key-v1\0".utf8)

  /// The binary content of the base64 between the two marker lines; nil if the text does not have this form.
  private static func binary(ofPrivate text: Span<UInt8>) throws(CryptoError) -> SecretBytes? {
    let blanks = text.indices.prefix { text[$0] <= 0x20 }.count
    guard text.count > blanks + start.count, start.indices.allSatisfy({ text[blanks + $0] == start[$0] }) else {
      return nil
    }
    let body = (blanks + start.count..<text.count).prefix { text[$0] != UInt8(ascii: "-") }
    let digitCount = body.count { text[$0] > 0x20 }
    guard digitCount > 0 else { return nil }
    let base64 = try SecretBytes(byteCount: digitCount) { output in
      for offset in body where text[offset] > 0x20 { output.append(text[offset]) }
    }
    return try base64.withBytes { text throws(CryptoError) in try SecretBytes.decoding(base64: text) }
  }

  /// The public key in the binary content; nil for another form or several keys.
  private static func publicBlob(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard bytes.count > magic.count, magic.indices.allSatisfy({ bytes[$0] == magic[$0] }) else { return nil }
    var offset = magic.count
    // Cipher, its key derivation, and the options of that.
    for _ in 0..<3 where field(of: bytes, at: &offset) == nil { return nil }
    guard number(in: bytes, at: &offset) == 1, let blob = field(of: bytes, at: &offset) else { return nil }
    return blob.map { bytes[$0] }
  }

  /// Four bytes, the highest first.
  private static func number(in bytes: Span<UInt8>, at offset: inout Int) -> Int? {
    guard bytes.count - offset >= 4 else { return nil }
    defer { offset += 4 }
    return (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
  }

  /// The range of the text whose length stands at `offset`.
  private static func field(of bytes: Span<UInt8>, at offset: inout Int) -> Range<Int>? {
    guard let count = number(in: bytes, at: &offset), bytes.count - offset >= count else { return nil }
    defer { offset += count }
    return offset..<offset + count
  }
}
