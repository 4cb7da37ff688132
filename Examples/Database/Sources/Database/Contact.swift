import GRDB
import VaultCrypto
import VaultSealing

/// The context of all rows of this program.
enum Sealing {
  static let context = sealing()

  /// A program reads its key from where it keeps keys.
  private static func sealing() -> SealingContext {
    do {
      return try SealingContext(applicationKey: SecretBytes.random(count: 32), bound: ["contacts"])
    } catch {
      fatalError("no key: \(error)")
    }
  }
}

struct Contact: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var phone: EncryptedCodableString

  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [.sealingContext: Sealing.context] }
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.sealingContext: Sealing.context] }
}

extension Contact {
  /// A row that GRDB encodes and decodes by itself.
  static func roundTrip() throws -> Bool {
    let database = try DatabaseQueue()
    return try database.write { database in
      try database.create(table: databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("phone", .text).notNull()
      }
      try Contact(id: 1, phone: "sample-phone").insert(database)
      let text = try String.fetchOne(database, sql: "SELECT phone FROM contact") ?? ""
      let phone = try Contact.fetchOne(database, key: 1)?.phone.reveal()
      return phone == "sample-phone" && text.hasPrefix("es1:")
    }
  }
}
