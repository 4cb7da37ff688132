import FoundationEssentials
import Testing
import VaultCare
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing
import VaultTestSupport

@Suite("The customer kind")
struct CustomerTests {
  private let customer = Customer(
    name: "Shai Mishali", accessKey: "S|_|p3rs3cr37", atmCode: "1132",
    addedOn: Date(timeIntervalSince1970: 1_597_863_026),
    street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112",
    homePhone: "+1 212-555-0001", cellularPhone: "+1 212-555-0002", email: "shai@example.com", website: nil)

  private func context() throws -> SealingContext {
    try SealingContext(applicationKey: .random(count: 32), bound: ["customer"])
  }

  private func input(_ text: String) throws -> JSONObject {
    guard case .object(let members) = try JSONParser.parse([UInt8](text.utf8)) else { return JSONObject() }
    return members
  }

  @Test("is grouped in nested objects in its JSON, in snake case, with two sealed members")
  func shape() throws {
    let members = try customer.encoded(in: context())
    #expect(members.names == ["access_key", "added_on", "address", "atm_code", "contact_info", "name"])
    let tree = JSONValue.object(members)
    #expect(try tree.value(at: MemberPath(parsing: "address.zip")) == .string("87112"))
    #expect(try tree.value(at: MemberPath(parsing: "contact_info.home_phone")) == .string("+1 212-555-0001"))
    #expect(try tree.value(at: MemberPath(parsing: "added_on")) == .string("2020-08-19T18:50:26Z"))
    for path in ["access_key", "atm_code"] {
      guard case .string(let text) = try tree.value(at: MemberPath(parsing: path)) else { continue }
      #expect(SealedToken.hasTokenShape(text))
    }
  }

  @Test("declares exactly the members that its type encodes, with the same ones sealed")
  func fieldsAgree() throws {
    var full = customer
    full.website = "https://example.com"
    full.tags = ["gold"]
    let tree = JSONValue.object(try full.encoded(in: context()))
    let fields = RecordKind(of: Customer.self).fields
    for field in fields {
      let path = field.suffix.isEmpty ? field.path : field.path.appending(0)
      guard case .string(let text) = try tree.value(at: path) else {
        Issue.record("\(field.path) is no text")
        continue
      }
      #expect(SealedToken.hasTokenShape(text) == field.isSealed, "\(field.path)")
    }
    var leaves = 0
    tree.forEachString { _, _ in leaves += 1 }
    #expect(leaves == fields.count)
  }

  @Test(
    "input may have camel case, stand flat, and give codes and dates as numbers",
    arguments: [
      #"{"name":"A","accessKey":"k","atmCode":5962,"addedOn":619552896.56,"street":"S","city":"C","zip":87112,"homePhone":"1","cellularPhone":"3","email":"e","website":"w"}"#,
      #"{"name":"A","access_key":"k","atm_code":"5962","added_on":"2020-08-19T18:01:36.56Z","address":{"street":"S","city":"C"},"zip":"87112","contactInfo":{"homePhone":"1","cellularPhone":"3","email":"e"},"website":"w"}"#,
    ])
  func spellings(_ text: String) throws {
    let context = try context()
    let members = try RecordKind(of: Customer.self).sealed(clear: input(text), in: context)
    let customer = try Customer.decoded(from: members, in: context)
    #expect(try customer.atmCode?.reveal() == "5962")
    #expect(try customer.accessKey.reveal() == "k")
    #expect(abs(customer.addedOn.timeIntervalSinceReferenceDate - 619_552_896.56) < 0.001)
    #expect(customer.zip == "87112")
    #expect(customer.street == "S")
    #expect(customer.city == "C")
    #expect(customer.homePhone == "1")
    #expect(customer.cellularPhone == "3")
    #expect(customer.email == "e")
    #expect(customer.website == "w")
  }

  @Test(
    "a value in two spellings, a code with a fraction and a date out of time are refused",
    arguments: [
      #""accessKey":"x""#, #""zip":1,"address":{"zip":2}"#, #""atmCode":1.5"#, #""added_on":1e300"#, #""atmCode":true"#,
    ])
  func badSpellings(_ member: String) throws {
    let date = member.contains("added_on") ? "" : #","added_on":0"#
    let text = #"{"name":"A","access_key":"k","# + member + date + "}"
    let context = try context()
    #expect(throws: RecordError.self) { try RecordKind(of: Customer.self).sealed(clear: input(text), in: context) }
  }

  @Test("round-trips through JSON and property lists")
  func roundTrip() throws {
    let context = try context()
    #expect(try Customer.decoded(from: customer.encoded(in: context), in: context) == customer)
    let encoder = PropertyListEncoder()
    encoder.userInfo[.sealingContext] = context
    let decoder = PropertyListDecoder()
    decoder.userInfo[.sealingContext] = context
    #expect(try decoder.decode(Customer.self, from: encoder.encode(customer)) == customer)
  }

  @Test("keeps a zip that is a number as its digits")
  func numericZip() throws {
    let context = try context()
    let kind = RecordKind(of: Customer.self)
    let members = try kind.sealed(
      clear: input(
        #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","address":{"zip":87112}}"#), in: context)
    #expect(try JSONValue.object(members).value(at: MemberPath(parsing: "address.zip")) == .string("87112"))
  }

  @Test(
    "refuses bad input with code and field, and without its content",
    arguments: [
      (#"{"access_key":"marker","added_on":"2020-08-19T18:50:26Z"}"#, RecordError.Code.missingMember, "name"),
      (#"{"name":"A","added_on":"2020-08-19T18:50:26Z"}"#, .missingMember, "access_key"),
      (#"{"name":"A","access_key":null,"added_on":"2020-08-19T18:50:26Z"}"#, .missingMember, "access_key"),
      (#"{"name":"A","access_key":"marker"}"#, .missingMember, "added_on"),
      (#"{"name":"A","access_key":"k","added_on":"marker"}"#, .invalidValue, "added_on"),
      (#"{"name":"A","access_key":12345,"added_on":"2020-08-19T18:50:26Z"}"#, .wrongType, "access_key"),
      (
        #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","contact_info":"marker"}"#, .wrongType,
        "contact_info"
      ),
      (
        #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","address":{"zip":8.5}}"#, .wrongType,
        "address.zip"
      ),
      (#"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","fax":"marker"}"#, .unknownMember, "fax"),
      (
        #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","address":{"floor":"marker"}}"#,
        .unknownMember, "address.floor"
      ),
      (
        #"{"name":"A","access_key":"k","added_on":"2020-08-19T18:50:26Z","$vault":{"id":"marker"}}"#,
        .reservedMember, "$vault"
      ),
    ])
  func refused(text: String, code: RecordError.Code, path: String) throws {
    let kind = RecordKind(of: Customer.self)
    do throws(RecordError) {
      _ = try kind.sealed(clear: try! input(text), in: try! context())
      Issue.record("must be refused")
    } catch {
      #expect(error.code == code)
      #expect(error.path == path)
      var dumped = "\(error)"
      dump(error, to: &dumped)
      #expect(!dumped.contains("marker"))
    }
  }

  @Test("whatever fits the description decodes, and what does not decode does not fit")
  func fieldsDescribe() throws {
    var random = SeededGenerator.announced(for: "fieldsDescribe")
    let context = try context()
    let kind = try KindCatalog.builtIn.kind(named: "customer")
    let good = try customer.encoded(in: context)
    #expect(kind.faults(in: good).isEmpty)
    var fitting = 0
    let values: [JSONValue?] = [
      nil, .null, .bool(true), .number(JSONNumber(7)), .string(""), .string("text"), .string("2020-08-19T18:50:26Z"),
      .array([]), .object(JSONObject()), good["access_key"], good["address"],
    ]
    for _ in 0..<3000 {
      var tree = JSONValue.object(good)
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        guard let field = kind.fields.randomElement(using: &random) else { continue }
        let depth = Int.random(in: 1...field.path.components.count, using: &random)
        let path = MemberPath(Array(field.path.components.prefix(depth)))
        // A parent that is not an object any more has no members to change.
        if let value = values.randomElement(using: &random) ?? nil {
          try? tree.set(value, at: path)
        } else {
          try? tree.remove(at: path)
        }
      }
      guard case .object(let members) = tree, kind.faults(in: members).isEmpty else { continue }
      fitting += 1
      #expect(throws: Never.self) { try Customer.decoded(from: members, in: context) }
    }
    #expect(fitting > 100)
    print("fieldsDescribe: 3000 records, \(fitting) fit and decode")
  }

  @Test("a declared kind of the same members makes what the type makes of the same input, or the same error")
  func typeOrDeclared() throws {
    var random = SeededGenerator.announced(for: "typeOrDeclared")
    let context = try context()
    let kind = RecordKind(of: Customer.self)
    let declared = try RecordKind(declared: kind.jsonSchema, name: kind.name)
    let values: [JSONValue] = [
      .null, .bool(true), .string(""), .string("text \u{1F511}\n\"\\"),
      .string("2020-08-19T18:50:26Z"), .string("2020-08-19T18:50:26.120Z"), .string("2020-08-19T20:50:26+02:00"),
      .string("2020-08-19T18:50:26.123456789Z"), .array([]), .object(JSONObject()),
    ]
    var sealedCount = 0
    for _ in 0..<2000 {
      var tree = JSONValue.object(JSONObject())
      for field in kind.fields where field.suffix.isEmpty && (field.isRequired || Bool.random(using: &random)) {
        try tree.set(.string(field.isDate ? "2021-02-03T04:05:06Z" : "some text"), at: field.path)
      }
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        guard let field = kind.fields.randomElement(using: &random), let value = values.randomElement(using: &random)
        else { continue }
        let depth = Int.random(in: 1...field.path.components.count, using: &random)
        try? tree.set(value, at: MemberPath(Array(field.path.components.prefix(depth))))
      }
      guard case .object(let input) = tree else { continue }
      let results = [kind, declared].map { kind in
        Result { () throws(RecordError) in try kind.sealed(clear: input, in: context) }
      }
      switch (results[0], results[1]) {
      case (.success(let typed), .success(let walked)):
        sealedCount += 1
        #expect(try Customer.decoded(from: typed, in: context) == Customer.decoded(from: walked, in: context))
        #expect(try comparable(.object(typed)) == comparable(.object(walked)))
      case (.failure(let one), .failure(let other)): #expect(one == other && one.path == other.path, "\(one) \(other)")
      default: Issue.record("one is refused and the other is not: \(results)")
      }
    }
    print("typeOrDeclared: 2000 inputs, \(sealedCount) sealed")
    #expect(sealedCount > 500)
  }

  /// With one text for all tokens, and without members that hold nothing: a type leaves them out.
  private func comparable(_ value: JSONValue) throws -> JSONValue {
    switch value {
    case .string(let text) where SealedToken.hasTokenShape(text): return .string("token")
    case .object(let members):
      var result = JSONObject()
      for (name, value) in members {
        let value = try comparable(value)
        if value != .object(JSONObject()) && value != .array([]) { result[name] = value }
      }
      return .object(result)
    default: return value
    }
  }
}
