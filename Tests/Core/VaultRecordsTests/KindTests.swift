import FoundationEssentials
import Testing
import VaultCare
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing

@Suite("The kinds of the program")
struct KindTests {
  /// An example of every kind with every member, in clear.
  private static let examples = [
    "login": #"""
    {"title":"A","username":"u","password":"p","urls":["https://example.com"],"totp":"t","notes":"n",
     "fields":{"a":"b"},"secrets":{"pin":"1"},"tags":["x"]}
    """#,
    "api-key": #"""
    {"title":"A","issuer":"i","key_id":"k","secret":"s","scopes":["read"],"expires_at":"2027-01-01T00:00:00Z",
     "tags":["x"]}
    """#,
    "ssh-key": #"""
    {"title":"A","public_key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f a@b",
     "private_key":"p","passphrase":"w","tags":["x"]}
    """#,
    "payment-card": #"""
    {"title":"A","holder":"h","number":"4111 1111 1111 1111","expiry":"2027-01","security_code":"123","pin":"0000",
     "tags":["x"]}
    """#,
    "secure-note": #"{"title":"A","text":"t","tags":["x"]}"#,
    "database": #"""
    {"title":"A","engine":"postgresql","host":"h","port":5432,"database":"d","user":"u","password":"p","tags":["x"]}
    """#,
    "file": #"{"name":"A","media_type":"text/plain","size":1,"content":"eA==","tags":["x"]}"#,
    "custom": #"{"title":"A","fields":{"a":"b"},"secrets":{"c":"d"},"tags":["x"]}"#,
    "customer": #"""
    {"name":"A","access_key":"k","atm_code":"1","added_on":"2020-08-19T18:50:26Z",
     "address":{"street":"s","city":"c","zip":"z"},
     "contact_info":{"home_phone":"h","cellular_phone":"c","email":"e","website":"w"},"tags":["x"]}
    """#,
  ]

  private func context() throws -> SealingContext {
    try SealingContext(applicationKey: .random(count: 32), bound: ["kinds"])
  }

  @Test("each keeps every member through its type, seals what it says, and fits its own description")
  func examplesRoundTrip() throws {
    #expect(Set(KindCatalog.builtIn.names) == Set(Self.examples.keys))
    #expect(Set(KindCatalog.builtIn.names) == RecordKind.reservedNames.union(["file"]))
    let context = try context()
    for (name, text) in Self.examples {
      let kind = try KindCatalog.builtIn.kind(named: name)
      var expected = try kind.completed(object(text), before: nil)
      let sealed = try kind.sealed(clear: object(text), in: context)
      #expect(kind.faults(in: sealed).isEmpty, "\(name)")
      #expect(sealed.names == expected.names, "\(name)")
      #expect(kind.title(of: sealed) == "A")
      var count = 0
      JSONValue.object(sealed).forEachString { path, text in
        let isSealed = kind.value(at: path)?.isSealed
        #expect(isSealed == SealedToken.hasTokenShape(text), "\(name) \(path)")
        if isSealed == true { count += 1 }
      }
      #expect(count > 0, "\(name)")
      for field in kind.fields where field.isRequired {
        expected = object(text)
        expected[field.path.description] = nil
        #expect(throws: RecordError(.missingMember, ""), "\(name) \(field.pattern)") {
          try kind.sealed(clear: expected, in: context)
        }
      }
    }
  }

  @Test("the JSON Schema that one prints declares a kind that takes and seals the same")
  func schemasSayTheSame() throws {
    let context = try context()
    for (name, text) in Self.examples {
      let kind = try KindCatalog.builtIn.kind(named: name)
      let declared = try RecordKind(declared: kind.jsonSchema, name: "other")
      #expect(declared.schema == kind.schema)
      #expect(declared.titlePaths.first == kind.titlePaths.first)
      #expect(Set(declared.fields.map(\.pattern)) == Set(kind.fields.map(\.pattern)))
      let clear = try kind.completed(object(text), before: nil)
      let sealed = try declared.sealed(clear: clear, in: context)
      for field in kind.fields {
        #expect(declared.fields.first { $0.pattern == field.pattern }?.isSealed == field.isSealed, "\(name)")
      }
      #expect(kind.faults(in: sealed).isEmpty, "\(name)")
      #expect(declared.sealDropped(by: kind) == nil)
      #expect(kind.sealDropped(by: declared) == nil)
    }
  }

  @Test(
    "values that make no sense are refused with their member",
    arguments: [
      ("login", #"{"title":""}"#, "title"), ("login", #"{"title":"A","urls":["example.com"]}"#, "urls[0]"),
      ("login", #"{"title":"A","secrets":{"pin":1}}"#, "secrets.pin"),
      ("database", #"{"engine":"mysql","host":"h","port":0}"#, "port"),
      ("database", #"{"engine":"mysql","host":"h","port":65536}"#, "port"),
      ("database", #"{"engine":"my sql","host":"h"}"#, "engine"),
      ("payment-card", #"{"holder":"h","number":"4111","expiry":"13/27"}"#, "expiry"),
      ("payment-card", #"{"holder":"h","number":"four"}"#, "number"),
      ("api-key", #"{"issuer":"i","secret":"s","expires_at":"soon"}"#, "expires_at"),
      ("ssh-key", #"{"public_key":"ssh-ed25519 AAAA","private_key":"p"}"#, "public_key"),
      ("custom", #"{"title":"A","tags":["x",""]}"#, "tags[1]"), ("secure-note", #"{"title":"A"}"#, "text"),
      ("customer", #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","tags":"x"}"#, "tags"),
    ])
  func refused(_ name: String, _ text: String, _ path: String) throws {
    let kind = try KindCatalog.builtIn.kind(named: name)
    do throws(RecordError) {
      _ = try kind.sealed(clear: object(text), in: try! context())
      Issue.record("\(text) must be refused")
    } catch {
      #expect(error.path == path)
    }
  }

  @Test("the fingerprint of an SSH key is derived, follows its key, and no other is taken")
  func fingerprints() throws {
    let kind = try KindCatalog.builtIn.kind(named: "ssh-key")
    let text = try #require(Self.examples["ssh-key"])
    let old = try kind.completed(object(text), before: nil)
    // ssh-keygen -l prints this of the key whose 32 bytes are 0 to 31.
    #expect(old["fingerprint"] == "SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA")
    var changed = old
    changed["public_key"] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4g"
    let completed = try kind.completed(changed, before: old)
    #expect(completed["fingerprint"] != old["fingerprint"])
    #expect(completed["fingerprint"] != nil)
    #expect(throws: RecordError(.invalidValue, "")) { try kind.completed(changed, before: nil) }
  }

  @Test("the size of a file is derived from its content, and no other is taken")
  func sizes() throws {
    let kind = try KindCatalog.builtIn.kind(named: "file")
    for (content, size) in [("", 0), ("eA==", 1), ("eHg=", 2), ("eHh4", 3)] {
      let clear = object(#"{"name":"n","content":"\#(content)"}"#)
      #expect(try kind.sealed(clear: clear, in: context())["size"]?.int == size)
    }
    for bad in [#""content":"eA==","size":2"#, #""content":"eA""#, #""content":"eB==""#, #""content":"e A=""#] {
      #expect(throws: RecordError(.invalidValue, ""), "\(bad)") {
        try kind.check(clear: object("{\"name\":\"n\",\(bad)}"))
      }
    }
  }

  @Test("a kind that came later gives way to one that a vault, or a program, has of the same name")
  func laterNames() throws {
    let schema = #"{"type":"object","properties":{"title":{"type":"string"}}}"#
    let declared = try KindCatalog(declared: JSONObject([("file", .object(object(schema)))]))
    #expect(try declared.kind(named: "file").value(at: MemberPath(parsing: "content")) == nil)
    #expect(declared.names.filter { $0 == "file" }.count == 1)
  }

  @Test("a customer of schema 1 is taken as input, and paths of schema 1 lead to the same values")
  func customerOfSchema1() throws {
    let kind = try KindCatalog.builtIn.kind(named: "customer")
    let input = object(#"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","website":"w"}"#)
    let members = try kind.sealed(clear: input, in: context())
    #expect(members["website"] == nil)
    #expect(members["contact_info"]?["website"] == "w")
    let path = MemberPath([.member("website")])
    #expect(kind.pathInCurrentSchema(path).description == "contact_info.website")
    #expect(kind.value(at: path) != nil)
    #expect(kind.pathInCurrentSchema(MemberPath([.member("name")])).description == "name")
  }
}
