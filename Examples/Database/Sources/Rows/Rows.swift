import Accounts
import Foundation
import GRDB
import Synchronization
import VaultCrypto
import VaultSealing

/// Sealed columns at size, beside the same table in clear text: `Rows [COUNT]`. Use a release build.
///
/// One line for each figure: the measurement, the value, and the limit if it has one. Ends with 1 if anything is wrong
/// or above its limit.
@main
struct Rows {
  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-rows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rows = try Rows(database: DatabasePool(path: folder.appending(path: "rows.sqlite").path), count: count)
    try rows.fill()
    let isFast = try rows.search()
    try rows.rotate()
    try rows.exchange()
    if !isFast { exit(1) }
  }

  let database: DatabasePool
  let count: Int
  private let keys: (old: SecretBytes, new: SecretBytes)

  init(database: DatabasePool, count: Int) throws {
    (self.database, self.count) = (database, count)
    keys = (try .random(count: 32), try .random(count: 32))
  }

  private func context(_ keys: [SecretBytes]) throws -> SealingContext {
    try SealingContext(keys: keys, bound: ["accounts"])
  }

  private func account(_ number: Int) -> Account {
    Account(
      id: Int64(number), email: EncryptedCodableString("sample\(number)@example.com"),
      token: EncryptedCodableString("sample-token-\(number)"))
  }

  private func fill() throws {
    let context = try context([keys.old])
    let time = try ContinuousClock().measure {
      try database.write { database in
        try Account.createTable(in: database)
        try database.create(table: Plain.databaseTableName) { table in
          table.primaryKey("id", .integer)
          table.column("email", .text).notNull().indexed()
          table.column("token", .text).notNull()
        }
        try SealingContext.$current.withValue(context) {
          for number in 1...count { try account(number).insert(database) }
        }
      }
    }
    try database.write { database in
      for number in 1...count {
        try Plain(id: Int64(number), email: "sample\(number)@example.com", token: "sample-token-\(number)")
          .insert(database)
      }
    }
    say("\(count) rows sealed and written", "\(rate(count, time)) rows a second")
  }

  /// Each of some rows is looked up by its address, sealed and in clear text, in turns.
  private func search() throws -> Bool {
    let context = try context([keys.old])
    let lookups = 2_000
    var (sealed, clear) = (Duration.zero, Duration.zero)
    for turn in 0..<lookups {
      let number = (turn &* 7_919) % count + 1
      let email = "sample\(number)@example.com"
      let clock = ContinuousClock()
      clear += try clock.measure {
        let found = try database.read { try Plain.filter(Column("email") == email).fetchAll($0) }
        try check(found.map(\.id) == [Int64(number)], "a row was not found by its address in clear text")
      }
      sealed += try clock.measure {
        let found = try database.read { database in
          try SealingContext.$current.withValue(context) {
            try Account.having(EncryptedCodableString(email), in: database, context)
          }
        }
        try check(found.map(\.id) == [Int64(number)], "a row was not found by its sealed address")
      }
    }
    let ratio = sealed / clear
    say("search by a sealed address", "\(micros(sealed, lookups)) µs")
    say("search by an address in clear text, with an index", "\(micros(clear, lookups)) µs")
    say("ratio", "\(rounded(ratio)), at most 3")
    return ratio <= 3
  }

  /// Every row gets the new key, each in a transaction of its own, while another thread reads.
  private func rotate() throws {
    let both = try context([keys.new, keys.old])
    let ends = Atomic(false)
    let reads = Atomic(0)
    let failure = Mutex<(any Error)?>(nil)
    let reader = Thread { [self] in
      var number = 1
      while !ends.load(ordering: .acquiring) {
        number = (number &* 7_919) % count + 1
        do {
          let found = try read(number, both)
          try check(found == account(number), "a row was read otherwise than it was written")
        } catch {
          failure.withLock { $0 = error }
          return
        }
        reads.add(1, ordering: .relaxed)
      }
    }
    reader.start()
    let time = try ContinuousClock().measure {
      for number in 1...count {
        try database.write { database in
          try SealingContext.$current.withValue(both) { try Account.fetchOne(database, key: number)?.update(database) }
        }
      }
    }
    ends.store(true, ordering: .releasing)
    if let error = failure.withLock({ $0 }) { throw error }
    let after = try context([keys.new])
    let current = try database.read { database in
      try SealingContext.$current.withValue(after) {
        try Account.fetchCursor(database).reduce(0) { count, _ in count + 1 }
      }
    }
    try check(current == count, "not every row is under the new key")
    say("rows rotated one by one", "\(rate(count, time)) rows a second")
    say("rows that another thread read meanwhile, all of them right", "\(reads.load(ordering: .relaxed))")
  }

  private func read(_ number: Int, _ context: SealingContext) throws -> Account? {
    try database.read { database in
      try SealingContext.$current.withValue(context) { try Account.fetchOne(database, key: number) }
    }
  }

  /// Anybody who can write to the database can swap values between rows, and between the columns of one.
  private func exchange() throws {
    let context = try context([keys.new])
    try database.write { database in
      try database.execute(sql: "UPDATE account SET token = (SELECT token FROM account WHERE id = 2) WHERE id = 1")
      try database.execute(sql: "UPDATE account SET email = token, token = email WHERE id = 3")
    }
    for number in [1, 3] {
      try check((try? read(number, context)) == nil, "an exchanged value was taken")
    }
    say("values exchanged between rows and between columns", "refused")
  }
}

/// The same row in clear text.
struct Plain: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var email: String
  var token: String
}

struct WrongResult: Error { let what: String }

func check(_ condition: Bool, _ what: String) throws { if !condition { throw WrongResult(what: what) } }
func say(_ what: String, _ value: String) { print("\(what): \(value)") }
func rate(_ count: Int, _ time: Duration) -> Int { Int(Double(count) / (time / .seconds(1))) }
func micros(_ time: Duration, _ count: Int) -> Double { rounded(time / .microseconds(count)) }
func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
