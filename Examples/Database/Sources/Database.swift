import GRDB
import VaultCrypto
import VaultSealing

/// A row with sealed columns: each value is bound to its row and column, and one can be searched for.
struct Account: Codable, FetchableRecord, PersistableRecord, Equatable {
  enum CodingKeys: String, CodingKey, CaseIterable { case id, email, emailTag, token }

  static let databaseTableName = "account"

  var id: Int64
  var email: EncryptedCodableString
  var token: EncryptedCodableString

  init(id: Int64, email: EncryptedCodableString, token: EncryptedCodableString) {
    (self.id, self.email, self.token) = (id, email, token)
  }

  // GRDB makes its own decoders, one context for all rows of a query; the row's id is the row's to say.
  init(from decoder: any Decoder) throws {
    let columns = try decoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(decoder)
    id = try columns.decode(Int64.self, forKey: .id)
    email = try columns.decode(EncryptedCodableString.self, forKey: .email, in: context.bound(to: "\(id)", "email"))
    token = try columns.decode(EncryptedCodableString.self, forKey: .token, in: context.bound(to: "\(id)", "token"))
  }

  func encode(to encoder: any Encoder) throws {
    var columns = encoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(encoder)
    try columns.encode(id, forKey: .id)
    try columns.encode(email, forKey: .email, in: context.bound(to: "\(id)", "email"))
    try columns.encode(context.searchTag(of: email, for: "email", bits: 32).number, forKey: .emailTag)
    try columns.encode(token, forKey: .token, in: context.bound(to: "\(id)", "token"))
  }

  /// The rows with an address: those with its tag, opened and compared.
  static func having(
    _ email: EncryptedCodableString, in database: GRDB.Database, _ context: SealingContext
  ) throws -> [Account] {
    let tags = try context.searchTags(of: email, for: "email", bits: 32).map(\.number)
    return try filter(tags.contains(Column("emailTag"))).fetchAll(database).filter { $0.email == email }
  }
}

/// A sealed value as a column of its own, without a record around it.
struct SealedColumn: DatabaseValueConvertible {
  var token: String

  var databaseValue: DatabaseValue { token.databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> SealedColumn? {
    String.fromDatabaseValue(value).map(SealedColumn.init)
  }
}

struct WrongResult: Error {}

@main
struct Database {
  static func main() throws {
    let (old, new) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
    let before = try SealingContext(keys: [old], bound: ["accounts"])
    let accounts = (1...100).map { number in
      Account(
        id: Int64(number), email: EncryptedCodableString("sample\(number)@example.com"),
        token: EncryptedCodableString("sample-token-\(number)"))
    }
    let database = try emptyDatabase()
    try write(accounts, to: database, before)
    try check(try read(from: database, before) == accounts)
    let texts = try database.read { try String.fetchAll($0, sql: "SELECT email || token FROM account") }
    try check(texts.allSatisfy { $0.hasPrefix("es1:") && !$0.contains("sample") })
    try check((try? read(from: database, nil)) == nil)

    // A new key: readers know both while rows go over one by one.
    let both = try SealingContext(keys: [new, old], bound: ["accounts"])
    try find(accounts[6], in: database, both)
    for account in try read(from: database, both).prefix(50) { try write([account], to: database, both) }
    try find(accounts[6], in: database, both)
    try find(accounts[66], in: database, both)
    for account in try read(from: database, both) { try write([account], to: database, both) }
    let after = try SealingContext(keys: [new], bound: ["accounts"])
    try check(try read(from: database, after) == accounts)
    try find(accounts[66], in: database, after)
    let column = try database.read { try SealedColumn.fetchOne($0, sql: "SELECT token FROM account WHERE id = 7") }
    try check(try column.map { try after.isCurrent($0.token) } == true)

    // Whoever can write to the database exchanges two values.
    let exchange = "UPDATE account SET token = (SELECT token FROM account WHERE id = 2) WHERE id = 1"
    try database.write { try $0.execute(sql: exchange) }
    try check((try? read(from: database, after)) == nil)
    print("Database: \(accounts.count) rows were found by sealed values under two keys; exchanged values were refused")
  }

  private static func emptyDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { database in
      try database.create(table: Account.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("email", .text).notNull()
        table.column("emailTag", .integer).notNull().indexed()
        table.column("token", .text).notNull()
      }
    }
    return database
  }

  private static func check(_ condition: Bool) throws { if !condition { throw WrongResult() } }

  private static func find(_ account: Account, in database: DatabaseQueue, _ context: SealingContext) throws {
    let found = try database.read { database in
      try SealingContext.$current.withValue(context) { try Account.having(account.email, in: database, context) }
    }
    try check(found == [account])
  }

  // The context comes from the task; closures of `write` run in its dynamic extent.
  private static func write(_ accounts: [Account], to database: DatabaseQueue, _ context: SealingContext) throws {
    try database.write { database in
      try SealingContext.$current.withValue(context) { for account in accounts { try account.upsert(database) } }
    }
  }

  private static func read(from database: DatabaseQueue, _ context: SealingContext?) throws -> [Account] {
    try database.read { database in
      try SealingContext.$current.withValue(context) { try Account.order(sql: "id").fetchAll(database) }
    }
  }
}
