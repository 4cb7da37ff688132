import VaultAge
import VaultCrypto

/// Reads age files the three ways there are, and writes a header back.
enum AgeFileReader {
  /// The whole file at once.
  static func open(
    _ file: [UInt8], credentials: [AgeCredential], encoding: AgeEncoding
  ) -> Result<[UInt8], AgeError> {
    outcome { () throws(AgeError) in
      try AgeFile.open(RawSpan(_elements: file.span), with: credentials, encoding: encoding, maximumByteCount: 4 << 20)
        .withBytes { copied($0) }
    }
  }

  /// As a stream that gives at most `pieceByteCount` bytes a time.
  static func stream(
    _ file: [UInt8], credentials: [AgeCredential], encoding: AgeEncoding, pieceByteCount: Int
  ) -> Result<[UInt8], AgeError> {
    var rest = file[...]
    return outcome { () throws(AgeError) in
      let reader = try AgeReader(
        with: credentials, encoding: encoding, read: { read(&rest, into: &$0, atMost: pieceByteCount) })
      var plaintext: [UInt8] = []
      while let piece = try reader.next() { plaintext += piece }
      return plaintext
    }
  }

  static func read(_ rest: inout ArraySlice<UInt8>, into output: inout MutableRawSpan, atMost count: Int) -> Int {
    let piece = rest.prefix(min(count, output.byteCount))
    for (offset, byte) in piece.enumerated() { output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
    rest = rest.dropFirst(piece.count)
    return piece.count
  }

  static func copied(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }

  /// The header's bytes as c2sp.org/age writes them.
  static func text(of header: AgeHeader) -> [UInt8] {
    var lines = ["age-encryption.org/v1"]
    for stanza in header.stanzas {
      lines.append((["->", stanza.type] + stanza.arguments).joined(separator: " "))
      let body = base64(stanza.body)
      for start in stride(from: 0, through: body.count, by: 64) {
        lines.append(String(decoding: body[start..<min(start + 64, body.count)], as: UTF8.self))
      }
    }
    lines.append("--- " + String(decoding: base64(header.mac), as: UTF8.self))
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    return text
  }
}
