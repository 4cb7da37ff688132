internal import VaultDocument

/// Where a vault lies in a database: `postgresql://[USER@]HOST[:PORT]/DATABASE?vault=NAME[&NAME=VALUE]…`.
public struct PostgresAddress: Sendable {
  /// Why a text is no such address: a fixed sentence without any of its text.
  public struct Fault: Error, Sendable {
    /// A fixed sentence.
    public let reason: String
  }

  /// What else an address may say, which is handed on to libpq by its own names.
  static let settingNames: Set<String> = [
    "channel_binding", "connect_timeout", "host", "krbsrvname", "passfile", "service", "sslcert", "sslcrl", "sslkey",
    "sslmode", "sslrootcert", "target_session_attrs",
  ]

  /// Lower case; an IPv6 address without brackets; a path for a socket.
  public let host: String
  /// The port, 5432 where the address says none.
  public let port: Int
  /// The name of the database.
  public let database: String
  /// Nil for the user that libpq takes by itself.
  public let user: String?
  /// The vault's name among those in the database.
  public let vault: String
  /// The schema in which the tables are.
  public let schema: String
  /// What else it says, by libpq's names.
  let settings: [String: String]

  /// Whether a text is meant as an address of a database: it may still be a faulty one.
  public static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
  }

  /// Takes an address apart.
  ///
  /// - Throws: ``Fault`` for any other text, for one with a password, and for a setting that is not known.
  public init(parsing text: String) throws(Fault) {
    guard Self.isAddress(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      let address = WebAddress(parsing: text)
    else { throw Fault(reason: "is not written postgresql://USER@HOST:PORT/DATABASE?vault=NAME") }
    guard address.user?.contains(":") != true else {
      throw Fault(reason: "holds a password, which everybody on this machine could see")
    }
    var settings = try Self.settings(of: text)
    guard let vault = settings.removeValue(forKey: "vault"), (1...200).contains(vault.utf8.count) else {
      throw Fault(reason: "does not name the vault: it ends with ?vault=NAME")
    }
    guard address.segments.count == 1, let database = PercentEncoding.text(of: address.segments[0]) else {
      throw Fault(reason: "does not name one database")
    }
    let schema = settings.removeValue(forKey: "schema") ?? "vault"
    guard Self.isPlainName(schema) else {
      throw Fault(reason: "names a schema that is not of lower-case letters, digits and _")
    }
    if let name = settings.keys.sorted().first(where: { !Self.settingNames.contains($0) }) {
      throw Fault(
        reason: name == "password"
          ? "holds a password, which everybody on this machine could see" : "has a setting that is not known")
    }
    (self.vault, self.database, self.schema) = (vault, database, schema)
    host = settings.removeValue(forKey: "host") ?? Self.withoutBrackets(address.host)
    port = address.port ?? 5432
    user = address.user.flatMap { PercentEncoding.text(of: $0) }
    self.settings = settings
  }

  /// `NAME=VALUE` of the part behind the question mark.
  private static func settings(of text: String) throws(Fault) -> [String: String] {
    var settings: [String: String] = [:]
    for part in text.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
      let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
      guard let value = PercentEncoding.text(of: value), !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
        settings.updateValue(value, forKey: String(name)) == nil
      else { throw Fault(reason: "has a setting twice, or one that is no text") }
    }
    return settings
  }

  private static func withoutBrackets(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }

  /// A name that means the same in SQL with quotes and without.
  static func isPlainName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...48).contains(bytes.count) && bytes.first.map { !isDigit($0) } == true
      && bytes.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") || ($0 &- UInt8(ascii: "a")) < 26 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

extension PostgresAddress {
  /// Whether nothing between here and the server could listen: a socket, or this machine itself.
  public var isLocal: Bool {
    host.hasPrefix("/") || host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// How far the server has to prove who it is, in libpq's words.
  public var encryption: String { settings["sslmode"] ?? (isLocal ? "prefer" : "verify-full") }

  /// Whether somebody between could pass for the server: it is not local, and asked for less than a proof.
  public var isOpenToOthers: Bool { !isLocal && encryption != "verify-full" }

  /// The place by which a machine remembers the vault: without user and settings.
  public var canonicalText: String {
    func encoded(_ text: String) -> String { PercentEncoding.encoded(text) }
    let schema = schema == "vault" ? "" : "&schema=\(schema)"
    return "postgresql://\(encoded(host)):\(port)/\(encoded(database))?vault=\(encoded(vault))\(schema)"
  }

  /// What libpq is asked for. The session's own settings are not among them: poolers refuse those.
  func parameters(applicationName: String, password: String?) -> [String: String] {
    var all = settings
    all["host"] = host
    all["port"] = String(port)
    all["dbname"] = database
    all["user"] = user
    all["password"] = password
    all["application_name"] = applicationName
    all["client_encoding"] = "UTF8"
    all["sslmode"] = encryption
    all["ssl_min_protocol_version"] = "TLSv1.2"
    all["gssencmode"] = "disable"
    if !isLocal, settings["channel_binding"] == nil { all["channel_binding"] = "require" }
    if settings["connect_timeout"] == nil { all["connect_timeout"] = "10" }
    // A connection of which nothing comes any more ends after a minute and a half.
    all["keepalives_idle"] = "30"
    all["keepalives_interval"] = "10"
    all["keepalives_count"] = "6"
    all["tcp_user_timeout"] = "90000"
    return all
  }
}
