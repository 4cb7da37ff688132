import GRDB
import VaultCrypto
import VaultSealing

/// A row whose column `token` is sealed: GRDB encodes and decodes rows with Codable, and a sealed member is text.
struct Account: Codable, FetchableRecord, PersistableRecord, Equatable {
  static let databaseTableName = "account"

  var id: Int64
  var user: String
  var token: EncryptedCodableString
  var recoveryCodes: Sealed<[String]>?
}

struct WrongResult: Error {}

@main
struct Database {
  static func main() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["accounts"])
    let accounts = [
      Account(id: 1, user: "ada", token: "sample-token-1", recoveryCodes: Sealed(["sample-code-1", "sample-code-2"])),
      Account(id: 2, user: "bo", token: "sample-token-2", recoveryCodes: nil),
    ]
    let database = try DatabaseQueue()
    try database.write { database in
      try database.create(table: Account.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("user", .text).notNull()
        table.column("token", .text).notNull()
        table.column("recoveryCodes", .text)
      }
    }
    // GRDB makes its own encoders, so the context comes from the task; closures of `write` run in its dynamic extent.
    try write(accounts, to: database, context)
    let texts = try database.read {
      try String.fetchAll($0, sql: "SELECT token || ifnull(recoveryCodes, '') FROM account")
    }
    guard texts.allSatisfy({ $0.hasPrefix("es1:") && !$0.contains("sample") }) else { throw WrongResult() }
    guard try read(from: database, context) == accounts else { throw WrongResult() }
    guard (try? read(from: database, nil)) == nil else { throw WrongResult() }
    print("Database: \(accounts.count) rows with sealed columns came back the same; without the key none did")
  }

  private static func write(_ accounts: [Account], to database: DatabaseQueue, _ context: SealingContext) throws {
    try database.write { database in
      try SealingContext.$current.withValue(context) { for account in accounts { try account.insert(database) } }
    }
  }

  private static func read(from database: DatabaseQueue, _ context: SealingContext?) throws -> [Account] {
    try database.read { database in
      try SealingContext.$current.withValue(context) { try Account.order(sql: "id").fetchAll(database) }
    }
  }
}
