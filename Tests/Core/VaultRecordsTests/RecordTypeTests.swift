import FoundationEssentials
import Testing
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultRecords

private enum Level: String, Codable, CaseIterable { case low, high }

/// A text that begins with `good`.
private struct Mood: Codable, Sendable {
  let text: String

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard text.hasPrefix("good") else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "is bad"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct ServiceAccount: VaultRecord, Equatable {
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var zip: String?
  }

  var name: String
  var token: EncryptedCodableString
  var codes: Sealed<[String]>?
  var port: Int?
  var share: Double
  var isActive: Bool
  var host: URL?
  var since: Date
  var number: UUID
  var level: Level
  var place: Place
  var tags: [String]
  var notes: [String: EncryptedCodableString]
}

/// One whose members cannot be learned.
private struct Moody: VaultRecord {
  var name: String
  var mood: Mood
}

/// One of whose members one alone is described.
private struct Exemplary: VaultRecord {
  static let described: [String: ValueSchema] = ["mood": .text.example("good")]
  var mood: Mood
  var name: String
  var secret: EncryptedCodableString
}

/// Its password is readable, which is a mistake.
private struct Careless: VaultRecord {
  var name: String
  var password: String
}

/// Its password is readable, and the type says so.
private struct Careful: VaultRecord {
  static let described: [String: ValueSchema] = ["password": .text]
  var name: String
  var password: String
}

private struct Described: VaultRecord {
  static let titlePaths = ["name"]
  static let content = [MemberSchema("name", .text, required: true), MemberSchema("mood", .text, required: true)]
  var name: String
  var mood: Mood
}

private struct SealedTitle: VaultRecord {
  static let titlePaths = ["secret"]
  var name: String
  var secret: EncryptedCodableString
}

private struct LostTitle: VaultRecord {
  static let titlePaths = ["name", "gone"]
  var name: String
}

private struct NumberTitle: VaultRecord {
  static let titlePaths = ["number"]
  var number: Int
}

private struct BadTitle: VaultRecord {
  static let titlePaths = ["a..b"]
  var name: String
}

/// Records that are described wrongly, one each.
private struct Forgotten: VaultRecord {
  static let content = [MemberSchema("name", .text, required: true)]
  var name: String
  var secret: EncryptedCodableString
}

private struct Invented: VaultRecord {
  static let content = [MemberSchema("name", .text, required: true), MemberSchema("more", .text)]
  var name: String
}

private struct Unsealed: VaultRecord {
  static let content = [MemberSchema("secret", .text, required: true)]
  var secret: EncryptedCodableString
}

private struct Oversealed: VaultRecord {
  static let content = [MemberSchema("name", .text.sealed, required: true)]
  var name: String
}

private struct Optionally: VaultRecord {
  static let content = [MemberSchema("name", .text)]
  var name: String
}

private struct Mistyped: VaultRecord {
  static let content = [MemberSchema("port", .text, required: true)]
  var port: Int
}

@Suite("A record type that says nothing but its members") struct RecordTypeTests {
  private let sample = ServiceAccount(
    name: "n", token: "t", codes: Sealed(["c"]), port: 1, share: 0.5, isActive: true,
    host: URL(string: "https://example.com"), since: Date(timeIntervalSince1970: 1_597_863_026), number: UUID(),
    level: .high, place: .init(city: "Santa Fe", zip: nil), tags: ["a"], notes: ["b": "c"])

  private func member(_ name: String) throws -> MemberSchema {
    try #require(RecordKind(of: ServiceAccount.self).content.member(named: name))
  }

  @Test("has a kind, a title and all members, in their order")
  func learned() throws {
    #expect(RecordKind.fault(of: ServiceAccount.self) == nil)
    try RecordKind.check(of: ServiceAccount.self)
    let kind = RecordKind(of: ServiceAccount.self)
    #expect(kind.name == "service-account")
    #expect(kind.titlePaths.map(\.description) == ["name"])
    #expect(
      kind.content.inOrder.map(\.name) == [
        "name", "token", "codes", "port", "share", "isActive", "host", "since", "number", "level", "place", "tags",
        "notes",
      ])
  }

  @Test("says of each what it is, whether it is sealed, and whether there must be one")
  func members() throws {
    #expect(try member("token").value.isSealed)
    #expect(try member("token").value.isText)
    #expect(try member("token").isRequired)
    #expect(try member("codes").value.isSealed)
    #expect(try !member("codes").isRequired)
    #expect(try member("port").value.typeName == "integer")
    #expect(try !member("port").isRequired)
    #expect(try member("share").value.typeName == "number")
    #expect(try member("isActive").value.typeName == "bool")
    #expect(try member("since").value.isMoment)
    #expect(try member("since").isRequired)
    #expect(try member("number").value.isText)
    #expect(try member("host").value.isText)
    #expect(try member("level").value.allowed == [.string("low"), .string("high")])
    let kind = RecordKind(of: ServiceAccount.self)
    #expect(kind.fields.map(\.path.description).contains("place.city"))
    #expect(try member("tags").value.typeName == "list")
    #expect(try member("notes").value.typeName == "map")
    #expect(try member("notes").value.holdsSealed)
    for (path, isRequired) in [("city", true), ("zip", false)] {
      guard case .object(let rule) = try member("place").value.form else { return #expect(Bool(false)) }
      #expect(rule.member(named: path)?.isRequired == isRequired)
    }
  }

  @Test("is taken, and refused with clear text where a secret belongs, by what was learned")
  func stored() throws {
    let kind = RecordKind(of: ServiceAccount.self)
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    let members = try sample.encoded(in: context)
    #expect(kind.faults(in: members).isEmpty)
    try kind.validate(members, in: context)
    #expect(try ServiceAccount.decoded(from: members, in: context) == sample)
    var clear = members
    clear["token"] = .string("t")
    #expect(kind.clearTextPath(in: clear)?.description == "token")
    clear = members
    clear["level"] = .string("middle")
    #expect(kind.faults(in: clear).map(\.path) == ["level"])
  }

  @Test("whose values are restricted in a way that nobody can know is refused until it is described")
  func unknown() throws {
    let fault = try #require(RecordKind.fault(of: Moody.self))
    #expect(fault.path == "mood")
    #expect("\(fault)".contains("Moody"))
    #expect("\(fault)".contains("`described`"), "\(fault)")
    #expect(RecordKind.fault(of: Described.self) == nil)
    try RecordKind.check(of: Described.self)
  }

  @Test("a member that cannot be learned is described alone, and the others are learned")
  func described() throws {
    try RecordKind.check(of: Exemplary.self)
    let content = RecordKind(of: Exemplary.self).content
    #expect(content.inOrder.map(\.name) == ["mood", "name", "secret"])
    #expect(content.member(named: "secret")?.value.isSealed == true)
    #expect(content.member(named: "mood")?.value.isText == true)
  }

  @Test("a readable text with the name of a secret is told, unless the type says that it is none")
  func clearSecret() throws {
    let error = #expect(throws: RecordError.self) { try RecordKind.check(of: Careless.self) }
    #expect(error?.path == "password")
    try RecordKind.check(of: Careful.self)
  }

  @Test("a title of a type leads to a readable text", arguments: ["", "secret", "gone", "number", "a..b"])
  func titles(_ path: String) throws {
    let type: any VaultRecord.Type =
      switch path {
      case "secret": SealedTitle.self
      case "gone": LostTitle.self
      case "number": NumberTitle.self
      case "a..b": BadTitle.self
      default: Exemplary.self
      }
    let fault = RecordKind.fault(of: type)
    #expect(fault?.path == (path.isEmpty ? nil : "titlePaths"), "\(String(describing: fault))")
    if !path.isEmpty { #expect("\(try #require(fault))".contains("`\(path)`"), "\(String(describing: fault))") }
  }

  @Test("the types of this program are described as they are read", arguments: KindCatalog.builtInTypes.map { "\($0)" })
  func builtIn(_ name: String) throws {
    let type = try #require(KindCatalog.builtInTypes.first { "\($0)" == name })
    try RecordKind.check(of: type)
  }

  @Test("a description that differs from the type is told with the member")
  func wrong() {
    let cases: [(any VaultRecord.Type, String, String)] = [
      (Forgotten.self, "secret", "not described"), (Invented.self, "more", "never reads"),
      (Unsealed.self, "secret", "is sealed"), (Oversealed.self, "name", "in clear"),
      (Optionally.self, "name", "required"), (Mistyped.self, "port", "a whole number"),
    ]
    for (type, path, words) in cases {
      let error = #expect(throws: RecordError.self, "\(type)") { try RecordKind.check(of: type) }
      #expect(error?.path == path, "\(type): \(String(describing: error))")
      #expect(error?.reason.contains(words) == true, "\(type): \(String(describing: error))")
    }
  }
}
