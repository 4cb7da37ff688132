import FoundationEssentials
import Testing
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing

/// A member of each type that a record may have, each written once.
private struct Badge: DescribedRecord, Equatable {
  var owner = ""
  var code: EncryptedCodableString = ""
  var room: String?
  var floor = 0
  var height: Double?
  var isActive = true
  var since = Date(timeIntervalSinceReferenceDate: 0)
  var page: URL?
  var pin: EncryptedCodableString?
  var doors: [Int] = []
  var marks: [String: Bool] = [:]
  /// No member.
  var isShown = true

  static let kindName = "badge"
  static let titlePaths = ["owner"]
  static let blank = Badge()
  static let members: [Member<Badge>] = [
    Member("owner", \.owner, "Owner", as: .name),
    Member("code", \.code, "Code"),
    .nested("place", [Member("room", \.room, "Room"), Member("floor", \.floor)]),
    .nested("about", [Member("height", \.height), Member("page", \.page)]),
    Member("is_active", \.isActive),
    Member("since", \.since),
    Member("pin", \.pin, "PIN", as: .text("^[0-9]+$")),
    Member("doors", \.doors, of: .port),
    Member("marks", \.marks),
  ]
}

@Suite("Records whose members are listed once")
struct DescribedRecordTests {
  private func context() throws -> SealingContext {
    try SealingContext(applicationKey: .random(count: 32), bound: ["badge"])
  }

  private func object(_ text: String) throws -> JSONObject {
    try #require(try JSONParser.parse([UInt8](text.utf8)).object)
  }

  @Test("what is listed is encoded, decoded, sealed and described")
  func whole() throws {
    let context = try context()
    var badge = Badge(owner: "Ada", code: "c0de", room: "7", floor: -1, height: 0.5, isActive: false, pin: "12")
    badge.page = URL(string: "https://example.com/ada")
    badge.doors = [1, 2]
    badge.marks = ["late": true]
    badge.isShown = false
    let members = try badge.encoded(in: context)
    #expect(
      members.names == ["about", "code", "doors", "is_active", "marks", "owner", "pin", "place", "since"])
    for path in ["code", "pin"] { #expect(SealedToken.hasTokenShape(try #require(members[path]?.string))) }
    var decoded = try Badge.decoded(from: members, in: context)
    #expect(decoded.isShown)
    decoded.isShown = false
    #expect(decoded == badge)
    #expect(RecordKind(of: Badge.self).faults(in: members).isEmpty)
    // Other encoders are served, too.
    let json = try JSONEncoder.sealing(with: context).encode(badge)
    #expect(try JSONDecoder.opening(with: context).decode(Badge.self, from: json).code == "c0de")
  }

  @Test("what is empty or nil is absent, an object of such members as well")
  func absent() throws {
    let members = try Badge(owner: "Ada", code: "c").encoded(in: context())
    #expect(members.names == ["code", "is_active", "owner", "place", "since"])
    #expect(members["place"]?.object?.names == ["floor"])
  }

  @Test("a required member, a rule and a wrong type are refused with their path")
  func refused() throws {
    let kind = RecordKind(of: Badge.self)
    let rest = #","is_active":true,"since":"2020-01-01T00:00:00Z","place":{"floor":1}"#
    for (text, code, path) in [
      (#"{"owner":"A""# + rest + "}", RecordError.Code.missingMember, "code"),
      (#"{"owner":"A","code":"c","pin":"x""# + rest + "}", .invalidValue, "pin"),
      (#"{"owner":"","code":"c""# + rest + "}", .invalidValue, "owner"),
      (#"{"owner":"A","code":"c","doors":[0]"# + rest + "}", .invalidValue, "doors[0]"),
      (#"{"owner":"A","code":"c","marks":{"a":1}"# + rest + "}", .wrongType, "marks.a"),
    ] {
      do throws(RecordError) {
        _ = try kind.sealed(clear: try! object(text), in: try! context())
        Issue.record("must be refused: \(path)")
      } catch {
        #expect(error.code == code)
        #expect(error.path == path)
      }
    }
    #expect(kind.fields.map(\.pattern).contains("doors[]"))
    #expect(kind.fields.filter(\.isSealed).count == 2)
  }
}
