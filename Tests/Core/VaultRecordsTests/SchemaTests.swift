import Testing
import VaultCare
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing

@Suite("A kind declared by a JSON Schema")
struct SchemaTests {
  private func context() throws -> SealingContext {
    try SealingContext(applicationKey: .random(count: 32), bound: ["test"])
  }

  @Test(
    "is refused by the name and path of what it cannot use",
    arguments: [
      (#"{"type":"object","allOf":[]}"#, "allOf"), (#"{"type":"string"}"#, ""),
      (#"{"type":"object","x-title":"a"}"#, "x-title"),
      (#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#, "$schema"),
      (#"{"type":"object","properties":{"a":{"type":"string","oneOf":[]}}}"#, "properties.a.oneOf"),
      (#"{"type":"object","properties":{"a":{"type":"string","format":"color"}}}"#, "properties.a.format"),
      (#"{"type":"object","properties":{"a":{"type":"string","pattern":"(?=a)"}}}"#, "properties.a.pattern"),
      (#"{"type":"object","properties":{"a":{"type":"string","minimum":1}}}"#, "properties.a.minimum"),
      (#"{"type":"object","properties":{"a":{"type":["string","integer"]}}}"#, "properties.a.type"),
      (#"{"type":"object","properties":{"a":{}}}"#, "properties.a"),
      (#"{"type":"object","properties":{"a":{"type":"array"}}}"#, "properties.a"),
      (##"{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}"##, "properties.a.$ref"),
      (#"{"type":"object","properties":{"a":{"$ref":"https://example.com/b"}}}"#, "properties.a.$ref"),
      (##"{"type":"object","$defs":{"b":{"type":"array","items":{"$ref":"#/$defs/b"}}}}"##, "$defs.b.items.$ref"),
      (#"{"type":"object","$defs":{"b":{"type":"string","if":{}}}}"#, "$defs.b.if"),
      (#"{"type":"object","additionalProperties":true}"#, "additionalProperties"),
      (#"{"type":"object","required":["a"]}"#, "required"),
      (#"{"type":"object","properties":{"a":{"enum":[]}}}"#, "properties.a.enum"),
      (#"{"type":"object","properties":{"a":{"enum":[1,1.0]}}}"#, "properties.a.enum"),
      (#"{"type":"object","properties":{"a":{"type":"string","enum":["x",1]}}}"#, "properties.a.enum"),
      (#"{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}"#, "properties.a.default"),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"default":"x"}}}"#, "properties.a.default"
      ),
      (#"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"const":"x"}}}"#, "properties.a"),
      (#"{"type":"object","properties":{"a":{"type":["string","null"],"x-sealed":true}}}"#, "properties.a"),
      (#"{"type":"object","properties":{"a":{"type":"string","x-sealed":"yes"}}}"#, "properties.a.x-sealed"),
      (#"{"type":"object","properties":{"a":{"type":"string","x-secret":"pin"}}}"#, "properties.a.x-secret"),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":false,"x-secret":"text"}}}"#,
        "properties.a.x-secret"
      ),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"x-secret":"Pin"}}}"#,
        "properties.a.x-secret"
      ),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"x-secret":true}}}"#,
        "properties.a.x-secret"
      ),
      (#"{"type":"object","x-secret":"pin"}"#, "x-secret"),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-generate":"minlength: 9"}}}"#,
        "properties.a.x-generate"
      ),
      (#"{"type":"object","properties":{"a":{"x-sealed":true,"x-generate":""}}}"#, "properties.a.x-generate"),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"x-generate":"long: 9"}}}"#,
        "properties.a.x-generate"
      ),
      (
        #"{"type":"object","properties":{"a":{"type":"string","x-sealed":true,"x-generate":"maxlength: 0"}}}"#,
        "properties.a.x-generate"
      ),
      (#"{"type":"object","properties":{"$vault":{"type":"string"}}}"#, "properties.$vault"),
      (#"{"type":"object","properties":{"extra":{"type":"string"}}}"#, "properties.extra"),
      (#"{"type":"object","properties":{"a":{"type":"string","x-sealed":true}},"x-title":"a"}"#, "x-title"),
      (#"{"type":"object","x-schema":0}"#, "x-schema"),
      (#"{"type":"object","x-schema":2,"x-migrations":{"3":[]}}"#, #"x-migrations.3"#),
      (#"{"type":"object","x-schema":2,"x-migrations":{"2":[{"drop":"a"}]}}"#, #"x-migrations.2[0]"#),
    ])
  func refused(_ text: String, _ path: String) {
    do throws(RecordError) {
      _ = try RecordKind(declared: object(text), name: "test")
      Issue.record("\(text) must be refused")
    } catch {
      #expect(error.code == .invalidSchema)
      #expect(error.path == (path.isEmpty ? nil : path), "\(text): \(error)")
    }
  }

  @Test(
    "holds input against every rule, and names the member",
    arguments: [
      (#""a":{"type":"string","minLength":2}"#, #""x""#, "a"), (#""a":{"type":"string","maxLength":1}"#, #""xy""#, "a"),
      (#""a":{"type":"string","pattern":"^[0-9]+$"}"#, #""x""#, "a"), (#""a":{"type":"string"}"#, "1", "a"),
      (#""a":{"type":"integer"}"#, "1.5", "a"), (#""a":{"type":"integer","minimum":3}"#, "2", "a"),
      (#""a":{"type":"number","exclusiveMaximum":1e2}"#, "100.0", "a"), (#""a":{"type":"boolean"}"#, #""true""#, "a"),
      (#""a":{"type":"array","items":{"type":"integer"}}"#, #"[1,"2"]"#, "a[1]"),
      (#""a":{"type":"array","items":{"type":"integer"},"minItems":1}"#, "[]", "a"),
      (#""a":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}"#, "{}", "a.b"),
      (#""a":{"type":"object","properties":{"b":{"type":"string"}}}"#, #"{"c":"x"}"#, "a.c"),
      (#""a":{"type":"object","additionalProperties":{"type":"integer"},"maxProperties":1}"#, #"{"b":1,"c":2}"#, "a"),
      (#""a":{"type":"object","additionalProperties":{"type":"string","x-sealed":true}}"#, #"{"b":1}"#, "a.b"),
      (#""a":{"enum":["x","y"]}"#, #""z""#, "a"), (#""a":{"const":5}"#, "6", "a"),
      (#""a":{"type":"string","x-sealed":true,"minLength":4}"#, #""abc""#, "a"),
    ])
  func rules(_ properties: String, _ value: String, _ path: String) throws {
    let kind = try kind(properties: properties)
    do throws(RecordError) {
      _ = try kind.sealed(clear: object(#"{"a":\#(value)}"#), in: try! context())
      Issue.record("\(value) must be refused")
    } catch {
      #expect(error.path == path, "\(error)")
    }
  }

  @Test("seals at any depth, in lists and maps, text as text and anything else as JSON")
  func sealsEverywhere() throws {
    let kind = try kind(
      properties: #"""
        "pins":{"type":"array","items":{"type":"integer","x-sealed":true}},
        "people":{"type":"array","items":{"$ref":"#/$defs/person"}},
        "any":{"x-sealed":true},
        "keys":{"type":"object","additionalProperties":{"type":"string","x-sealed":true}}
        """#,
      #","$defs":{"person":{"type":"object","properties":{"code":{"type":"string","x-sealed":true}}}}"#)
    let context = try context()
    let input = object(#"{"pins":[1,2],"people":[{"code":"c"}],"any":{"b":[true]},"keys":{"x":"y"}}"#)
    let members = try kind.sealed(clear: input, in: context)
    var tokens: [String] = []
    JSONValue.object(members).forEachString { path, text in
      #expect(SealedToken.hasTokenShape(text), "\(path)")
      tokens.append(path.description)
    }
    #expect(tokens == ["any", "keys.x", "people[0].code", "pins[0]", "pins[1]"])
    #expect(kind.faults(in: members).isEmpty)
    #expect(kind.clearTextPath(in: members) == nil)
    for path in tokens {
      var tree = JSONValue.object(members)
      try tree.set("clear", at: MemberPath(parsing: path))
      #expect(kind.clearTextPath(in: tree.object ?? members)?.description == path)
    }
  }

  @Test("a default is stored where a member is absent, null where one may be absent is nothing")
  func defaultsAndNull() throws {
    let kind = try kind(
      properties: #""a":{"enum":["x","y"],"default":"y"},"b":{"type":"string"},"c":{"type":["string","null"]}"#)
    let members = try kind.sealed(clear: object(#"{"b":null,"c":null}"#), in: context())
    #expect(members == object(#"{"a":"y","c":null}"#))
  }

  @Test("unknown members are refused, or kept sealed under extra by their paths")
  func keepsUnknown() throws {
    let kind = try kind(properties: #""a":{"type":"object","properties":{"b":{"type":"string"}}}"#)
    let context = try context()
    let input = object(#"{"a":{"b":"x","c":[1]},"d":"secret"}"#)
    #expect(throws: RecordError(.unknownMember, "")) { try kind.sealed(clear: input, in: context) }
    let members = try kind.sealed(clear: input, keepingUnknown: true, in: context)
    #expect(members["a"] == .object(object(#"{"b":"x"}"#)))
    #expect(members["extra"]?.object?.names == ["a.c", "d"])
    #expect(members["d"] == nil)
    #expect(kind.faults(in: members).isEmpty)
    // The kept members come back when an export with opened secrets is read again.
    let again = try kind.sealed(clear: object(#"{"extra":{"d":"secret"}}"#), in: context)
    #expect(again["extra"]?["d"]?.string.map(SealedToken.hasTokenShape) == true)
  }

  @Test(
    "a schema that drops a seal is noticed, wherever the member is",
    arguments: [
      (#""s":{"type":"string","x-sealed":true}"#, #""s":{"type":"string"}"#, "s"),
      (#""s":{"type":"string","x-sealed":true}"#, #""t":{"type":"string"}"#, "s"),
      (
        #""l":{"type":"array","items":{"type":"string","x-sealed":true}}"#,
        #""l":{"type":"array","items":{"type":"string"}}"#, "l[]"
      ),
      (
        #""m":{"type":"object","additionalProperties":{"type":"string","x-sealed":true}}"#,
        #""m":{"type":"object","additionalProperties":{"type":"string"}}"#, "m.*"
      ),
    ])
  func dropsSeal(_ old: String, _ new: String, _ path: String) throws {
    #expect(try kind(properties: old).sealDropped(by: kind(properties: new)) == path)
    #expect(try kind(properties: old).sealDropped(by: kind(properties: old + #","more":{"type":"string"}"#)) == nil)
    #expect(try kind(properties: new).sealDropped(by: kind(properties: old)) == nil)
  }

  @Test(
    "a sealed text becomes no bytes, nor bytes text, wherever it stands",
    arguments: [
      (#""s":{@}"#, "s"), (#""l":{"type":"array","items":{@}}"#, "l[]"),
      (#""m":{"type":"object","additionalProperties":{@}}"#, "m.*"),
      (#""o":{"type":"object","properties":{"p":{@}}}"#, "o.p"),
    ])
  func sealedBytes(_ properties: String, _ path: String) throws {
    let text = try kind(properties: properties.replacing("@", with: #""type":"string","x-sealed":true"#))
    let bytes = try kind(
      properties: properties.replacing("@", with: #""type":"string","contentEncoding":"base64","x-sealed":true"#))
    #expect(text.sealReinterpreted(by: bytes)?.path == path)
    #expect(bytes.sealReinterpreted(by: text)?.path == path)
    #expect(bytes.sealReinterpreted(by: bytes) == nil)
  }

  @Test("a secret is of the sort that x-secret says, which comes out again and changes no seal")
  func secretSorts() throws {
    for sort in SecretSort.allCases {
      let declared = try kind(
        properties: ##""s":{"$ref":"#/$defs/d"},"t":{"type":"array","items":{"x-sealed":true,"x-secret":"pin"}}"##,
        ##","$defs":{"d":{"type":"string","x-sealed":true,"x-secret":"\##(sort.rawValue)"}}"##)
      #expect(declared.value(at: MemberPath([.member("s")]))?.secretSort == sort)
      #expect(declared.value(at: MemberPath([.member("t"), .index(0)]))?.secretSort == .pin)
      let plain = try kind(properties: #""s":{"type":"string","x-sealed":true},"t":{"x-sealed":true}"#)
      #expect(plain.value(at: MemberPath([.member("s")]))?.secretSort == .text)
      let other = try kind(properties: #""s":{"type":"string","x-sealed":true,"x-secret":"\#(sort.rawValue)"}"#)
      let third = try kind(properties: #""s":{"type":"string","x-sealed":true,"x-secret":"otp"}"#)
      #expect(other.sealDropped(by: third) == nil)
      #expect(third.sealDropped(by: other) == nil)
    }
  }

  @Test("x-generate says what a secret is made of, and comes out again")
  func generation() throws {
    let rules = "minlength: 30; allowed: [01]"
    let declared = try kind(properties: ##""s":{"type":"string","x-sealed":true,"x-generate":"\##(rules)"}"##)
    let again = try RecordKind(declared: declared.jsonSchema, name: "again")
    for kind in [declared, again] {
      let generation = kind.value(at: MemberPath([.member("s")]))?.generation
      #expect(generation?.text == rules)
      #expect(generation?.alphabet == [0x30, 0x31])
      #expect(generation?.lengths.lowerBound == 30)
    }
  }

  @Test("each kind of the program says of what sort its secrets are, and its schema says the same")
  func builtInSorts() throws {
    var sorts: [String: SecretSort] = [:]
    for name in KindCatalog.builtIn.names {
      let kind = try KindCatalog.builtIn.kind(named: name)
      let again = try RecordKind(declared: kind.jsonSchema, name: "again")
      for field in kind.fields where field.isSealed {
        let copy = again.fields.first { $0.pattern == field.pattern }
        #expect(copy?.value.secretSort == field.value.secretSort, "\(name) \(field.pattern)")
        sorts["\(name) \(field.pattern)"] = field.value.secretSort
      }
    }
    #expect(
      sorts == [
        "customer access_key": .key, "customer atm_code": .pin, "login password": .password, "login totp": .otp,
        "login notes": .text, "login secrets.*": .text, "api-key secret": .token, "ssh-key private_key": .key,
        "ssh-key passphrase": .password, "payment-card number": .text, "payment-card security_code": .pin,
        "payment-card pin": .pin, "secure-note text": .text, "database password": .password, "custom secrets.*": .text,
        "file content": .text,
      ])
  }

  @Test("a migration may move a seal or open it, under a higher number")
  func migrationsMoveSeals() throws {
    let old = try kind(properties: #""s":{"type":"string","x-sealed":true}"#)
    let moved = #","x-schema":2,"x-migrations":{"2":[{"move":"s","to":"t"}]}"#
    #expect(try old.sealDropped(by: kind(properties: #""t":{"type":"string","x-sealed":true}"#, moved)) == nil)
    #expect(try old.sealDropped(by: kind(properties: #""t":{"type":"string"}"#, moved)) == "s")
    let opened = #","x-schema":2,"x-migrations":{"2":[{"open":"s"}]}"#
    #expect(try old.sealDropped(by: kind(properties: #""s":{"type":"string"}"#, opened)) == nil)
  }
}
