internal import VaultDocument
internal import VaultRecords

/// The account of an app for one-time codes, as the address that programs exchange.
enum OneTimeAddress {
  /// The address; nil without a key.
  ///
  /// - Parameter parts: `secret` in base32, and if known `type`, `issuer`, `account`, `algorithm`, `digits`, `period`,
  ///   `counter`.
  static func text(of parts: [String: String]) -> String? {
    guard let secret = parts["secret"]?.filter({ $0 != "=" && !$0.isWhitespace }), !secret.isEmpty else { return nil }
    let type = parts["type"]?.lowercased() ?? "totp"
    let isSteam = type == "steam"
    var parameters = ["secret=\(PercentEncoding.encoded(secret))"]
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { parameters.append("\(name)=\(PercentEncoding.encoded(value))") }
    }
    add("issuer", parts["issuer"])
    if isSteam {
      add("encoder", "steam")
    } else {
      add("algorithm", parts["algorithm"].map(algorithm).flatMap { $0 == "SHA1" ? nil : $0 })
      // If the digits are not given, that issuer means Steam's letters.
      let digits = parts["digits"] ?? "6"
      add("digits", digits == "6" && parts["issuer"]?.lowercased() != "steam" ? nil : digits)
    }
    if type == "hotp" {
      add("counter", parts["counter"] ?? "0")
    } else if parts["period"] != "30" {
      add("period", parts["period"])
    }
    add("pin", parts["pin"])
    let label = [parts["issuer"], parts["account"]].compactMap(\.self).filter { !$0.isEmpty }
      .map { PercentEncoding.encoded($0) }
    return "otpauth://\(isSteam ? "totp" : type)/\(label.joined(separator: ":"))?\(parameters.joined(separator: "&"))"
  }

  /// The algorithm, such as `SHA256` from `HmacSHA256` and `sha-256`.
  private static func algorithm(_ name: String) -> String {
    name.uppercased().replacing("HMAC", with: "").filter { $0 != "-" && $0 != "_" }
  }

  /// The issuer and account in an address; empty if it names none.
  static func names(in address: String) -> (issuer: String, account: String) {
    let sides = address.parts(separatedBy: "?")
    let label = sides[0].parts(separatedBy: "/").dropFirst(3).joined(separator: "/")
    let text = PercentEncoding.text(of: label) ?? label
    let pair = text.pair(separatedBy: ":")
    let query = sides.dropFirst().joined(separator: "?").parts(separatedBy: "&")
    let named = query.lazy.compactMap { $0.pair(separatedBy: "=") }
      .first { $0.before.lowercased() == "issuer" }
      .map { PercentEncoding.text(of: $0.behind.replacing("+", with: " ")) ?? String($0.behind) }
    let issuer = named.flatMap { $0.isEmpty ? nil : $0 } ?? pair.map { String($0.before) } ?? ""
    return (issuer, String((pair?.behind ?? text[...]).trimmingSpaces))
  }
}

extension LeafRule {
  /// A part of the address, which is made at the end of the entry.
  static func code(_ part: String) -> LeafRule {
    LeafRule { builder, text, place in
      guard text.utf8.count <= ValueLimit.byteCount else { return builder.note(place, ValueLimit.refusal) }
      builder.parts[part] = text
      builder.note(place, .mapped(to: "totp"))
    }
  }

  /// A part that the app writes as a number or a word of its own.
  static func code(_ part: String, _ words: [String: String]) -> LeafRule {
    LeafRule { builder, text, place in code(part).apply(&builder, words[text] ?? text, place) }
  }

  /// Takes a whole address. `steam://` and a bare key have no names.
  static let codeAddress = LeafRule { builder, text, place in
    if text.prefix(10).lowercased().begins(with: "otpauth://") {
      (builder.parts["issuer"], builder.parts["account"]) = OneTimeAddress.names(in: text)
    }
    totp.apply(&builder, text, place)
  }
}

extension RecordBuilder {
  /// Makes address, title and user name from the parts.
  mutating func addCode() {
    if text("totp") == nil, let address = OneTimeAddress.text(of: parts) { add(address, .member("totp"), as: "totp") }
    let (issuer, account) = (parts["issuer"] ?? "", parts["account"] ?? "")
    if text("title") == nil { add(issuer.isEmpty ? account : issuer, .member("title"), as: "title") }
    if text("username") == nil { add(account, .member("username"), as: "account") }
  }
}
