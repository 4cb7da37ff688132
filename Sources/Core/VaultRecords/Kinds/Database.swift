internal import VaultDocument
public import VaultSealing

/// The access data of a database.
public struct Database: DescribedRecord, Equatable {
  /// The title in lists; without it, the name of the database or the host.
  public var title: String?
  /// The scheme of its address: `postgresql`, `mysql`, `redis`.
  public var engine: String
  /// The name or address of the machine.
  public var host: String
  /// The port, 1…65535; nil for the default port of the engine.
  public var port: Int?
  /// The name of the database on that machine.
  public var database: String?
  /// The user name.
  public var user: String?
  /// Secret.
  public var password: EncryptedCodableString?
  /// Words to find it by.
  public var tags: [String]

  /// The access data of a database; only engine and host are required.
  public init(
    title: String? = nil, engine: String, host: String, port: Int? = nil, database: String? = nil, user: String? = nil,
    password: EncryptedCodableString? = nil, tags: [String] = []
  ) {
    self.title = title
    self.engine = engine
    self.host = host
    self.port = port
    self.database = database
    self.user = user
    self.password = password
    self.tags = tags
  }

  /// The address for programs to connect to, including user and password (RFC 3986):
  /// `engine://user:password@host:port/database`.
  ///
  /// - Throws: `SealingError` if the password was read without a key.
  public func connectionURL() throws(SealingError) -> String {
    var credentials = user.map(PercentEncoding.encoded) ?? ""
    if let password { credentials += ":" + PercentEncoding.encoded(try password.reveal()) }
    // An IPv6 address contains colons.
    let place = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : PercentEncoding.encoded(host)
    let port = port.map { ":\($0)" } ?? ""
    let path = database.map { "/" + PercentEncoding.encoded($0) } ?? ""
    return "\(engine)://\(credentials.isEmpty ? "" : credentials + "@")\(place)\(port)\(path)"
  }
}

extension Database {
  public static var kindName: String { "database" }
  public static var summary: String { "How to reach a database; its address is made from the fields." }
  public static var titlePaths: [String] { ["title", "database", "host"] }
  public static let blank = Database(engine: "", host: "")
  public static let members: [Member<Database>] = [
    Member("title", \.title, "Title", as: .name),
    Member(
      "engine", \.engine, "Engine",
      as: .text("^[A-Za-z][A-Za-z0-9+.-]*$", otherwise: "must be one word, such as postgresql")),
    Member("host", \.host, "Host", as: .name),
    Member("port", \.port, "Port", as: .port),
    Member("database", \.database, "Database"),
    Member("user", \.user, "User"),
    Member("password", \.password, "Password", secret: .password),
    .tags(\.tags),
  ]
}
