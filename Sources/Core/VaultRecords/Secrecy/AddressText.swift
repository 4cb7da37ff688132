internal import VaultDocument

/// The bytes of a text that may be an address, and the secrets in it.
struct AddressText {
  private let bytes: ArraySlice<UInt8>
  private let lower: [UInt8]
  /// The text before the first colon, in lower case, if it can be a scheme.
  private let scheme: String

  init(_ text: [UInt8]) {
    let start = text.firstIndex { $0 > 0x20 } ?? text.endIndex
    bytes = ArraySlice(text[start...])
    lower = text[start...].map { $0 &- UInt8(ascii: "A") < 26 ? $0 + 32 : $0 }
    let isScheme = { (byte: UInt8) in
      Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    let name = lower.prefix { isScheme($0) }
    let isFollowed = name.count < lower.count && lower[name.count] == UInt8(ascii: ":")
    scheme = isFollowed ? String(decoding: name, as: UTF8.self) : ""
  }

  /// The text after the scheme, without leading slashes.
  private var body: ArraySlice<UInt8> {
    bytes.dropFirst(scheme.isEmpty ? 0 : scheme.utf8.count + 1).drop { $0 == UInt8(ascii: "/") }
  }

  // MARK: Whole addresses

  var isOneTimeCode: Bool {
    if scheme.hasPrefix("otpauth") || Self.oneTimeCodes.contains(where: has) { return true }
    // Bitwarden writes the key of Steam's codes this way; `steam://run/440` starts a game.
    return scheme == "steam" && body.count >= 16
      && body.allSatisfy { Self.isLetter($0) || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0) || $0 == 0x3D }
  }

  private static let oneTimeCodes = bytes(of: ["otpauth://", "otpauth-migration:"])

  /// Whether the whole address is a credential: access to a proxy or a network.
  var isCredential: Bool { Self.credentialSchemes.contains(scheme) }

  private static let credentialSchemes: Set<String> = [
    "hy2", "hysteria", "hysteria2", "ss", "ssr", "trojan", "tuic", "vless", "vmess", "wifi",
  ]

  /// Whether it is a webhook, to which anybody who knows the address may write.
  var isWebhook: Bool { Self.webhooks.contains(where: has) }

  private static let webhooks = bytes(of: [
    "hooks.slack.com/", "/api/webhooks/", "api.telegram.org/bot", "webhook.office.com/webhook",
  ])

  // MARK: Before the host

  /// Whether a host has a user name with a password, or a user name that looks like a token.
  var hasPassword: Bool {
    // The next position is carried along, because searching for it each time is too slow for hostile texts.
    guard var at = bytes.firstIndex(of: UInt8(ascii: "@")) else { return false }
    var hasAuthority = false
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let isSlashes = bytes[index] == UInt8(ascii: "/") && index + 1 < bytes.endIndex && bytes[index + 1] == 0x2F
      guard isSlashes else {
        index += 1
        continue
      }
      index = bytes[index...].firstIndex { $0 != UInt8(ascii: "/") } ?? bytes.endIndex
      hasAuthority = true
      if at < index { at = bytes[index...].firstIndex(of: UInt8(ascii: "@")) ?? bytes.endIndex }
      if at < bytes.endIndex, isSecretAuthority(bytes[index...], firstAt: at) { return true }
    }
    return hasAuthority ? hasOraclePassword : hasPasswordWithoutAuthority
  }

  /// Whether the authority at the start of `text` holds a password or token. `firstAt` is the index of the first `@`
  /// in `text`, which may come after the authority.
  private func isSecretAuthority(_ text: ArraySlice<UInt8>, firstAt: Int) -> Bool {
    let end = text.firstIndex { Self.isDelimiter($0) } ?? text.endIndex
    if let at = text[..<end].lastIndex(of: UInt8(ascii: "@")) {
      let user = text[..<at]
      // Even with nothing after the colon, because many services take a key as the user name.
      if user.contains(UInt8(ascii: ":")) { return user.count > 1 }
      // The user of such an address is the hash of a certificate.
      return scheme != "android" && Self.isRandom(user, atLeast: 20)
    }
    // If a password holds a delimiter, the text before it is not host and port.
    guard firstAt > end, text.first != UInt8(ascii: "["),
      let colon = text[..<end].lastIndex(of: UInt8(ascii: ":"))
    else { return false }
    let port = text[(colon + 1)..<end]
    let host = text[..<colon]
    let isPort = (1...5).contains(port.count) && port.allSatisfy { Self.isDigit($0) }
    return !isPort || !host.contains(UInt8(ascii: ".")) && !host.elementsEqual("localhost".utf8)
  }

  /// `bob:secret@host`, also after `sip:` and similar schemes.
  private var hasPasswordWithoutAuthority: Bool {
    let text = Self.opaqueSchemes.contains(scheme) ? body.prefix { $0 != UInt8(ascii: "?") } : bytes
    guard !text.contains(where: { $0 <= 0x20 }), let at = text.lastIndex(of: UInt8(ascii: "@")), at + 1 < text.endIndex,
      let colon = text[..<at].firstIndex(of: UInt8(ascii: ":"))
    else { return hasOraclePassword }
    // `git@host:path/to@1` has its colon after the host.
    return colon + 1 < at && !text[..<colon].contains(UInt8(ascii: "@"))
  }

  private static let opaqueSchemes: Set<String> = [
    "acct", "callto", "facetime", "im", "mailto", "msnim", "sip", "sips", "skype", "sms", "tel", "xmpp",
  ]

  /// `jdbc:oracle:thin:scott/tiger@…`
  private var hasOraclePassword: Bool {
    guard has(Self.oracle), let at = bytes.firstIndex(of: UInt8(ascii: "@")) else { return false }
    return bytes[..<at].contains(UInt8(ascii: "/"))
  }

  private static let oracle = Array("jdbc:oracle".utf8)

  // MARK: Parameters

  /// Whether a `name=value` pair has a name that suggests a secret.
  var hasSecretParameter: Bool {
    guard bytes.contains(UInt8(ascii: "=")) else { return false }
    return bytes.split { Self.isDelimiter($0) || Self.isSeparator($0) }.contains { piece in
      guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return false }
      let value = piece[(equals + 1)...]
      return value.count > 1 && !Self.flags.contains(String(decoding: value, as: UTF8.self).lowercased())
        && SecretName.isSecret(String(decoding: piece[..<equals], as: UTF8.self))
    }
  }

  private static let flags: Set<String> = ["true", "false", "yes", "no", "on", "off", "null", "none"]

  /// Whether a fragment, which no server sees, looks like a key.
  var hasSecretFragment: Bool {
    guard let hash = bytes.firstIndex(of: UInt8(ascii: "#")), has(Self.slashes) else { return false }
    return bytes[hash...].split { Self.isDelimiter($0) || Self.isSeparator($0) || $0 == UInt8(ascii: "=") }
      .contains { Self.isRandom($0, atLeast: 16) }
  }

  private static let slashes = Array("//".utf8)

  // MARK: Tokens

  /// Whether a part of it begins like the tokens of well-known services.
  var hasToken: Bool {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard beginsToken(at: index) else {
        index += 1
        continue
      }
      let run = bytes[index...].prefix { Self.isTokenByte($0) }
      if run.count >= 10, run.contains(where: Self.isDigit) { return true }
      // A part of a run that is not a token is not a token either: it is shorter and has no other digits.
      index = run.endIndex
    }
    return false
  }

  /// Whether a token's prefix stands at an index, with no letter or digit before it.
  private func beginsToken(at index: Int) -> Bool {
    // This check runs for each byte of each readable text, and most bytes begin no token.
    guard Self.tokenBeginnings[Int(bytes[index])] else { return false }
    if index > bytes.startIndex, Self.isLetter(bytes[index - 1]) || Self.isDigit(bytes[index - 1]) { return false }
    return Self.tokenPrefixes.contains { bytes[index...].starts(with: $0) }
  }

  /// For each byte, whether a token begins with it.
  private static let tokenBeginnings: [Bool] = {
    let first = Set(tokenPrefixes.map { $0[0] })
    return (UInt8.min...UInt8.max).map(first.contains)
  }()

  private static let tokenPrefixes = bytes(of: [
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk_live_", "rk_live_", "sk_test_", "sk-proj-",
    "sk-ant-", "xoxa-", "xoxb-", "xoxp-", "xoxs-", "AKIA", "ASIA", "AIza", "eyJ", "hvs.", "npm_", "pypi-", "dop_v1_",
    "SG.", "shpat_", "whsec_", "ya29.", "ATATT", "hf_", "gsk_", "dckr_pat_", "AGE-SECRET-KEY-1", "age-secret-key-1",
    "AGE-SECRET-KEY-PQ-1", "age-secret-key-pq-1",
  ])

  // MARK: Bytes

  private static func bytes(of texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private func has(_ wanted: [UInt8]) -> Bool {
    lower.indices.contains { lower[$0] == wanted[0] && lower.has(wanted, at: $0) }
  }

  /// Whether a text looks random: one run of letters, digits and base64 characters, of both cases with digits, or long
  /// and hexadecimal.
  private static func isRandom(_ text: ArraySlice<UInt8>, atLeast count: Int) -> Bool {
    guard text.count >= count, text.contains(where: isDigit), text.contains(where: isLetter),
      text.allSatisfy({ isTokenByte($0) && $0 != UInt8(ascii: ".") })
    else { return false }
    let hasUpper = text.contains { $0 &- UInt8(ascii: "A") < 26 }
    let hasLower = text.contains { $0 &- UInt8(ascii: "a") < 26 }
    if hasUpper && hasLower { return true }
    // Words between hyphens are a heading.
    return !text.contains(UInt8(ascii: "-")) && !text.contains(UInt8(ascii: "_"))
      && (count > 16 || text.count >= 32 || hasUpper)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ".")
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "!"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "|"), UInt8(ascii: " "), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
