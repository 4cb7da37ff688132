/// Percent-encoding of addresses (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Encodes everything except the unreserved characters.
  package static func encoded(_ text: String) -> String { encoded(text.utf8) }

  /// Encodes everything except the unreserved characters.
  package static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    var result = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// Decodes percent signs and keeps all other bytes, such as malformed ones; nil if there was nothing to decode.
  package static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(ofDigit: bytes[index + 1]),
        let low = Hex.value(ofDigit: bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result.count == bytes.count ? nil : result
  }

  /// The decoded text; nil if it is not UTF-8.
  package static func text(of encoded: some StringProtocol) -> String? {
    let bytes = Array(encoded.utf8)
    return String(validating: decoded(bytes) ?? bytes, as: UTF8.self)
  }
}
