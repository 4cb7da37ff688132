internal import VaultDocument
internal import VaultRecords

extension ImportFormats {
  static let codes: [any Importer] = [
    OtpauthImporter(), TreeImporter.aegis, TreeImporter.andOTP, TreeImporter.authy, TreeImporter.duo,
    TreeImporter.freeOTP,
    TreeImporter.protonAuthenticator, TreeImporter.raivo, TreeImporter.steam, TreeImporter.stratum,
    TreeImporter.twoFAS,
  ]
}

extension ImportFormat {
  fileprivate init(codes name: String, _ title: String, versions: String, keeps: String = "") {
    self.init(
      name, title: title, versions: versions,
      keeps: "each account as a login with `totp`, issuer and account as title and user name\(keeps); icons and order "
        + "are left out")
  }
}

extension TreeImporter {
  private static let base: [String: LeafRule] = [
    "issuer": .code("issuer"), "secret": .code("secret"), "algorithm": .code("algorithm"), "digits": .code("digits"),
    "period": .code("period"), "counter": .code("counter"), "type": .code("type"),
  ]

  private static func rules(
    _ own: [String: LeafRule], subtrees: [String: TreeRules.Subtree] = [:]
  ) -> TreeRules {
    TreeRules(leaves: base.merging(own) { _, own in own }, subtrees: subtrees)
  }

  static let aegis = TreeImporter(
    format: ImportFormat(
      codes: "aegis", "Aegis", versions: "1 to 3, in clear or with a password", keeps: ", groups as tags, notes"),
    detected: { $0.outline.has("db.entries", "header") || $0.outline.has("db", "header.slots") },
    list: ["db", "entries"],
    rules: rules([
      "uuid": .identifier, "name": .code("account"), "note": .notes, "favorite": .flag("favorite"),
      "info.secret": .code("secret"), "info.algo": .code("algorithm"), "info.digits": .code("digits"),
      "info.period": .code("period"), "info.counter": .code("counter"), "info.pin": .code("pin"),
      "group": .known(as: "tags"), "groups[]": .known(as: "tags"), "icon": .shown, "icon_mime": .shown,
      "icon_hash": .shown,
    ]),
    groups: Groups(member: "groups", list: ["db", "groups"], id: "uuid", name: "name"), opened: AegisVault.opened,
    finish: addCode)

  static let twoFAS = TreeImporter(
    format: ImportFormat(
      codes: "2fas", "2FAS", versions: "schemas 1 to 4, in clear or with a password", keeps: ", groups as tags"),
    detected: {
      $0.outline.has("services", "appOrigin") || $0.outline.has("services", "schemaVersion")
        || $0.outline.has("servicesEncrypted")
    }, list: ["services"],
    rules: rules(
      [
        "name": .title, "otp.account": .code("account"), "otp.issuer": .code("issuer"), "otp.digits": .code("digits"),
        "otp.period": .code("period"), "otp.algorithm": .code("algorithm"), "otp.counter": .code("counter"),
        "otp.tokenType": .code("type"), "otp.label": .shown, "otp.source": .shown, "otp.link": .shown, "type": .shown,
        "updatedAt": .milliseconds("modified"), "groupId": .known(as: "tags"), "serviceTypeID": .shown,
        "serviceTypeId": .shown,
      ], subtrees: ["order": TreeRules.hidden, "icon": TreeRules.hidden, "badge": TreeRules.hidden]),
    groups: Groups(member: "groupId", list: ["groups"], id: "id", name: "name"), opened: TwoFASBackup.opened,
    finish: addCode)

  static let andOTP = TreeImporter(
    format: ImportFormat(
      codes: "andotp", "andOTP", versions: "all, in clear or with a password (named *.json.aes)", keeps: ", tags"),
    detected: {
      $0.outline.has("[].secret", "[].label", "[].digits", "[].type")
        || $0.name.lowercased().hasSuffix(".json.aes") && $0.outline.paths.isEmpty
    }, list: [],
    rules: rules([
      "label": .code("account"), "tags[]": .tag, "thumbnail": .shown, "last_used": .milliseconds("last_used"),
      "used_frequency": .shown,
    ]), parsed: AndOTPBackup.parsed, finish: addCode)

  static let authy = TreeImporter(
    format: ImportFormat(
      codes: "authy", "Authy",
      versions: "com.authy.storage.tokens.authenticator.xml of Android, in clear or with a password",
      keeps: ", dates"),
    detected: AuthySettings.detected, list: ["tokens"],
    rules: rules([
      "decryptedSecret": .code("secret"), "originalIssuer": .code("issuer"), "name": .code("name"),
      "originalName": .code("original name"), "id": .identifier, "timestamp": .seconds("modified"),
      "accountType": .shown, "logo": .shown, "hidden": .shown, "isNew": .shown, "upload_state": .shown,
    ]), parsed: AuthySettings.parsed,
    finish: { builder in
      AuthySettings.tellNames(&builder)
      addCode(&builder)
    })

  static let freeOTP = TreeImporter(
    format: ImportFormat(
      codes: "freeotp", "FreeOTP, FreeOTP+",
      versions: "JSON; tokens.xml of Android, version 1; the backup of version 2, with its password"),
    detected: {
      $0.outline.has("tokens", "tokenOrder") || $0.outline.has("tokens[].secret", "tokens[].label")
        || FreeOTPSettings.detected($0)
    },
    list: ["tokens"],
    rules: rules(
      [
        "algo": .code("algorithm"), "issuerExt": .code("issuer"), "issuerInt": .shown, "label": .code("account"),
        "image": .shown, "imageAlt": .shown,
      ], subtrees: ["secret": bytes]), parsed: FreeOTPSettings.parsed,
    finish: { builder in
      // The app recognises Steam codes by the issuer.
      if builder.parts["issuer"].map({ sameBytes($0, "Steam") }) ?? false, builder.parts["type"] != "HOTP" {
        builder.parts["type"] = "steam"
      }
      addCode(&builder)
    })

  static let raivo = TreeImporter(
    format: ImportFormat(codes: "raivo", "Raivo OTP", versions: "the JSON in its zip file", keeps: ", pinned as a tag"),
    detected: { $0.outline.has("[].account", "[].secret", "[].kind", "[].timer") }, list: [],
    rules: rules([
      "account": .code("account"), "kind": .code("type"), "timer": .code("period"), "pinned": .flag("pinned"),
      "iconType": .shown, "iconValue": .shown,
    ]), finish: addCode)

  static let stratum = TreeImporter(
    format: ImportFormat(
      codes: "stratum", "Stratum (Authenticator Pro)", versions: "JSON, in clear"),
    detected: { $0.outline.has("Authenticators[].Secret", "Authenticators[].Type") }, list: ["Authenticators"],
    rules: rules([
      "Issuer": .code("issuer"), "Username": .code("account"), "Secret": .code("secret"), "Digits": .code("digits"),
      "Period": .code("period"), "Counter": .code("counter"), "Pin": .code("pin"), "Icon": .shown, "Ranking": .shown,
      "CopyCount": .shown, "Algorithm": .code("algorithm", ["0": "SHA1", "1": "SHA256", "2": "SHA512"]),
      "Type": .code("type", ["1": "hotp", "2": "totp", "3": "motp", "4": "steam", "5": "yandex"]),
    ]), finish: addCode)

  static let duo = TreeImporter(
    format: ImportFormat(codes: "duo", "Duo Mobile", versions: "accounts.json, accounts of other services"),
    detected: { $0.outline.has("[].otpGenerator.otpSecret", "[].name") }, list: [],
    rules: rules([
      "name": .code("account"), "otpGenerator.otpSecret": .code("secret"), "otpGenerator.counter": .counter,
      "accountType": .shown, "logoUri": .shown, "hideOrDisplay": .shown,
    ]), finish: addCode)

  static let protonAuthenticator = TreeImporter(
    format: ImportFormat(codes: "proton-authenticator", "Proton Authenticator", versions: "JSON, in clear"),
    detected: { $0.outline.has("entries[].content.uri", "entries[].id") }, list: ["entries"],
    rules: rules([
      "id": .identifier, "content.uri": .codeAddress, "content.name": .code("account"), "content.entry_type": .shown,
      "note": .notes,
    ]), finish: addCode)

  static let steam = TreeImporter(
    format: ImportFormat(
      codes: "steam", "Steam Guard", versions: "the accounts of Steam for Android, or one alone",
      keeps: ", identity and revocation as secrets"),
    detected: { sample in
      ["identity_secret", "serial_number", "revocation_code"].contains { sample.outline.has("shared_secret", $0) }
        || sample.outline.paths.contains { $0.hasPrefix("accounts.") && $0.hasSuffix(".shared_secret") }
    },
    list: ["accounts"],
    rules: rules(
      [
        "account_name": .username, "steamid": .identifier, "uri": .shown, "status": .shown, "server_time": .shown,
        "steamguard_scheme": .shown,
      ], subtrees: ["shared_secret": sharedSecret]),
    // Earlier versions have a file for each account.
    opened: { document, _ in
      document["shared_secret"] == nil ? document : .members(["accounts": JSONValue.members(["account": document])])
    }, finish: addCode)

  @Sendable private static func addCode(_ builder: inout RecordBuilder) { builder.addCode() }

  /// Takes a key that is a list of signed bytes.
  private static let bytes: TreeRules.Subtree = { builder, value, place in
    let bytes = value.array?.compactMap { Int8($0.leafText) } ?? []
    let isKey = !bytes.isEmpty && bytes.count == value.array?.count
    if isKey { builder.parts["secret"] = Base32.encode(bytes.map { UInt8(bitPattern: $0) }) }
    for (path, leaf) in value.leafPaths(at: .root) {
      let rule = isKey ? LeafRule.known(as: "totp") : .secret("secret")
      builder.take(leaf.leafText, from: place.below(path), by: rule)
    }
  }

  /// Takes a key in base64, for Steam codes.
  private static let sharedSecret: TreeRules.Subtree = { builder, value, place in
    guard let text = value.string, let bytes = try? Base64.decode(text), !bytes.isEmpty else {
      return builder.take(value.leafText, from: place, by: .secret("shared_secret"))
    }
    (builder.parts["secret"], builder.parts["type"], builder.parts["issuer"]) = (Base32.encode(bytes), "steam", "Steam")
    builder.note(place, .mapped(to: "totp"))
  }
}

extension LeafRule {
  /// Takes a counter, which only HOTP has.
  fileprivate static let counter = LeafRule { builder, text, place in
    builder.parts["type"] = "hotp"
    code("counter").apply(&builder, text, place)
  }
}
