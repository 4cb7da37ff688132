internal import VaultDocument

/// Why an address, or a text like one, is secret and must not stand in a readable member.
///
/// It recognises the secrets that people and programs put into addresses: keys of one-time codes, user names with
/// passwords, parameters and fragments with telling names, and values that look like well-known tokens. In doubt, an
/// address is secret.
package enum SecretAddress: String, Sendable {
  /// The key of one-time codes, such as `otpauth://totp/…`.
  case oneTimeCode
  /// A password or a token before the host.
  case password
  /// A parameter, fragment or path that gives access.
  case parameter

  /// The first secret in a text, even if percent-encoded; nil if there is no secret.
  package init?(in text: String) {
    guard Self.mayBe(in: text) else { return nil }
    // Browsers ignore line ends and tabs, and treat a backslash as a slash.
    var bytes = text.utf8.compactMap { byte -> UInt8? in
      byte == UInt8(ascii: "\\") ? UInt8(ascii: "/") : byte == 0x09 || byte == 0x0A || byte == 0x0D ? nil : byte
    }
    for _ in 0..<Self.maximumDepth {
      if let found = Self.found(in: AddressText(bytes)) {
        self = found
        return
      }
      guard let decoded = PercentEncoding.decoded(bytes) else { return nil }
      bytes = decoded
    }
    self = .parameter
  }

  /// Whether a closer look is needed, which copies the text: most texts have no mark, and every address has one.
  ///
  /// Dates contain a mark of addresses, but no address consists only of digits and the separators of a date. An `@`
  /// without a slash before it belongs to a mail address.
  static func mayBe(in text: String) -> Bool {
    let bytes = text.utf8Span.span
    var (hasMark, hasAt, hasSlash, isDate) = (false, false, false, true)
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: ":"): hasMark = true
      case UInt8(ascii: "="), UInt8(ascii: "%"): (hasMark, isDate) = (true, false)
      case UInt8(ascii: "@"): (hasAt, isDate) = (true, false)
      case UInt8(ascii: "/"), UInt8(ascii: "\\"): (hasSlash, isDate) = (true, false)
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+"),
        UInt8(ascii: "T"), UInt8(ascii: "Z"):
        continue
      default: isDate = false
      }
      if hasMark && !isDate { return true }
    }
    return hasAt && hasSlash
  }

  package var reason: String {
    switch self {
    case .oneTimeCode: "has a key of one-time codes in it, which belongs in a sealed field"
    case .password: "has an address with a password or token before its host, which belongs in a sealed field"
    case .parameter: "has an address with a key, token or code in it, which belongs in a sealed field"
    }
  }

  /// The most levels of percent-encoding; more of them have no honest use.
  private static let maximumDepth = 6

  private static func found(in text: AddressText) -> SecretAddress? {
    if text.isOneTimeCode { return .oneTimeCode }
    if text.isCredential || text.hasPassword { return .password }
    return text.hasSecretParameter || text.hasSecretFragment || text.hasToken || text.isWebhook ? .parameter : nil
  }
}

extension SecretAddress {
  /// Scheme, host and port of an address, which tell only where it leads; nil if they are ambiguous.
  package static func origin(of text: String) -> String? {
    guard let separator = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound]
    let rest = text[separator.upperBound...]
    let head = rest.prefix { !"/?#\\;".contains($0) }
    // With an unescaped delimiter in a password, the beginning of the host is unclear.
    guard !rest[head.endIndex...].contains("@") || !head.contains(":") else { return nil }
    let place = head.lastIndex(of: "@").map { head[head.index(after: $0)...] } ?? head
    let host = place.lastIndex(of: ":").map { place[..<$0] } ?? place
    let port = place[host.endIndex...].dropFirst()
    let isHost = host.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "." || scalar == "-"
    }
    guard !scheme.isEmpty, scheme.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "+" }), isHost, !host.isEmpty,
      port.utf8.count <= 5, port.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 })
    else { return nil }
    let origin = "\(scheme)://\(place)"
    return SecretAddress(in: origin) == nil ? origin : nil
  }
}
