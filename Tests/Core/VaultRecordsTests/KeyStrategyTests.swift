import Foundation
import Testing
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// A plain type whose names in a file are in snake case.
private struct Account: VaultRecord, Equatable {
  struct Address: Codable, Equatable, Sendable { var homePhone = "1", imageURL = "u" }
  static let keyStyle: KeyStyle? = .snake
  static let titlePaths = ["full_name"]
  var fullName = "Ada"
  var accessKey: EncryptedCodableString = "s"
  var address = Address()
  var extraNotes = ["someNote": Address()]
  var mixedList = [Address()]
  var cases = Cases.firstCase(innerValue: "v")
  enum Cases: Codable, Equatable, Sendable { case firstCase(innerValue: String), secondCase(otherValue: Int) }
}

@Suite("Key strategies") struct KeyStrategyTests {
  private static let encoders: [(name: String, strategy: JSONEncoder.KeyEncodingStrategy)] = [
    ("as they are", .useDefaultKeys), ("snake", .convertToSnakeCase), ("camel", .style(.camel)),
    ("kebab", .style(.kebab)),
  ]
  private static let decoders: [(name: String, strategy: JSONDecoder.KeyDecodingStrategy)] = [
    ("as they are", .useDefaultKeys), ("from snake", .convertFromSnakeCase), ("camel", .style(.camel)),
    ("snake", .style(.snake)),
  ]

  /// The clear members of a record with a value for each member of its kind.
  private static func full(_ name: String) throws -> JSONObject {
    let json = try #require(Self.samples[name], "\(name)")
    let members = try #require(try JSONParser.parse(Array(json.utf8)).object)
    let kind = try #require(KindCatalog.builtIn[name])
    let missing = kind.content.members.map(\.name).filter { members[$0] == nil }
    #expect(missing.isEmpty, "\(name): \(missing)")
    return members
  }

  private static let custom = #""fields":{"some_name":"v","other-name":"w"},"secrets":{"someName":"v"},"tags":["t"]"#
  private static let samples = [
    "customer": """
    {"name":"n","access_key":"k","atm_code":"1234","added_on":"2020-08-19T18:50:26Z",
    "address":{"street":"s","city":"c","zip":"1"},
    "contact_info":{"home_phone":"1","cellular_phone":"2","email":"e","website":"w"},"tags":["t"]}
    """,
    "login": """
    {"title":"t","username":"u","password":"p","urls":["https://example.com"],"totp":"JBSWY3DPEHPK3PXP","notes":"n",
    \(custom)}
    """,
    "api-key": """
    {"title":"t","issuer":"i","key_id":"k","secret":"s","scopes":["s"],"expires_at":"2030-01-01T00:00:00Z",\(custom)}
    """,
    "ssh-key": """
    {"title":"t","public_key":"p","private_key":"k","passphrase":"w","fingerprint":"f",\(custom)}
    """,
    "payment-card": """
    {"title":"t","holder":"h","number":"4111111111111111","expiry":"2030-01","security_code":"123","pin":"1234",
    \(custom)}
    """,
    "secure-note": "{\"title\":\"t\",\"text\":\"x\",\(custom)}",
    "database": """
    {"title":"t","engine":"postgresql","host":"h","port":5432,"database":"d","user":"u","password":"p",\(custom)}
    """,
    "custom": "{\"title\":\"t\",\(custom)}",
    "file": """
    {"name":"n","media_type":"text/plain","size":2,"content":"AQI=",\(custom)}
    """,
  ]

  @Test(
    "a kind comes back whole through any strategy of encoder and decoder, or not at all",
    arguments: KindCatalog.builtInTypes.map { $0.kindName })
  func kinds(_ name: String) throws {
    let type = try #require(KindCatalog.builtInTypes.first { $0.kindName == name })
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    func check<Record: VaultRecord>(_ type: Record.Type) throws {
      let members = try Record.decoded(from: Self.full(name), in: context.reading(.clearText)).encoded(in: context)
      let record = try Record.decoded(from: members, in: context)
      var equal = 0
      for (written, encoding) in Self.encoders {
        for (read, decoding) in Self.decoders {
          let encoder = JSONEncoder.sealing(with: context)
          encoder.keyEncodingStrategy = encoding
          let decoder = JSONDecoder.opening(with: context)
          decoder.keyDecodingStrategy = decoding
          let json = try encoder.encode(record)
          let back = try decoder.decode(Record.self, from: json).encoded(in: context)
          #expect(JSONValue.object(back) == .object(members), "\(written), \(read)")
          equal += 1
        }
      }
      #expect(equal == 16)
    }
    try check(type)
  }

  @Test("a property list in either form gives a kind back", arguments: KindCatalog.builtInTypes.map { $0.kindName })
  func propertyLists(_ name: String) throws {
    let type = try #require(KindCatalog.builtInTypes.first { $0.kindName == name })
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    func check<Record: VaultRecord>(_ type: Record.Type) throws {
      let members = try Record.decoded(from: Self.full(name), in: context.reading(.clearText)).encoded(in: context)
      let record = try Record.decoded(from: members, in: context)
      for form in [DocumentForm.propertyList, .binaryPropertyList, .json] {
        let back = try form.decode(Record.self, from: form.encode(record, with: context), with: context)
        #expect(JSONValue.object(try back.encoded(in: context)) == .object(members))
      }
    }
    try check(type)
  }

  @Test("two names of the same words are an error, and a member's own name counts")
  func ambiguous() throws {
    let context = SealingContext.locked.reading(.clearText)
    func decode(_ json: String) throws -> APIKey {
      try DocumentForm.json.decode(APIKey.self, from: Array(json.utf8), with: context)
    }
    let own = try decode(#"{"title":"t","issuer":"i","key_id":"own","keyId":"other","secret":"x"}"#)
    #expect(own.keyID == "own")
    #expect(try decode(#"{"title":"t","issuer":"i","keyId":"other","secret":"x"}"#).keyID == "other")
    #expect(throws: (any Error).self) {
      try decode(#"{"title":"t","issuer":"i","keyId":"a","key-id":"b","secret":"x"}"#)
    }
  }

  @Test("a type with a key style has its names in a file so, but for those in dictionaries")
  func keyStyle() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    let members = try Account().encoded(in: context)
    #expect(
      Set(members.names) == ["full_name", "access_key", "address", "extra_notes", "mixed_list", "cases"],
      "\(members.names)")
    #expect(Set(members["address"]?.object?.names ?? []) == ["home_phone", "image_url"])
    #expect(members["extra_notes"]?.object?.names == ["someNote"])
    #expect(members["extra_notes"]?.object?["someNote"]?.object?["home_phone"]?.string == "1")
    #expect(members["mixed_list"]?.array?.first?.object?["home_phone"]?.string == "1")
    #expect(members["cases"]?.object?["first_case"]?.object?["inner_value"]?.string == "v")
    #expect(try Account.decoded(from: members, in: context) == Account())
    try RecordKind.check(of: Account.self)
    let kind = RecordKind(of: Account.self)
    #expect(kind.title(of: members) == "Ada")
    #expect(kind.content.member(named: "access_key")?.value.isSealed == true)
    #expect(kind.faults(in: members).isEmpty)
  }

  @Test("a customer is read from flat JSON, as a type without objects writes it, in any style")
  func flat() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"]).reading(.clearText)
    let names = [
      ["accessKey", "atmCode", "addedOn", "homePhone", "cellularPhone"],
      ["access_key", "atm_code", "added_on", "home_phone", "cellular_phone"],
    ]
    for name in names {
      let json = """
        {"name":"Ada","\(name[0])":"k","\(name[1])":"1234","\(name[2])":"2020-08-19T18:50:26Z","street":"s","city":"c","zip":"1",
        "\(name[3])":"1","\(name[4])":"2","email":"e","website":"w"}
        """
      let decoder = JSONDecoder.opening(with: context)
      for strategy in [JSONDecoder.KeyDecodingStrategy.useDefaultKeys, .convertFromSnakeCase] {
        decoder.keyDecodingStrategy = strategy
        let customer = try decoder.decode(Customer.self, from: Data(json.utf8))
        #expect(customer.street == "s")
        #expect(customer.zip == "1")
        #expect(customer.homePhone == "1")
        #expect(customer.cellularPhone == "2")
        #expect(customer.website == "w")
        #expect(customer.atmCode == "1234")
      }
    }
  }
}
