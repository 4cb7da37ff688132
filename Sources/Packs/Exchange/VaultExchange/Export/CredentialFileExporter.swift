internal import VaultDocument

/// The netrc file of curl, git and ftp: a machine for each login with a password.
struct NetrcExporter: Exporter {
  private(set) var notes = ExportNotes("netrc")

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    guard let login = NetrcLogin(record) else { return notes.add(.recordsLeftOut(kind: record.kind)) }
    for text in [login.user, login.password] where text.utf8.contains(0) {
      throw ExportError("has a NUL character, which netrc cannot hold", in: record)
    }
    if [login.user, login.password].contains(where: { NetrcLogin.isQuoted($0) }) { notes.add(.quotedWords) }
    if [login.user, login.password].contains(where: { $0.utf8.contains { $0 == 0x0A || $0 == 0x0D } }) {
      notes.add(.escapedLines)
    }
    for path in login.others { notes.add(.valuesLeftOut(member: path, kind: record.kind)) }
  }

  mutating func bytes(of record: ExportedRecord) -> [UInt8] {
    guard let login = NetrcLogin(record) else { return [] }
    return Array(
      login.machines.map { machine in
        let user = login.user.isEmpty ? "" : " login \(NetrcLogin.word(login.user))"
        return "machine \(machine)\(user) password \(NetrcLogin.word(login.password))\n"
      }.joined().utf8)
  }
}

private struct NetrcLogin {
  let machines: [String]
  let user: String
  let password: String
  /// Members that have no place in netrc.
  let others: [String]

  init?(_ record: ExportedRecord) {
    guard record.kind == "login", let password = record.members["password"]?.string, !password.isEmpty else {
      return nil
    }
    let urls = (record.members["urls"]?.array ?? []).compactMap(\.string)
    let hosts = (urls + [record.members["fields"]?["url"]?.string].compactMap(\.self)).compactMap(Self.host)
    let title = record.members["title"]?.string ?? ""
    var seen: Set<String> = []
    machines = (hosts.isEmpty ? [Self.host(of: title)].compactMap(\.self) : hosts).filter { seen.insert($0).inserted }
    guard !machines.isEmpty else { return nil }
    (user, self.password) = (record.members["username"]?.string ?? "", password)
    let known: Set<String> = ["title", "username", "password", "urls"]
    others = record.leaves.filter { !$0.value.isVoid && !known.contains($0.path.top) }.map(\.path.top)
  }

  private static func host(of text: String) -> String? {
    let rest = text.pair(separatedBy: "://")?.behind ?? text[...]
    let place = rest.prefix { !"/?#".contains($0) }
    let host = (place.parts(separatedBy: "@").last ?? place).prefix { $0 != ":" }
    let isHost = host.utf8.allSatisfy {
      $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x2D && $0 <= 0x39 || $0 == 0x5F
    }
    return !host.isEmpty && isHost ? String(host) : nil
  }

  static func isQuoted(_ text: String) -> Bool {
    text.isEmpty || text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
      || text.begins(with: "#")
  }

  /// The text, in quotes if needed, as curl, git and Python read them.
  static func word(_ text: String) -> String {
    guard isQuoted(text) else { return text }
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\n": "\\n"
      case "\r": "\\r"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}

/// The password file of PostgreSQL clients: a line for each PostgreSQL database.
struct PgpassExporter: Exporter {
  private(set) var notes = ExportNotes("pgpass")

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    guard let line = Self.line(of: record) else { return notes.add(.recordsLeftOut(kind: record.kind)) }
    guard !line.utf8.dropLast().contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
      throw ExportError("has a line end or a NUL character, which a line of pgpass cannot hold", in: record)
    }
  }

  mutating func bytes(of record: ExportedRecord) -> [UInt8] { Array((Self.line(of: record) ?? "").utf8) }

  private static func line(of record: ExportedRecord) -> String? {
    guard record.kind == "database", let engine = record.members["engine"]?.string?.lowercased(),
      engine.begins(with: "postgres"), let password = record.members["password"]?.string, !password.isEmpty
    else { return nil }
    let parts = ["host", "port", "database", "user"].map { name -> String in
      guard let text = record.members[name]?.leafText, !text.isEmpty else { return "*" }
      return escaped(text)
    }
    return (parts + [escaped(password)]).joined(separator: ":") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0 == ":" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}

/// Kubernetes Secrets in YAML, one for each record.
struct KubernetesExporter: Exporter {
  /// The largest Secret that a cluster accepts.
  private static let maximumByteCount = 1 << 20

  private(set) var notes = ExportNotes("kubernetes")
  private var surveyed: Set<String> = []
  private var written: Set<String> = []

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    let name = Self.name(of: record)
    if VariableNames.free(name, in: &surveyed, separator: "-") != name { notes.add(.renumbered) }
    let (data, voidCount) = try Self.data(of: record)
    for _ in 0..<voidCount { notes.add(.emptyLeftOut(kind: record.kind)) }
    guard data.reduce(0, { $0 + Base64.decodedCount(of: $1.base64.utf8Span.span) }) <= Self.maximumByteCount else {
      throw ExportError("is larger than 1 MiB, the limit for a Secret", in: record)
    }
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    let name = VariableNames.free(Self.name(of: record), in: &written, separator: "-")
    var members = JSONObject()
    for (key, base64) in try Self.data(of: record).values { members[key] = .string(base64) }
    var writer = YAMLWriter()
    writer.member("apiVersion", "v1")
    writer.member("kind", "Secret")
    writer.member("metadata", .members(["name": name]))
    writer.member("type", "Opaque")
    writer.member("data", .object(members))
    return Array("---\n".utf8) + writer.bytes
  }

  /// A DNS name: lower-case letters, digits and hyphens, at most 253 characters.
  private static func name(of record: ExportedRecord) -> String {
    let words = record.name.lowercased().utf8.split { !($0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39) }
    let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(240)
    return name.isEmpty ? "record-\(record.id.prefix(8))" : String(name)
  }

  /// The values except the title, under keys of letters, digits, `-`, `_` and `.`.
  private static func data(
    of record: ExportedRecord
  ) throws(ExportError) -> (values: [(key: String, base64: String)], voidCount: Int) {
    var (keys, values, voidCount): (Set<String>, [(key: String, base64: String)], Int) = ([], [], 0)
    for (path, value) in record.leaves where path.description != "title" {
      guard !value.isVoid else {
        voidCount += 1
        continue
      }
      var name = path.description
      for map in ["secrets.", "fields."] where name.begins(with: map) { name.removeFirst(map.utf8.count) }
      let words = name.utf8.split { byte in
        !(byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || "-_.".utf8.contains(byte))
      }
      let key = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
      let free = VariableNames.free(key.isEmpty ? "value" : String(key.prefix(240)), in: &keys)
      let text = try value.plainText(in: record)
      values.append((free, record.isBytes(path) ? text : Base64.encode(Array(text.utf8))))
    }
    return (values, voidCount)
  }
}
