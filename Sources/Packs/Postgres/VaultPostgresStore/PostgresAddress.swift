package import VaultDocument
internal import VaultSystem
internal import VaultTrust

/// The address of a vault in a database:
/// `postgresql://[USER@]HOST[:PORT][,HOST[:PORT]]…/DATABASE?vault=NAME[&NAME=VALUE]…`.
package struct PostgresAddress: Equatable, Sendable {
  /// The other settings of an address, which libpq gets under the same names.
  static let settingNames: Set<String> = [
    "channel_binding", "connect_timeout", "host", "krbsrvname", "passfile", "service", "sslcert", "sslcrl", "sslkey",
    "sslmode", "sslrootcert", "target_session_attrs",
  ]

  /// Less would count a change before it is durable, or before standbys have it.
  private static let commits = ["on", "remote_write", "remote_apply"]

  /// The servers that may have the vault, in the order of attempts; at least one.
  package let hosts: [PostgresHost]
  package let database: String
  /// Nil for libpq's default user.
  package let user: String?
  /// The vault's name in the database.
  package let vault: String
  package let schema: String
  /// How far a commit must have come before it counts, in PostgreSQL's words; nil if the server decides.
  package let synchronousCommit: String?
  /// The other settings, by libpq's names.
  package let settings: [String: String]

  package init(parsing text: String) throws(TextFault) {
    guard VaultPlace.isDatabase(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let parts = Parts(of: text)
    else {
      throw TextFault("must have the form postgresql://USER@HOST:PORT/DATABASE?vault=NAME")
    }
    guard parts.user?.contains(":") != true else {
      throw TextFault("must not contain a password, because everybody on this machine could see it")
    }
    var settings = try Self.settings(in: parts.query)
    guard let vault = settings.removeValue(forKey: "vault"), (1...200).contains(vault.utf8.count) else {
      throw TextFault("does not name the vault: it must end with ?vault=NAME")
    }
    guard !parts.database.isEmpty, !parts.database.contains("/"),
      let database = Self.text(of: parts.database)
    else { throw TextFault("does not name one database") }
    let schema = settings.removeValue(forKey: "schema") ?? "vault"
    guard Self.isPlainName(schema) else {
      throw TextFault("must have a schema name of lower-case letters, digits and _")
    }
    synchronousCommit = settings.removeValue(forKey: "synchronous_commit")
    guard synchronousCommit.map(Self.commits.contains) ?? true else {
      throw TextFault("has a synchronous_commit that is not on, remote_write or remote_apply")
    }
    if let name = settings.keys.sorted().first(where: { !Self.settingNames.contains($0) }) {
      throw TextFault(
        name == "password"
          ? "must not contain a password, because everybody on this machine could see it"
          : "has a setting that is not known")
    }
    (self.vault, self.database, self.schema) = (vault, database, schema)
    user = parts.user.flatMap { Self.text(of: $0) }
    guard user != nil || parts.user == nil else { throw TextFault("has a user name that is not text") }
    hosts = try PostgresHost.list(parts.hosts, instead: settings.removeValue(forKey: "host"))
    self.settings = settings
  }

  /// The `NAME=VALUE` settings after the question mark.
  private static func settings(in query: Substring) throws(TextFault) -> [String: String] {
    var settings: [String: String] = [:]
    for part in query.split(separator: "&") {
      let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
      guard let value = Self.text(of: value), settings.updateValue(value, forKey: String(name)) == nil else {
        throw TextFault("has a setting twice, or a setting that is not text")
      }
    }
    return settings
  }

  /// The decoded text of a piece of an address; nil if it is not text, or has control characters.
  private static func text(of piece: Substring) -> String? {
    guard let text = PercentEncoding.text(of: piece), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      return nil
    }
    return text
  }

  /// The encoded pieces of an address, cut like in libpq (PostgreSQL manual, "Connection URIs").
  private struct Parts {
    let user: Substring?
    let hosts: Substring
    let database: Substring
    let query: Substring

    /// Nil without `://` or a host.
    init?(of text: String) {
      guard let mark = text.ranges(of: "://").first else { return nil }
      let rest = text[mark.upperBound...]
      let authority = rest.prefix { !"/?".contains($0) }
      let path = rest[authority.endIndex...].prefix { $0 != "?" }
      query = rest[path.endIndex...].dropFirst()
      database = path.dropFirst()
      let at = authority.firstIndex(of: "@")
      user = at.map { authority[..<$0] }
      hosts = at.map { authority[authority.index(after: $0)...] } ?? authority
      if hosts.isEmpty { return nil }
    }
  }

  /// Whether a name means the same in SQL with and without quotes.
  static func isPlainName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...48).contains(bytes.count) && bytes.first.map { !isDigit($0) } == true
      && bytes.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") || ($0 &- UInt8(ascii: "a")) < 26 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

extension PostgresAddress {
  package var host: String { hosts[0].name }
  package var port: Int { hosts[0].port }

  /// Whether nobody between here and the servers could listen: each is a socket or this machine itself.
  package var isLocal: Bool { hosts.allSatisfy(\.isLocal) }

  /// The kind of server that is asked, in libpq's words: of several hosts the one that takes writes, unless the address
  /// or libpq's environment says otherwise. Nil for any.
  var serverKind: String? {
    settings["target_session_attrs"] ?? ProcessEnvironment.variable("PGTARGETSESSIONATTRS")
      ?? (hosts.count > 1 ? ServerKind.readWrite : nil)
  }

  /// How strictly the server must prove its identity, in libpq's words.
  package var encryption: String { settings["sslmode"] ?? (isLocal ? "prefer" : "verify-full") }

  /// Whether a machine in between could impersonate the server: it is not local, and a full proof is not required.
  package var isOpenToOthers: Bool { !isLocal && encryption != "verify-full" }

  /// The text under which a machine remembers the vault: without user and settings, and independent of the order of
  /// hosts.
  package var canonicalText: String {
    func encoded(_ text: String) -> String { PercentEncoding.encoded(text) }
    let schema = schema == "vault" ? "" : "&schema=\(schema)"
    let places = hosts.map { "\(encoded($0.name)):\($0.port)" }.sorted().joined(separator: ",")
    return "postgresql://\(places)/\(encoded(database))?vault=\(encoded(vault))\(schema)"
  }

  /// libpq's parameters for one of the hosts. They contain no session settings, because poolers refuse those.
  package func parameters(of host: PostgresHost, applicationName: String, password: String?) -> [String: String] {
    var all = settings
    all["host"] = host.name
    all["port"] = String(host.port)
    all["dbname"] = database
    all["user"] = user
    all["password"] = password
    all["application_name"] = applicationName
    all["client_encoding"] = "UTF8"
    all["sslmode"] = encryption
    all["ssl_min_protocol_version"] = "TLSv1.2"
    all["gssencmode"] = "disable"
    // A server that accepts a certificate in place of a password has nothing to bind to the channel.
    if !isLocal, settings["channel_binding"] == nil, settings["sslcert"] == nil { all["channel_binding"] = "require" }
    // A dead connection ends after a minute and a half.
    all["keepalives_idle"] = "30"
    all["keepalives_interval"] = "10"
    all["keepalives_count"] = "6"
    all["tcp_user_timeout"] = "90000"
    return all
  }
}

/// Kinds of servers, as libpq names them.
enum ServerKind {
  static let readWrite = "read-write"

  static func takesWrites(_ kind: String?) -> Bool { kind == readWrite || kind == "primary" }
}
