import Accounts
import GRDB
import VaultCrypto
import VaultSealing

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

    // Anybody who can write to the database can swap two values.
    let exchange = "UPDATE account SET token = (SELECT token FROM account WHERE id = 2) WHERE id = 1"
    try database.write { try $0.execute(sql: exchange) }
    try check((try? read(from: database, after)) == nil)
    try check(Contact.roundTrip())
    print("Database: \(accounts.count) rows were found by sealed values under two keys; exchanged values were refused")
  }

  private static func emptyDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write(Account.createTable)
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
