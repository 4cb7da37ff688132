internal import VaultDocument
internal import VaultMarkup
internal import VaultRecords

/// The one-time code of an entry whose strings say it in parts: those of KeePass 2 (`TimeOtp-…`, `HmacOtp-…`), of
/// KeeTrayTOTP and earlier versions of KeePassXC (`TOTP Seed`, `TOTP Settings`), of KeeOtp (`key=…&step=…` in `otp`).
struct KeePassCode {
  private let strings: [String: String]

  /// - Parameter strings: of an entry, by their keys.
  init(_ strings: [String: String]) { self.strings = strings }

  /// The rule for a string that is the code as a whole; nil for one that is only a part of it.
  func rule(for key: String) -> LeafRule? {
    switch key {
    case "otp":
      return LeafRule { builder, text, place in
        let code = code(ofKeeOtp: text)
        builder.put(code ?? text, .member("totp"), from: place, as: key, converted: code != nil)
      }
    case "TimeOtp-Secret-Base32":
      // What KeePassXC keeps goes first, wherever it stands, and may be the same.
      if let otp = strings["otp"] {
        return keeOtp(otp) == ["secret": strings[key] ?? ""] ? .named(key, member: "totp") : nil
      }
      return Self.settings.allSatisfy { strings["TimeOtp-" + $0] == nil } ? .named(key, member: "totp") : nil
    default: return nil
    }
  }

  /// The address that the parts make; the strings stay as they are beside it, since the tool goes on with them.
  var address: String? { (keePass("TimeOtp-") ?? tray ?? keePass("HmacOtp-")).flatMap(text) }

  /// What an entry has for a code: an address in `otp`. A key alone is there for KeePassXC in the form of KeeOtp, and
  /// for KeePass 2 by the name that this has.
  static func strings(for text: String, title: String) -> [(name: String, text: String)] {
    guard let key = try? OneTimeKey(parsing: text) else { return [("otp", text)] }
    guard !text.begins(with: "otpauth:") else {
      // KeePassXC knows letters by the encoder alone.
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

  /// A key alone is one here as well; nil for what is no text of KeeOtp.
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

  /// The key in base32, of the first of the forms in which KeePass looks for it.
  private func secret(_ name: String) -> String? {
    if let text = strings[name] { return Base32.encode(Array(text.utf8)) }
    if let text = strings[name + "-Hex"] {
      return (try? Hex.decode(text.filter { !$0.isWhitespace }.lowercased())).map(Base32.encode)
    }
    if let text = strings[name + "-Base32"] { return text }
    return strings[name + "-Base64"].flatMap { try? Base64.decode($0) }.map(Base32.encode)
  }

  /// `30;6`, or `30;S` for the letters of Steam; a third part says where to ask for the time.
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
