public import GRDB
import VaultFields
public import VaultSealing

/// A row with sealed columns: each value is bound to its row and column, and one can be searched for.
public struct Account: Codable, FetchableRecord, PersistableRecord, Equatable {
  public enum CodingKeys: String, CodingKey, CaseIterable { case id, email, emailTag, token }

  public static let databaseTableName = "account"

  public var id: Int64
  public var email: EncryptedCodableString
  public var token: EncryptedCodableString

  public init(id: Int64, email: EncryptedCodableString, token: EncryptedCodableString) {
    (self.id, self.email, self.token) = (id, email, token)
  }

  // GRDB makes its own decoders, one context for all rows of a query; the row's id is the row's to say.
  public init(from decoder: any Decoder) throws {
    let columns = try decoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(decoder)
    id = try columns.decode(Int64.self, forKey: .id)
    email = try columns.decode(EncryptedCodableString.self, forKey: .email, in: context.bound(to: "\(id)", "email"))
    token = try columns.decode(EncryptedCodableString.self, forKey: .token, in: context.bound(to: "\(id)", "token"))
  }

  public func encode(to encoder: any Encoder) throws {
    var columns = encoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(encoder)
    try columns.encode(id, forKey: .id)
    try columns.encode(email, forKey: .email, in: context.bound(to: "\(id)", "email"))
    try columns.encode(context.searchTag(of: email, for: "email", bits: 32).number, forKey: .emailTag)
    try columns.encode(token, forKey: .token, in: context.bound(to: "\(id)", "token"))
  }

  /// The rows with an address: those with its tag, opened and compared.
  public static func having(
    _ email: EncryptedCodableString, in database: GRDB.Database, _ context: SealingContext
  ) throws -> [Account] {
    let tags = try context.searchTags(of: email, for: "email", bits: 32).map(\.number)
    return try filter(tags.contains(Column("emailTag"))).fetchAll(database).filter { $0.email == email }
  }
}

extension Account {
  /// The table of accounts; a tag has an index, as a column in clear text would.
  public static func createTable(in database: GRDB.Database) throws {
    try database.create(table: databaseTableName) { table in
      table.primaryKey("id", .integer)
      table.column("email", .text).notNull()
      table.column("emailTag", .integer).notNull().indexed()
      table.column("token", .text).notNull()
    }
  }
}

/// A sealed value as a column of its own, without a record around it.
public struct SealedColumn: DatabaseValueConvertible {
  public var token: String

  public var databaseValue: DatabaseValue { token.databaseValue }

  public static func fromDatabaseValue(_ value: DatabaseValue) -> SealedColumn? {
    String.fromDatabaseValue(value).map(SealedColumn.init)
  }
}
