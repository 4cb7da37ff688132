import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

@Suite("Lint")
struct LintTests {
  private func lint(_ store: MemoryStore) -> VaultLint { VaultLint(store: store, options: .init()) }

  @Test("a good vault with a checkpoint and a trash has no finding, and fixing it writes nothing")
  func good() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("One")), try await vault.add(sampleCustomer("Two"))]
    try await vault.remove([ids[0]])
    _ = try await vault.makeCheckpoint()
    var count = 0
    for report in [try await lint(store).check { count += 1 }, try await lint(store).fix()] {
      #expect(report.findings.isEmpty)
      #expect(report.notes.isEmpty)
      #expect(report.rewritten.isEmpty)
      #expect(report.recordCount == 1)
      #expect(report.trashedCount == 1)
    }
    #expect(count == 2)
  }

  /// The change of a customer, and the code and the field that lint names.
  private static let recordRules: [(VaultError.Code, String?, @Sendable (inout JSONObject) -> Void)] = [
    (.clearText, "access_key", { $0["access_key"] = "in clear" }),
    (.damagedToken, "access_key", { $0["access_key"] = "es1:AAAA" }),
    (.damagedToken, "name", { $0["name"] = "es7:of a later version" }),
    (.repeatedToken, "atm_code", { $0["atm_code"] = $0["access_key"] }),
    (
      .foreignToken, "atm_code",
      { record in
        guard case .string(let token)? = record["atm_code"] else { return }
        record["atm_code"] = .string("es1:AAAAAAAAAAA" + token.dropFirst(15))
      }
    ),
    (.invalidContent, "name", { $0["name"] = 5 }), (.invalidContent, "name", { $0["name"] = nil }),
    (.malformedEnvelope, nil, { $0["$vault"] = nil }),
    (.malformedEnvelope, nil, { $0["$vault"] = .object(JSONObject()) }),
  ]

  @Test("each rule about a record names the file, the code and the field", arguments: recordRules.indices)
  func rules(_ index: Int) async throws {
    let (code, field, change) = Self.recordRules[index]
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    try await vault.add(sampleCustomer("Another"))
    try store.edit(.record(id), change)
    let findings = try await lint(store).check().findings
    #expect(findings.map(\.code) == [code], "\(findings)")
    #expect(findings.first?.file == StoreLocation.record(id).relativePath)
    #expect(findings.first?.record == id)
    if let field { #expect(findings.first?.field == field) }
  }

  @Test("no JSON, a newer format, another's record and the wrong side of the trash are findings")
  func files() async throws {
    let (vault, _, store) = try await memoryVault()
    var expected: [String: VaultError.Code] = [:]
    func damage(_ code: VaultError.Code, _ change: ([UInt8]) throws -> [UInt8]) async throws {
      let id = try await vault.add(sampleCustomer())
      try store.put(change(#require(try store.read(.record(id)))), at: .record(id))
      expected[StoreLocation.record(id).relativePath] = code
    }
    let other = try await vault.add(sampleCustomer("Other"))
    let foreign = try #require(try store.read(.record(other)))
    let removed = try await vault.add(sampleCustomer("Removed"))
    try await vault.remove([removed])
    let trashed = try #require(try store.read(.trash(removed)))
    try await damage(.malformedDocument) { Array($0.dropLast(30)) }
    try await damage(.malformedDocument) { [0xEF, 0xBB, 0xBF] + $0 }
    try await damage(.misplaced) { _ in foreign }
    try store.put(trashed, at: .record(removed))
    expected[StoreLocation.record(removed).relativePath] = .wrongPlace
    let report = try await lint(store).check()
    #expect(Dictionary(uniqueKeysWithValues: report.findings.map { ($0.file, $0.code) }) == expected)
  }

  @Test("header, checkpoint and slot files are looked at, and a header that is none stops nothing else")
  func documents() async throws {
    let (vault, _, store) = try await memoryVault()
    _ = try await vault.makeCheckpoint()
    let slot = vault.slot.id
    let good = try #require(try store.read(.slot(slot)))
    try store.put(good + [0], at: .slot(slot))
    try store.put(good, at: .slot(.random()))
    let checkpoint = try #require(try store.read(.checkpoint))
    try store.put(Array("{}".utf8), at: .checkpoint)
    let report = try await lint(store).check()
    #expect(report.findings.map(\.file) == [vault.slot.path, "checkpoint.jsonl"])
    #expect(report.findings.first?.code == .damagedSlot)
    #expect(report.notes.count == 1)
    try store.put(checkpoint, at: .checkpoint)
    try store.edit(.header) { $0["slots"] = .array([]) }
    let id = RecordID.random()
    try store.put(Array("{}".utf8), at: .record(id))
    let broken = try await lint(store).check().findings
    #expect(broken.map(\.file) == ["vault.json", StoreLocation.record(id).relativePath])
  }

  @Test("the same id live and removed: equal revisions are a finding, others a note")
  func twins() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("One"))
    let first = try #require(try store.read(.record(id)))
    try await vault.update(id, as: Customer.self) { $0.name = "Two" }
    let second = try #require(try store.read(.record(id)))
    try store.put(first, at: .record(id))
    try await vault.remove([id])
    try store.put(first, at: .record(id))
    #expect(try await lint(store).check().findings.isEmpty)
    #expect(try await lint(store).check().notes.count == 1)
    try store.put(second, at: .record(id))
    #expect(try await lint(store).check().findings.map(\.code) == [.equalRevisions])
  }

  @Test("fix writes header and records back byte for byte, whatever their white space, order and spelling")
  func fix() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("a/b \u{E9}")), try await vault.add(sampleCustomer("Two"))]
    try await vault.remove([ids[1]])
    let places: [StoreLocation] = [.header, .trash(ids[1]), .record(ids[0])]
    let good = try places.map { try #require(try store.read($0)) }
    for (place, bytes) in zip(places, good) {
      let spelled = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "\r\n  ")
      let words = spelled.split(separator: "id", omittingEmptySubsequences: false)
      try store.put(Array(words.joined(separator: "\\u0069d").utf8), at: place)
    }
    #expect(try await lint(store).check().findings.map(\.code) == Array(repeating: .notCanonical, count: 3))
    let report = try await lint(store).fix()
    #expect(report.findings.isEmpty)
    #expect(report.rewritten == places.map(\.relativePath))
    #expect(try places.map { try store.read($0) } == good)
    #expect(try await vault.verify().isGood)
  }

  @Test("fix keeps number literals and does not touch what is wrong otherwise")
  func fixKeeps() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer()), try await vault.add(sampleCustomer())].sorted()
    let text = String(decoding: try #require(try store.read(.record(ids[0]))), as: UTF8.self)
    try store.put(Array(("{ \"x\" : 1.50e+2," + text.dropFirst()).utf8), at: .record(ids[0]))
    let broken = Array(String(decoding: try #require(try store.read(.record(ids[1]))), as: UTF8.self).dropLast(3).utf8)
    try store.put(broken, at: .record(ids[1]))
    let report = try await lint(store).fix()
    #expect(report.findings.map(\.code) == [.malformedDocument])
    #expect(report.rewritten.count == 1)
    #expect(
      String(decoding: try #require(try store.read(.record(ids[0]))), as: UTF8.self).contains("\"x\" : 1.50e+2\n"))
    #expect(try store.read(.record(ids[1])) == broken)
  }
}
