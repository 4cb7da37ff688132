import Testing
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing
import VaultTestSupport

@Suite("Types of records as people write them") struct LearningTests {
  private func tree(_ value: some VaultRecord, in context: SealingContext) throws -> JSONObject {
    try value.encoded(in: context)
  }

  @Test("each of forty odd types is taken with its values, or refused with the member", arguments: OddTypes.all.indices)
  func odd(_ index: Int) throws {
    let one = OddTypes.all[index]
    let fault = RecordKind.fault(of: one.type)
    #expect(fault?.path == one.refusedAt, "\(one.type): \(String(describing: fault))")
    guard one.refusedAt == nil, fault == nil else { return }
    func isTaken<Record: VaultRecord>(_ value: Record) throws {
      let kind = RecordKind(of: Record.self)
      let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
      let members = try value.encoded(in: context)
      try kind.validate(members, in: context)
      #expect(kind.faults(in: members).isEmpty, "\(kind.faults(in: members))")
      let again = try Record.decoded(from: members, in: context).encoded(in: context)
      #expect(JSONValue.object(again) == .object(members), "\(Record.self)")
    }
    try isTaken(one.value)
  }

  @Test("an enum with values is an object with a member for each case, and what it seals is known")
  func enumWithValues() throws {
    let content = RecordKind(of: OddTypes.Access.self).content
    let way = try #require(content.member(named: "way"))
    guard case .object(let cases) = way.value.form else { throw RecordError(.wrongType, "is no object") }
    #expect(Set(cases.members.map(\.name)) == ["key", "note", "none"])
    #expect(cases.members.allSatisfy { !$0.isRequired })
    #expect(way.value.holdsSealed)
    #expect(RecordKind(of: OddTypes.Access.self).value(at: try MemberPath(parsing: "way.key.secret"))?.isSealed == true)
  }

  @Test("the cases of an enum are the values that a member may have")
  func enums() throws {
    let content = RecordKind(of: OddTypes.Ranked.self).content
    #expect(content.member(named: "rarity")?.value.allowed == [.string("common"), .string("very rare")])
    #expect(content.member(named: "level")?.value.allowed == [3, 7].map { .number(JSONNumber($0)) })
    #expect(content.member(named: "only")?.value.allowed == [.string("one")])
    #expect(content.member(named: "maybe")?.isRequired == false)
    #expect(content.member(named: "rarity")?.isRequired == true)
    #expect(content.member(named: "rows")?.value.typeName == "map")
    #expect(content.member(named: "days")?.value.typeName == "list")
  }

  @Test("a type that looks before it reads is any value there, and what is beside it is known")
  func looks() throws {
    for (type, name) in [(OddTypes.Mixed.self, "parts"), (OddTypes.Street.self, "zips")]
      as [(any VaultRecord.Type, String)]
    {
      let member = try #require(ObjectRule(type.content).inOrder.first { $0.name == name })
      #expect(member.value.typeName == "list")
    }
    let street = RecordKind(of: OddTypes.Street.self).content
    #expect(street.member(named: "zip")?.value.typeName == "any")
    #expect(street.member(named: "name")?.value.typeName == "text")
    #expect(RecordKind(of: OddTypes.Place.self).content.member(named: "city")?.value.typeName == "any")
  }
}
