internal import VaultCrypto
internal import VaultDocument

/// The key and parameters of one-time codes (RFC 6238; for Steam five letters).
///
/// It holds the key in ordinary memory, so make it only while a code is needed. Its description contains nothing of the
/// key.
package struct OneTimeKey: Sendable, CustomStringConvertible, CustomReflectable {
  private enum Form: Sendable {
    case digits(Int)
    case steam
  }

  private let key: [UInt8]
  private let hash: HMAC.Hash
  private let form: Form
  private let label: String
  private let issuer: String?
  /// How many seconds a code is valid.
  package let period: Int

  /// The size of the key. RFC 4226, section 4, demands at least 128 bits, and many services give 80.
  package var bitCount: Int { key.count * 8 }
  package var isSteam: Bool { if case .steam = form { true } else { false } }
  package var description: String { "OneTimeKey" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// Reads base32, an `otpauth://totp/…` address, or `steam://` and base32.
  package init(parsing text: String) throws(RecordError) {
    let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    let lowercased = text.prefix(10).lowercased()
    if lowercased.hasPrefix("otpauth://") {
      try self.init(address: text.dropFirst("otpauth://".count))
    } else if lowercased.hasPrefix("steam://") {
      try self.init(base32: text.dropFirst("steam://".count), form: .steam)
    } else {
      try self.init(base32: text[...])
    }
  }

  private init(
    base32: some StringProtocol, form: Form = .digits(6), hash: HMAC.Hash = .sha1, period: Int = 30,
    label: String = "", issuer: String? = nil
  ) throws(RecordError) {
    guard let key = Base32.decode(base32) else { throw Self.fault("is not a key of one-time codes: it is not base32") }
    guard !key.isEmpty else { throw Self.fault("is not a key of one-time codes: it is empty") }
    (self.key, self.hash, self.form, self.period) = (key, hash, form, period)
    (self.label, self.issuer) = (label, issuer)
  }

  /// - Parameter rest: the text after `otpauth://`.
  private init(address rest: Substring) throws(RecordError) {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    // Aegis and Ente use another word for the encoder of other programs.
    let isNamedSteam = path[0].lowercased() == "steam"
    guard isNamedSteam || path[0].lowercased() == "totp" else {
      throw Self.fault(
        path[0].lowercased() == "hotp"
          ? "is a counter-based key (hotp): only time-based codes can be made"
          : "is not an address of one-time codes: it does not begin with otpauth://totp/")
    }
    let values = try Self.parameters(parts.count > 1 ? parts[1] : "")
    guard let secret = values["secret"] else { throw Self.fault("has no `secret`") }
    // An issuer of that name may also use digits, which the address then says.
    let isFromSteam = values["issuer"]?.lowercased() == "steam" && ["5", nil].contains(values["digits"])
    let isSteam = isNamedSteam || isFromSteam || values["encoder"]?.lowercased() == "steam"
    let digits = try Self.number(values["digits"], 5...10, named: "digits") ?? 6
    try self.init(
      base32: secret, form: isSteam ? .steam : .digits(digits), hash: Self.hash(values["algorithm"]),
      period: Self.number(values["period"], 1...86_400, named: "period") ?? 30,
      label: path.count > 1 ? PercentEncoding.text(of: path[1]) ?? "" : "", issuer: values["issuer"])
  }

  /// The decoded values by names in lower case.
  private static func parameters(_ query: Substring) throws(RecordError) -> [String: String] {
    var values: [String: String] = [:]
    for pair in query.prefix(while: { $0 != "#" }).split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let value = PercentEncoding.text(of: sides[1].replacing("+", with: " ")) else {
        throw fault("has a parameter without a value")
      }
      let name = sides[0].lowercased()
      guard values.updateValue(value, forKey: name) == nil else { throw fault("has a parameter twice") }
    }
    return values
  }

  private static func number(
    _ text: String?, _ range: ClosedRange<Int>, named name: String
  ) throws(RecordError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw fault("has a `\(name)` that is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  private static func hash(_ name: String?) throws(RecordError) -> HMAC.Hash {
    guard let name else { return .sha1 }
    let bare = name.uppercased().replacing("HMAC", with: "").filter { $0 != "-" }
    guard let hash = HMAC.Hash(rawValue: bare) else {
      throw fault("has an `algorithm` other than SHA1, SHA256, SHA512")
    }
    return hash
  }

  private static func fault(_ reason: String) -> RecordError { RecordError(.invalidValue, reason) }
}

extension OneTimeKey {
  /// The code at a time; a time before 1970 counts as 1970.
  ///
  /// - Parameter seconds: since 1970.
  package func code(at seconds: Int64) throws(RecordError) -> String {
    let step = UInt64(max(0, seconds) / Int64(period))
    let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    let mac: [UInt8]
    do throws(CryptoError) {
      mac = try unsafe HMAC.authenticate(message.span.bytes, key: key.span.bytes, with: hash)
    } catch {
      throw RecordError(.invalidValue, "cannot be used by OpenSSL for one-time codes")
    }
    // Dynamic truncation (RFC 4226, section 5.3).
    let offset = Int(mac[mac.count - 1] & 0x0F)
    let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    switch form {
    case .digits(let count):
      let power = (0..<count).reduce(1) { product, _ in product * 10 }
      let text = String(number % power)
      return String(repeating: "0", count: count - text.utf8.count) + text
    case .steam: return Self.steamCode(number)
    }
  }

  /// The remaining seconds of the code at a time.
  package func remaining(at seconds: Int64) -> Int { period - Int(max(0, seconds) % Int64(period)) }

  private static func steamCode(_ number: Int) -> String {
    let letters = Array("23456789BCDFGHJKMNPQRTVWXY")
    var (rest, code) = (number, "")
    for _ in 0..<5 {
      code.append(letters[rest % letters.count])
      rest /= letters.count
    }
    return code
  }

  /// The `otpauth:` address for other programs; it holds the key.
  ///
  /// - Parameter name: the label, if the address that was read had none.
  package func address(named name: String) -> String {
    var parameters = ["secret=\(Base32.encode(key))"]
    if let issuer { parameters.append("issuer=\(PercentEncoding.encoded(issuer))") }
    if hash != .sha1 { parameters.append("algorithm=\(hash.rawValue)") }
    switch form {
    case .digits(let count):
      if count != 6 || issuer?.lowercased() == "steam" { parameters.append("digits=\(count)") }
    case .steam: if issuer?.lowercased() != "steam" { parameters.append("encoder=steam") }
    }
    if period != 30 { parameters.append("period=\(period)") }
    // A colon separates issuer and account, and programs expect it unescaped.
    let parts = (label.isEmpty ? name : label).split(separator: ":", maxSplits: 1).map {
      PercentEncoding.encoded(String($0))
    }
    return "otpauth://totp/\(parts.joined(separator: ":"))?\(parameters.joined(separator: "&"))"
  }
}
