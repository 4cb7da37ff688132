internal import VaultDocument

/// A well-known form of text, with its name in JSON Schema.
public enum TextFormat: String, Sendable, CaseIterable {
  /// A moment in ISO 8601; stored in UTC, to the millisecond.
  case dateTime = "date-time"
  /// A calendar day: `2026-11-21`.
  case date
  /// A mail address: a local part, `@`, and a host in any script.
  case email
  /// An address with a scheme (RFC 3986).
  case uri
  /// A UUID in its usual form of 36 characters, in either case (RFC 9562).
  case uuid
  /// A host name (RFC 1123).
  case hostname
  /// Four decimal numbers with dots (RFC 2673, section 3.2).
  case ipv4
  /// An IPv6 address (RFC 4291, section 2.2).
  case ipv6
  /// Bytes, as their base64 with padding (RFC 4648, section 4); a `contentEncoding` in JSON Schema.
  case base64

  package func fits(_ text: String) -> Bool {
    switch self {
    case .dateTime: (try? Timestamp(parsing: text)) != nil
    case .date: text.utf8.count == 10 && (try? Timestamp(parsing: text + "T00:00:00Z")) != nil
    case .email: Self.isEmail(text)
    case .uri: Self.isURI(text)
    case .uuid: Identifier(parsing: text.lowercased()) != nil && text.utf8.count == 36
    case .hostname: Self.isHostname(text)
    case .ipv4: Self.isIPv4(text)
    case .ipv6: Self.isIPv6(text)
    case .base64: (try? Base64.decode(text)) != nil
    }
  }

  var faultReason: String {
    switch self {
    case .dateTime: "is not a date in ISO 8601"
    case .date: "is not a day such as 2026-11-21"
    case .email: "is not an e-mail address"
    case .uri: "is not an address with a scheme, such as https://example.com"
    case .uuid: "is not a UUID"
    case .hostname: "is not a host name"
    case .ipv4: "is not an IPv4 address"
    case .ipv6: "is not an IPv6 address"
    case .base64: "is not base64"
    }
  }
}

extension TextFormat {
  /// Text without white space, with something before the last `@` and a host in any script after it.
  private static func isEmail(_ text: String) -> Bool {
    guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return false }
    let labels = text[text.index(after: at)...].split(separator: "." as Character, omittingEmptySubsequences: false)
    return text.utf8.count <= 320 && labels.allSatisfy { !$0.isEmpty } && !hasSpaceOrControl(text)
  }

  /// A scheme, a colon, and text without white space, control characters and the characters that RFC 3986 excludes.
  private static func isURI(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.unicodeScalars.first else { return false }
    let scheme = text[..<colon].unicodeScalars
    let rest = text[text.index(after: colon)...]
    let isScheme = scheme.allSatisfy { isLetterOrDigit($0) || $0 == "+" || $0 == "-" || $0 == "." }
    return isScheme && isLetterOrDigit(first) && !("0"..."9").contains(first) && !rest.isEmpty
      && !hasSpaceOrControl(text) && !rest.unicodeScalars.contains { "<>\"\\^`{|}".unicodeScalars.contains($0) }
  }

  /// Labels of letters, digits and inner hyphens, at most 63 characters each and 253 together (RFC 1123).
  private static func isHostname(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    return text.split(separator: "." as Character, omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.unicodeScalars.allSatisfy { isLetterOrDigit($0) || $0 == "-" }
    }
  }

  /// Four decimals from 0 to 255 without leading zeros.
  private static func isIPv4(_ text: String) -> Bool {
    let parts = text.split(separator: "." as Character, omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
          return false
        }
        return (part.utf8.count == 1 || !part.hasPrefix("0")) && Int(part) ?? 256 <= 255
      }
  }

  /// Eight groups of up to four hex digits, one run of zeros as `::`, the last two perhaps as IPv4 (RFC 4291).
  private static func isIPv6(_ text: String) -> Bool {
    let colon = UInt8(ascii: ":")
    let bytes = Array(text.utf8)
    guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
      return groupCount(of: bytes[...]) == 8
    }
    // IPv4 can only stand at the end of the whole address.
    guard !bytes[..<gap].contains(UInt8(ascii: ".")) else { return false }
    let counts = [bytes[..<gap], bytes[(gap + 2)...]].map { $0.isEmpty ? 0 : groupCount(of: $0) ?? 8 }
    return counts[0] + counts[1] < 8
  }

  /// The number of 16-bit groups in a part of an IPv6 address; nil if it is malformed.
  private static func groupCount(of bytes: ArraySlice<UInt8>) -> Int? {
    let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var count = 0
    for (place, group) in groups.enumerated() {
      if (1...4).contains(group.count), group.allSatisfy(isHexDigit) {
        count += 1
      } else if place == groups.count - 1, isIPv4(String(decoding: group, as: UTF8.self)) {
        count += 2
      } else {
        return nil
      }
    }
    return count
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func hasSpaceOrControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }
}
