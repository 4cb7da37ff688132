import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDeposit
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTesting

/// Files that a depositor with any program can put into the inbox.
@Suite("Hostile deposits")
struct HostileDepositTests {
  private typealias Make = @Sendable (DepositBench, DepositID) throws -> [UInt8]

  private static func payload(_ change: @escaping @Sendable (inout JSONObject, DepositBench) -> Void) -> Make {
    { bench, id in
      var members = bench.members(id)
      change(&members, bench)
      return try seal(JSONValue.object(members).compactBytes(limits: .exchange), bench)
    }
  }

  private static func text(_ make: @escaping @Sendable (String) -> String) -> Make {
    { bench, id in
      try seal(
        Array(make(String(decoding: JSONValue.object(bench.members(id)).compactBytes(), as: UTF8.self)).utf8), bench)
    }
  }

  private static func seal(_ payload: [UInt8], _ bench: DepositBench, isPadded: Bool = true) throws -> [UInt8] {
    let recipient = try #require(bench.vault.header.deposit?.recipient)
    return try DepositBench.sealed(payload, to: recipient, isPadded: isPadded)
  }

  private static func good(_ bench: DepositBench, _ id: DepositID) throws -> [UInt8] {
    try seal(JSONValue.object(bench.members(id)).compactBytes(), bench)
  }

  private static func changed(_ change: @escaping @Sendable (inout [UInt8]) -> Void) -> Make {
    { bench, id in
      var bytes = try good(bench, id)
      change(&bytes)
      return bytes
    }
  }

  /// Files that are not deposits for this vault.
  private static let notDeposits: [(String, Make)] = [
    ("empty", { _, _ in [] }), ("one byte", { _, _ in [0] }), ("text", { _, _ in Array("hello\n".utf8) }),
    ("JSON in clear", { bench, id in try JSONValue.object(bench.members(id)).compactBytes() }),
    ("cut in the header", changed { $0.removeLast($0.count - 60) }),
    ("cut in the payload", changed { $0.removeLast(20) }), ("cut by a byte", changed { $0.removeLast() }),
    ("longer by a byte", changed { $0.append(0) }), ("twice", changed { $0 += $0 }),
    ("a flipped last byte", changed { $0[$0.count - 1] ^= 1 }), ("a flipped MAC", changed { $0[150] ^= 1 }),
    (
      "armored",
      { bench, id in
        let bytes = try good(bench, id)
        return unsafe AgeArmor.encode(bytes.span.bytes)
      }
    ),
    (
      "sealed to another recipient",
      { bench, id in
        let other = try AgeIdentity.generate().recipient
        return try DepositBench.sealed(JSONValue.object(bench.members(id)).compactBytes(), to: other)
      }
    ),
    (
      "sealed to two recipients",
      { bench, id in
        let recipients = [try #require(bench.vault.header.deposit?.recipient), try AgeIdentity.generate().recipient]
        let payload = try JSONValue.object(bench.members(id)).compactBytes()
        return try unsafe AgeFile.seal(payload.span.bytes, to: recipients)
      }
    ),
    (
      "sealed with a passphrase of great cost",
      { bench, _ in
        let (content, passphrase) = ([UInt8](repeating: 1, count: 2), Array("x".utf8))
        return try unsafe AgeFile.seal(content.span.bytes, passphrase: passphrase.span.bytes, workFactor: 2)
      }
    ),
    (
      "no padding",
      { bench, id in try seal(JSONValue.object(bench.members(id)).compactBytes(), bench, isPadded: false) }
    ),
    ("an empty payload", { bench, _ in try seal([], bench) }), ("not JSON", text { _ in "nonsense" }),
    ("an array", text { "[\($0)]" }), ("a number", text { _ in "7" }), ("null", text { _ in "null" }),
    ("two documents", text { $0 + $0 }), ("a comment", text { "// x\n" + $0 }),
    ("a byte order mark", text { "\u{FEFF}" + $0 }),
    ("a member twice", text { "{\"kind\":\"login\"," + $0.dropFirst() }),
    ("not UTF-8", { bench, _ in try seal([0x22, 0xFF, 0x22], bench) }),
    ("65 levels", payload { members, _ in members["record"] = deep(66) }),
    ("no format", payload { members, _ in members["format"] = nil }),
    ("format 2", payload { members, _ in members["format"] = 2 }),
    ("another vault", payload { members, _ in members["vault"] = .string(VaultID.random().text) }),
    ("no vault", payload { members, _ in members["vault"] = nil }),
    ("exchanged: the id of another file", payload { members, _ in members["id"] = .string(DepositID.random().text) }),
    (
      "an id in upper case",
      payload { members, _ in members["id"] = .string(members["id"]?.string?.uppercased() ?? "") }
    ),
    ("no time", payload { members, _ in members["created_at"] = nil }),
    ("the 30th of February", payload { members, _ in members["created_at"] = "2026-02-30T00:00:00Z" }),
    ("a sender that is not text", payload { members, _ in members["from"] = 5 }),
    ("a null sender", payload { members, _ in members["from"] = .null }),
    (
      "a sender of 257 bytes", payload { members, _ in members["from"] = .string(String(repeating: "x", count: 257)) }
    ),
    (
      "a signature of 17 KiB",
      payload { members, _ in members["signature"] = .string(String(repeating: "x", count: 17 << 10)) }
    ),
    ("an unknown member", payload { members, _ in members["run"] = "rm -rf /" }),
    ("a record and a value", payload { members, _ in (members["to"], members["value"]) = ("Mail", "x") }),
    ("neither a record nor a value", payload { members, _ in members["record"] = nil }),
    ("a record that is a list", payload { members, _ in members["record"] = .array([]) }),
    (
      "a value without a field",
      payload { members, _ in
        (members["kind"], members["record"]) = (nil, nil)
        (members["to"], members["value"]) = ("Mail", "x")
      }
    ),
    (
      "a value for the whole record",
      payload { members, _ in
        (members["kind"], members["record"]) = (nil, nil)
        (members["to"], members["value"], members["field"]) = ("Mail", "x", "")
      }
    ),
  ]

  /// Deposits that open, but that nobody can accept.
  private static let refused: [(String, Make)] = [
    ("a kind that does not exist", payload { members, _ in members["kind"] = "nosuch" }),
    ("a kind named like a path", payload { members, _ in members["kind"] = "../../etc/passwd" }),
    ("a member that the kind does not have", record { $0["nonsense"] = "x" }),
    ("an envelope of its own", record { $0["$vault"] = .object(JSONObject(members: ["revision": 9])) }),
    ("a number for a name", record { $0["title"] = 5 }),
    ("no name", record { $0["title"] = nil }),
    ("a token in a readable field", record { $0["username"] = "es1:AAAAAAAAAAA:20260101T000000Z:AAAA" }),
    ("a value for a readable field", value("Mail", "username")), ("a value for no field", value("Mail", "nonsense")),
    ("a value for the envelope", value("Mail", "\"$vault\".revision")),
    ("a value for no record", value("Nobody", "password")),
    ("a value for an empty name", value("", "password")), ("a value for a path", value("../vault.json", "password")),
  ]

  private static func record(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Make {
    payload { members, _ in
      var record = members["record"]?.object ?? JSONObject()
      change(&record)
      members["record"] = .object(record)
    }
  }

  private static func value(_ record: String, _ field: String) -> Make {
    payload { members, _ in
      (members["kind"], members["record"]) = (nil, nil)
      (members["to"], members["field"], members["value"]) = (
        .string(record), .string(field), .string(DepositBench.secret)
      )
    }
  }

  private static func deep(_ levels: Int) -> JSONValue {
    (0..<levels).reduce(JSONValue.object(JSONObject())) { value, _ in .object(JSONObject(members: ["a": value])) }
  }

  @Test("each file that is not a deposit for this vault is one fault, which hides no other and stores nothing")
  func notDeposits() async throws {
    let bench = try await DepositBench()
    var ids: [DepositID: String] = [:]
    for (name, make) in Self.notDeposits {
      let id = DepositID.random()
      ids[id] = name
      try bench.put(make(bench, id), as: id)
    }
    let good = try bench.locked.deposit(DepositBench.login("Good"))
    let before = try bench.documents()
    let waiting = try await bench.vault.inbox()
    #expect(waiting.count == Self.notDeposits.count + 1)
    for entry in waiting where entry.id != good {
      let name = ids[entry.id] ?? ""
      guard case .failure(let error) = entry.deposit else {
        Issue.record("\(name) was taken for a deposit")
        continue
      }
      #expect(error.file == "inbox/\(entry.id.text).age", "\(name)")
      #expect(!"\(error)".contains(DepositBench.secret) && !"\(error)".contains("Evil"), "\(name)")
      await #expect(throws: VaultError.self, "\(name)") { try await bench.vault.accept(entry) }
    }
    #expect(try bench.documents() == before)
    try await bench.vault.accept(good)
    #expect(try await bench.vault.list().map(\.name).sorted() == ["Good", "Mail"])
    print("hostile deposits: \(Self.notDeposits.count) files that are none")
  }

  @Test("each deposit that does not fit the vault is refused when it is accepted, and stays")
  func refusedDeposits() async throws {
    let bench = try await DepositBench()
    var ids: [DepositID: String] = [:]
    for (name, make) in Self.refused {
      let id = DepositID.random()
      ids[id] = name
      try bench.put(make(bench, id), as: id)
    }
    let before = try bench.documents()
    for entry in try await bench.vault.inbox() {
      let name = ids[entry.id] ?? ""
      let error = await #expect(throws: VaultError.self, "\(name)") { try await bench.vault.accept(entry) }
      #expect(!"\(String(describing: error))".contains(DepositBench.secret), "\(name)")
    }
    #expect(try bench.documents() == before)
    #expect(try bench.store.heldDeposits().count == Self.refused.count)
    print("hostile deposits: \(Self.refused.count) that are refused")
  }

  @Test("without a key, the form of each file is checked; what only a key can tell is not")
  func form() async throws {
    let bench = try await DepositBench()
    let bad = try ["", "text", "age-encryption.org/v1\n"].map { try bench.put(Array($0.utf8)) }
    try bench.put(Self.good(bench, .random()))
    let found = InboxCheck.faults(in: bench.store)
    #expect(found.count == 4)
    #expect(Set(found.faults.map(\.file)) == Set(bad.map { "inbox/\($0.text).age" }))
    #expect(try await bench.vault.verify().isGood, "a hostile deposit does not make the vault a damaged one")
  }
}
