internal import VaultDocument

/// What makes an address, or a text like one, a secret: it must not stand in a readable member.
///
/// It looks for what people and programs put into addresses: keys of one-time codes, user names with passwords,
/// parameters and fragments whose names say that they are secret, and values in the form of well-known tokens. In doubt
/// it is one.
package enum SecretAddress: String, Sendable {
  /// The key of one-time codes, such as `otpauth://totp/…`.
  case oneTimeCode
  /// A password or a token before the host.
  case password
  /// A parameter, fragment or path that lets one in.
  case parameter

  /// The first that a text holds, also behind percent signs; nil where it holds none.
  package init?(in text: String) {
    guard Self.mayBe(in: text) else { return nil }
    // Browsers leave out line ends and tabs, and take a backslash for a slash.
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

  /// Whether there is any reason to look closer, which copies the text: most have no mark, and no address is without.
  ///
  /// Dates have a mark of addresses, and no address is of nothing but digits and what joins them in a date. An `@` with
  /// no slash before it is one of mail.
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

  /// What a person needs to know where one stands.
  package var reason: String {
    switch self {
    case .oneTimeCode: "holds the key of one-time codes, which belongs into a sealed field"
    case .password: "holds an address with a password or token before its host, which belongs into a sealed field"
    case .parameter: "holds an address with a key, token or code in it, which belongs into a sealed field"
    }
  }

  /// How often percent signs may stand for percent signs: nobody means well who does it more often.
  private static let maximumDepth = 6

  private static func found(in text: AddressText) -> SecretAddress? {
    if text.isOneTimeCode { return .oneTimeCode }
    if text.isCredential || text.hasPassword { return .password }
    return text.hasSecretParameter || text.hasSecretFragment || text.hasToken || text.isWebhook ? .parameter : nil
  }
}

extension SecretAddress {
  /// Scheme, host and port of an address, which say where it leads and nothing more; nil where they cannot be told
  /// without doubt.
  package static func origin(of text: String) -> String? {
    guard let separator = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound]
    let rest = text[separator.upperBound...]
    let head = rest.prefix { !"/?#\\;".contains($0) }
    // A delimiter in a password that nobody escaped: where the host begins is not clear.
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
