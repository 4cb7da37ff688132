internal import VaultDocument
internal import VaultMarkup
internal import VaultRecords

/// The one-time code of an entry, assembled from its strings.
///
/// The forms are those of KeePass 2 (`TimeOtp-…`, `HmacOtp-…`), of KeeTrayTOTP and older KeePassXC (`TOTP Seed`, `TOTP
/// Settings`), and of KeeOtp (`key=…&step=…` in `otp`).
struct KeePassCode {
  private let strings: [String: String]

  /// - Parameter strings: the strings of an entry, by key.
  init(_ strings: [String: String]) { self.strings = strings }

  /// The rule for a string that is a whole code; nil if it is only a part.
  func rule(for key: String) -> LeafRule? {
    switch key {
    case "otp":
      return LeafRule { builder, text, place in
        let code = code(ofKeeOtp: text)
        builder.put(code ?? text, .member("totp"), from: place, as: key, converted: code != nil)
      }
    case "TimeOtp-Secret-Base32":
      // The value of KeePassXC has precedence, and may repeat the parts.
      if let otp = strings["otp"] {
        return keeOtp(otp) == ["secret": strings[key] ?? ""] ? .named(key, member: "totp") : nil
      }
      return Self.settings.allSatisfy { strings["TimeOtp-" + $0] == nil } ? .named(key, member: "totp") : nil
    default: return nil
    }
  }

  /// The address that the parts make. The strings are kept beside it, because the tool uses them.
  var address: String? { (keePass("TimeOtp-") ?? tray ?? keePass("HmacOtp-")).flatMap(text) }

  /// The strings of an entry for a code: an address in `otp`. A bare key is written in KeeOtp's form for KeePassXC, and
  /// under KeePass 2's own name.
  static func strings(for text: String, title: String) -> [(name: String, text: String)] {
    guard let key = try? OneTimeKey(parsing: text) else { return [("otp", text)] }
    guard !text.begins(with: "otpauth:") else {
      // KeePassXC recognises Steam codes only by the encoder.
      let isTold = !key.isSteam || text.holds("encoder=")
      return [("otp", isTold ? text : text.parts(separatedBy: "#")[0] + "&encoder=steam")]
    }
    if key.isSteam { return [("otp", key.address(named: title))] }
    return [("otp", "key=\(PercentEncoding.encoded(text))"), ("TimeOtp-Secret-Base32", text)]
  }

  private static let settings = ["Length", "Period", "Algorithm"]

  private func text(_ parts: [String: String]) -> String? {
    guard let key = parts["secret"].flatMap(Base32.decode), !key.isEmpty else { return nil }
    var parts = parts
    parts["account"] = strings["Title"]
    return OneTimeAddress.text(of: parts)
  }

  /// The address of a KeeOtp text or a bare key; nil for any other text.
  private func code(ofKeeOtp value: String) -> String? {
    guard let parts = keeOtp(value), let address = text(parts) else { return nil }
    return parts.count == 1 ? parts["secret"] : address
  }

  private func keePass(_ prefix: String) -> [String: String]? {
    guard let secret = secret(prefix + "Secret") else { return nil }
    var parts = ["secret": secret]
    guard prefix == "TimeOtp-" else {
      (parts["type"], parts["counter"]) = ("hotp", strings[prefix + "Counter"])
      return parts
    }
    (parts["digits"], parts["period"]) = (strings[prefix + "Length"], strings[prefix + "Period"])
    parts["algorithm"] = strings[prefix + "Algorithm"]
    return parts
  }

  /// The key in base32, from the first form that KeePass would find.
  private func secret(_ name: String) -> String? {
    if let text = strings[name] { return Base32.encode(Array(text.utf8)) }
    if let text = strings[name + "-Hex"] {
      return (try? Hex.decode(text.filter { !$0.isWhitespace }.lowercased())).map(Base32.encode)
    }
    if let text = strings[name + "-Base32"] { return text }
    return strings[name + "-Base64"].flatMap { try? Base64.decode($0) }.map(Base32.encode)
  }

  /// Reads `30;6`, or `30;S` for Steam's letters. A third part is the address of a time server.
  private var tray: [String: String]? {
    guard let secret = strings["TOTP Seed"] else { return nil }
    var parts = ["secret": secret]
    let settings = strings["TOTP Settings"]?.parts(separatedBy: ";") ?? []
    guard settings.count > 1 else { return parts }
    parts["period"] = String(settings[0])
    if settings[1] == "S" { parts["type"] = "steam" } else { parts["digits"] = String(settings[1]) }
    return parts
  }

  private func keeOtp(_ text: String) -> [String: String]? {
    let names = [
      "key": "secret", "type": "type", "size": "digits", "step": "period", "counter": "counter",
      "otpHashMode": "algorithm",
    ]
    var parts: [String: String] = [:]
    for part in text.parts(separatedBy: "&") {
      guard let pair = part.pair(separatedBy: "="), let value = PercentEncoding.text(of: pair.behind) else {
        return nil
      }
      if let name = names[String(pair.before)] { parts[name] = value }
    }
    return parts["secret"] == nil ? nil : parts
  }
}
