internal import VaultCrypto
internal import VaultDocument

/// Bitwarden's JSON: logins, cards, SSH keys and secure notes. Every other kind becomes a secure note.
struct BitwardenExporter: Exporter {
  private(set) var notes = ExportNotes("bitwarden")
  private var folders: [String: String] = [:]
  private var isFirst = true

  private enum Form: Int {
    case login = 1
    case note = 2
    case card = 3
    case key = 5

    init(kind: String) {
      self =
        switch kind {
        case "login": .login
        case "payment-card": .card
        case "ssh-key": .key
        default: .note
        }
    }

    var texts: Set<String> {
      switch self {
      case .login: ["title", "notes", "username", "password", "totp"]
      case .note: ["title", "text"]
      case .card: ["title", "holder", "number", "expiry", "security_code", "extra.notes"]
      case .key: ["title", "private_key", "public_key", "fingerprint", "extra.notes"]
      }
    }
  }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    let form = Form(kind: record.kind)
    if form == .note, record.kind != "secure-note" {
      notes.add(
        .becoming(
          "a secure note, with all members as custom fields",
          many: "secure notes, with all members as custom fields", kind: record.kind))
    }
    var parts = try EntryParts(record, known: form.texts)
    for _ in 0..<parts.voidCount { notes.add(.emptyLeftOut(kind: record.kind)) }
    _ = Self.flags(&parts)
    for _ in 0..<BitwardenPlaces(&parts, isLogin: form == .login).strayCount { notes.add(.stray(kind: record.kind)) }
    for value in record.former where !Self.isPassword(value.path) {
      notes.add(.valuesLeftOut(member: "former \(value.path.top)", kind: record.kind))
    }
    if let folder = parts.tags.first { folders[folder] = try Self.folderID(folder) }
  }

  mutating func begin() throws(ExportError) -> [UInt8] {
    let list = folders.sorted { $0.value < $1.value }
      .map { name, id in JSONValue.members(["id": id, "name": name]) }
    return Array("{\"encrypted\":false,\"folders\":".utf8) + (try Self.text(.array(list))) + Array(",\"items\":[".utf8)
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    let form = Form(kind: record.kind)
    var parts = try EntryParts(record, known: form.texts)
    var item = Self.flags(&parts)
    item["folderId"] = .null
    if let folder = parts.tags.first {
      guard let id = folders[folder] else { throw .changed(record) }
      item["folderId"] = .string(id)
    }
    item["id"] = .string(parts.takeID(of: "bitwarden-json") { Identifier(parsing: $0) != nil } ?? record.id)
    item["type"] = .number(JSONNumber(form.rawValue))
    item["name"] = .string(parts.texts["title"] ?? record.name)
    for (member, name) in [
      ("creationDate", "created"), ("revisionDate", "modified"), ("deletedDate", "deleted"),
      ("archivedDate", "archived"),
    ] { item[member] = parts.takeReadable(name, if: EntryParts.isDate).map { .string($0) } }
    Self.fill(&item, form: form, parts: &parts)
    let places = BitwardenPlaces(&parts, isLogin: form == .login)
    places.fill(&item)
    let former = record.former.filter { Self.isPassword($0.path) }.map { value in
      JSONValue.members(["lastUsedDate": value.sealedAt.text, "password": value.value])
    }
    if !former.isEmpty { item["passwordHistory"] = .array(former + (item["passwordHistory"]?.array ?? [])) }
    let fields =
      parts.tags.dropFirst().map { Self.field("tag", $0, isSealed: false) }
      + parts.extras.map { Self.field($0.name, $0.text, isSealed: $0.isSealed) }
      + places.links.map { Self.link($0.name, $0.target) }
    item["fields"] = fields.isEmpty ? nil : .array(fields)
    defer { isFirst = false }
    return Array((isFirst ? "\n" : ",\n").utf8) + (try Self.text(.object(item)))
  }

  /// Whether an import keeps old passwords at the path: a kind without a password has them under its other values.
  private static func isPassword(_ path: MemberPath) -> Bool {
    ["password", "secrets.password", "extra.password"].contains(path.description)
  }

  mutating func end() -> [UInt8] { Array("\n]}\n".utf8) }

  /// The members for states that Bitwarden marks.
  private static func flags(_ parts: inout EntryParts) -> JSONObject {
    var item = JSONObject()
    item["favorite"] = .bool(parts.takeTag("favorite"))
    item["reprompt"] = parts.takeTag("reprompt") ? 1 : 0
    // A known date already says that the entry is deleted or archived.
    for tag in ["deleted", "archived"]
    where parts.extras.contains(where: { $0.name == tag && EntryParts.isDate($0.text) }) { _ = parts.takeTag(tag) }
    return item
  }

  private static func fill(_ item: inout JSONObject, form: Form, parts: inout EntryParts) {
    func text(_ name: String) -> JSONValue { parts.texts[name].map { .string($0) } ?? .null }
    item["notes"] = text(form == .login ? "notes" : form == .note ? "text" : "extra.notes")
    switch form {
    case .login:
      var login = JSONObject()
      login["uris"] = .array(parts.urls.map { JSONValue.members(["match": JSONValue.null, "uri": $0]) })
      for name in ["username", "password", "totp"] { login[name] = text(name) }
      if let date = parts.takeReadable("password changed", if: EntryParts.isDate) {
        login["passwordRevisionDate"] = .string(date)
      }
      item["login"] = .object(login)
    case .note: item["secureNote"] = .members(["type": 0])
    case .card:
      let expiry = parts.texts["expiry"].map(Self.month)
      item["card"] = .members([
        "cardholderName": text("holder"), "number": text("number"), "code": text("security_code"),
        "expMonth": expiry?.month, "expYear": expiry?.year, "brand": parts.take("brand"),
      ])
    case .key:
      item["sshKey"] = .members([
        "privateKey": text("private_key"), "publicKey": text("public_key"), "keyFingerprint": text("fingerprint"),
      ])
    }
  }

  /// The month and year, such as `1` and `2030` from `2030-01`. The year of `01/30` has no century.
  private static func month(_ expiry: String) -> (month: String, year: String) {
    let parts = expiry.split { $0 == "/" || $0 == "-" }.map(String.init)
    guard parts.count == 2 else { return (expiry, "") }
    let (month, year) = parts[0].utf8.count == 4 ? (parts[1], parts[0]) : (parts[0], parts[1])
    return (Int(month).map { String($0) } ?? month, year)
  }

  private static func field(_ name: String, _ text: String, isSealed: Bool) -> JSONValue {
    let isFlag = !isSealed && (text == "true" || text == "false")
    return .members(["name": name, "value": text, "type": isSealed ? 1 : isFlag ? 2 : 0])
  }

  /// A field that shows the value of another field.
  private static func link(_ name: String, _ target: Int) -> JSONValue {
    .members(["linkedId": target, "name": name, "type": 3, "value": JSONValue.null])
  }

  /// The UUID of a folder, which is the same in every export.
  private static func folderID(_ name: String) throws(ExportError) -> String {
    do throws(ExchangeError) {
      let hex = Array(try ContentHash.hex(of: ["folder", name]))
      return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    } catch {
      throw ExportError("a folder could not be named", underlying: error)
    }
  }

  private static func text(_ value: JSONValue) throws(ExportError) -> [UInt8] {
    do throws(DocumentError) {
      return try value.compactBytes(limits: .exchange)
    } catch {
      throw ExportError.notJSON(underlying: error)
    }
  }
}
