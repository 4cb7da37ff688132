/// A recognised file that this program does not read, with advice how its tool writes a readable one.
struct OtherTool: Sendable {
  /// The words after "is".
  let title: StaticString
  /// The steps in the tool, one line each.
  let advice: [ExchangeError.Advice]
  fileprivate let matches: @Sendable (ImportSample, JSONOutline) -> Bool

  private init(
    _ title: StaticString, _ advice: ExchangeError.Advice...,
    if matches: @escaping @Sendable (ImportSample, JSONOutline) -> Bool
  ) { self.init(title, advice, if: matches) }

  private init(
    _ title: StaticString, _ advice: [ExchangeError.Advice],
    if matches: @escaping @Sendable (ImportSample, JSONOutline) -> Bool
  ) {
    self.title = title
    self.advice = advice
    self.matches = matches
  }

  /// The tool whose file begins like this; nil for any other file.
  static func of(_ sample: ImportSample) -> OtherTool? {
    let outline = sample.outline
    return all.first { $0.matches(sample, outline) }
  }

  private static let all = folders + sealed + databases + documents

  static let passTitle: StaticString = "is a store of pass or gopass, which is encrypted with GPG"
  static let passAdvice: [ExchangeError.Advice] = [.decrypt("gpg -dq", format: "pass")]

  private static let folders = [
    OtherTool(passTitle, passAdvice) { sample, _ in sample.paths.contains { $0.hasSuffix(".gpg") } },
    OtherTool(
      "is a vault of 1Password 7 (OPVault)", "1Password 8: File, Export, 1PUX; 1Password 7: File, Export, CSV"
    ) { sample, _ in sample.paths.contains { $0.hasSuffix("profile.js") } },
  ]

  private static let sealed = [
    OtherTool("is a database of Password Safe", "Password Safe: File, Export To, Plain text", .mapColumns) {
      sample, _ in sample.begins("PWS3")
    },
    OtherTool("is an age file", .pipe("age -d -i KEY FILE")) { sample, _ in
      sample.begins("age-encryption.org/v1") || sample.begins("-----BEGIN AGE ENCRYPTED FILE")
    },
    OtherTool(
      "is an encrypted backup of Stratum (Authenticator Pro)", "Stratum: Backup, without a password", .format("stratum")
    ) { sample, _ in
      sample.begins("AUTHENTICATORPRO") || sample.begins("AuthenticatorPro")
    },
    OtherTool(
      "is an encrypted export of Ente Auth", "Ente Auth: Settings, Data, Export codes, Plain text", .format("otpauth")
    ) { _, outline in outline.has("encryptedData", "kdfParams.memLimit") },
    OtherTool(
      "is an encrypted export of Proton Authenticator", "Proton Authenticator: Settings, Export, without a password",
      .format("proton-authenticator")
    ) { _, outline in
      outline.has("version", "salt", "content") && Set(outline.paths) == ["version", "salt", "content"]
    },
    OtherTool("is encrypted with GPG", .pipe("gpg -d FILE")) { sample, _ in
      sample.begins("-----BEGIN PGP MESSAGE")
    },
  ]

  private static let databases = [
    OtherTool(
      "is a database of a browser, or of an app on a phone",
      "Chrome, Edge: Settings, Passwords, Export; Firefox: about:logins, Export Logins"
    ) { sample, _ in sample.begins("SQLite format 3") },
    OtherTool(
      "is the password store of Firefox, which is encrypted", "Firefox: about:logins, Export Logins, then `firefox-csv`"
    ) {
      _, outline in outline.has("nextId", "logins") || outline.has("logins[].encryptedPassword")
    },
    OtherTool("is a dump of a macOS keychain", "Passwords: File, Export All Passwords to File, then `safari-csv`") {
      sample, _ in sample.begins("keychain: ")
    },
    OtherTool("is compressed with gzip", .pipe("gzip -dc FILE")) { sample, _ in sample.begins([0x1F, 0x8B]) },
    OtherTool(
      "is a zip file, but not of a tool that this program knows", "unpack it, and import the file with the entries"
    ) { sample, _ in ZipArchive.begins(sample.head) },
  ]

  private static let documents = [
    OtherTool("is the interchange format of 1Password 7 (1PIF)", "1Password 8: File, Export, 1PUX; 1Password 7: CSV") {
      sample, outline in
      outline.has("uuid", "typeName") || sample.name.lowercased().hasSuffix(".1pif")
    },
    OtherTool("is an encrypted JSON file of Padlock", "Padlock: Settings, Export Data, CSV", .mapColumns) {
      _, outline in
      outline.has("iv", "ct", "cipher")
    },
    OtherTool("is a JSON export of Dashlane", "Dashlane: My account, Settings, Export data, CSV") { _, outline in
      outline.has("AUTHENTIFIANT")
    },
    OtherTool("is a JSON export of Passman", "Passman: Settings, Export credentials, CSV", .mapColumns) {
      _, outline in outline.has("[].credential_id", "[].guid")
    },
    OtherTool(
      "is an XML file that this program does not read",
      "KeePassX 1 and Revelation: open it in KeePassXC and export that"
    ) {
      sample, _ in
      sample.head.ranges(of: Array("<plist".utf8)).isEmpty
        && ["<?xml", "<!DOCTYPE", "<database", "<passwordsafe", "<revelationdata"].contains { sample.begins($0) }
    },
    OtherTool(
      "is an export of this program", .format("json"),
      "use `jsonl` if each line is a record, and name the kind if the records do not",
      "to move a whole vault, copy its folder"
    ) { _, outline in outline.has("$vault") || outline.has("[].$vault") || outline.has("records[].record") },
  ]
}

extension ImportSample {
  /// Whether the file begins with these bytes, after a byte order mark.
  fileprivate func begins(_ bytes: [UInt8]) -> Bool {
    head.starts(with: bytes) || head.starts(with: [0xEF, 0xBB, 0xBF] + bytes)
  }

  fileprivate func begins(_ text: String) -> Bool { begins(Array(text.utf8)) }
}
