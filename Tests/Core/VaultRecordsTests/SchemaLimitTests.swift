import Testing
import VaultCare
import VaultDocument
import VaultRecords

@Suite("Seals and limits of a declared kind")
struct SchemaLimitTests {
  private static let net = ##""net":{"type":"object","additionalProperties":{"type":"string","x-sealed":true}}"##

  private func net(naming properties: String) -> String {
    #""net":{"type":"object","properties":{\#(properties)},"#
      + #""additionalProperties":{"type":"string","x-sealed":true}}"#
  }

  private func migration(_ steps: String) -> String { #","x-schema":2,"x-migrations":{"2":[\#(steps)]}"# }

  private func expectRefusal(at path: String, _ properties: String, _ more: String = "") {
    do throws(RecordError) {
      _ = try kind(properties: properties, more)
      Issue.record("\(path) must be refused")
    } catch {
      #expect(error.code == .invalidSchema, "\(error)")
      #expect(error.path == path, "\(error)")
    }
  }

  @Test("a name that a new schema gives a member of a sealed map is sealed too")
  func namesInSealedMap() throws {
    let old = try kind(properties: Self.net)
    let readable = try kind(properties: net(naming: #""pin":{"type":"string"}"#))
    let sealed = try kind(properties: net(naming: #""pin":{"type":"string","x-sealed":true}"#))
    let within = try kind(
      properties: net(naming: #""pin":{"type":"array","items":{"type":"string","x-sealed":true}}"#))
    #expect(old.sealDropped(by: readable) == "net.pin")
    #expect(old.sealDropped(by: within) == "net.pin")
    #expect(old.sealDropped(by: sealed) == nil)
    #expect(readable.sealDropped(by: readable) == nil)
    let opened = try kind(
      properties: net(naming: #""pin":{"type":"string"}"#), migration(#"{"open":"net.pin"}"#))
    #expect(old.sealDropped(by: opened) == nil)
  }

  @Test("a name in a map of objects is compared with what the map sealed in each")
  func namesInMapOfObjects() throws {
    let item = #"{"type":"object","properties":{"pin":{"type":"string","x-sealed":true}}}"#
    let open = #"{"type":"object","properties":{"pin":{"type":"string"}}}"#
    func map(_ named: String) -> String {
      #""m":{"type":"object","properties":{"a.b":\#(named)},"additionalProperties":\#(item)}"#
    }
    let old = try kind(properties: #""m":{"type":"object","additionalProperties":\#(item)}"#)
    #expect(try old.sealDropped(by: kind(properties: map(open))) == #"m["a.b"].pin"#)
    #expect(try old.sealDropped(by: kind(properties: map(item))) == nil)
  }

  @Test(
    "a migration moves nothing out of a sealed map to where it is readable, unless it opens it",
    arguments: [
      (#"{"move":"net.pin","to":"pin"}"#, "net.pin" as String?),
      (#"{"move":"net.pin","to":"open.pin"}"#, "net.pin"),
      (#"{"move":"net.pin","to":"net.code"},{"move":"net.code","to":"pin"}"#, "net.pin"),
      (#"{"move":"extra.pin","to":"pin"}"#, "extra.pin"),
      (#"{"open":"net.pin"},{"move":"net.pin","to":"pin"}"#, nil),
      (#"{"move":"net.pin","to":"secret"}"#, nil),
    ])
  func movesOutOfSealedMap(_ steps: String, _ path: String?) throws {
    let properties =
      Self.net + #","pin":{"type":"string"},"secret":{"type":"string","x-sealed":true},"#
      + #""open":{"type":"object","additionalProperties":{"type":"string"}}"#
    let newer = try kind(properties: properties, migration(steps))
    #expect(try kind(properties: Self.net).sealDropped(by: newer) == path)
  }

  @Test("an enum has at most 1,000 values, each once by value, and is refused by its name beyond")
  func enumLimit() throws {
    func list(_ count: Int) -> String { (0..<count).map { #""v\#($0)""# }.joined(separator: ",") }
    let most = try kind(properties: #""a":{"enum":[\#(list(1_000))]}"#)
    #expect(most.value(at: MemberPath([.member("a")]))?.allowed?.count == 1_000)
    expectRefusal(at: "properties.a.enum", #""a":{"enum":[\#(list(1_001))]}"#)
    expectRefusal(at: "properties.a.enum", #""a":{"enum":[\#(list(300_000))]}"#)
    for twice in [#"[100,1e2]"#, #"["x","y","x"]"#, #"[[1,{"b":0}],[1.0,{"b":-0}]]"#, "[true,false,true]"] {
      expectRefusal(at: "properties.a.enum", #""a":{"x-sealed":true,"enum":\#(twice)}"#)
    }
    // Texts are compared by bytes.
    _ = try kind(properties: #""a":{"enum":["\u00e9","e\u0301"]}"#)
  }

  @Test("a split divides at 64 bytes at most, found as bytes, and migrations have at most 1,000 steps")
  func splitLimit() throws {
    let properties = #""a":{"type":"string"},"b":{"type":"string"}"#
    func split(at text: String) -> String { migration(#"{"split":"t","at":"\#(text)","into":["a","b"]}"#) }
    let longest = String(repeating: "x", count: 64)
    let declared = try kind(properties: properties, split(at: longest))
    var migrator = Migrator(object(#"{"t":"é\#(longest)ü\#(longest)"}"#))
    try migrator.take(declared.steps(from: 1))
    #expect(migrator.members == object(#"{"a":"é","b":"ü\#(longest)"}"#))
    expectRefusal(at: "x-migrations.2[0].at", properties, split(at: longest + "x"))
    let step = #"{"convert":"a","to":"text"}"#
    _ = try kind(properties: properties, migration(Array(repeating: step, count: 1_000).joined(separator: ",")))
    expectRefusal(
      at: "x-migrations", properties, migration(Array(repeating: step, count: 1_001).joined(separator: ",")))
  }

  @Test(
    "a step fills nothing that is sealed, where it stands or where later steps move it",
    arguments: [
      #"{"fill":"s","with":"x"}"#, #"{"fill":"net.pin","with":"x"}"#, #"{"fill":"net","with":{"pin":"x"}}"#,
      #"{"fill":"s.deep","with":"x"}"#, #"{"fill":"extra.x","with":"x"}"#, #"{"fill":"extra","with":{"x":1}}"#,
      #"{"fill":"l[0]","with":"x"}"#, #"{"fill":"old","with":"x"},{"move":"old","to":"s"}"#,
      #"{"fill":"s","with":"x"},{"seal":"s"}"#,
    ])
  func fillsNoSeal(_ steps: String) throws {
    let properties =
      Self.net + #","s":{"type":"string","x-sealed":true},"t":{"type":"string"},"#
      + #""l":{"type":"array","items":{"type":"string","x-sealed":true}}"#
    expectRefusal(at: "x-migrations.2[0].fill", properties, migration(steps))
    _ = try kind(properties: properties, migration(#"{"fill":"t","with":"x"},{"fill":"net","with":{}}"#))
  }

  @Test(
    "a split leaves no readable text in a sealed field, where it stands or where later steps move it",
    arguments: [
      #"{"split":"t","at":" ","into":["a","s"]}"#, #"{"split":"t","at":" ","into":["s.deep","a"]}"#,
      #"{"split":"t","at":" ","into":["a","b"]},{"move":"b","to":"s"}"#,
      #"{"split":"t","at":" ","into":["a","s"]},{"seal":"a"}"#,
    ])
  func splitsIntoNoSeal(_ steps: String) throws {
    let properties =
      ["a", "b", "t"].map { #""\#($0)":{"type":"string"}"# }.joined(separator: ",")
      + #","s":{"type":"string","x-sealed":true}"#
    expectRefusal(at: "x-migrations.2[0].into", properties, migration(steps))
    for sealed in [
      #"{"split":"t","at":" ","into":["a","s"]},{"seal":"s"}"#,
      #"{"split":"t","at":" ","into":["a","b"]},{"seal":"b"},{"move":"b","to":"s"}"#,
    ] {
      _ = try kind(properties: properties, migration(sealed))
    }
  }
}
