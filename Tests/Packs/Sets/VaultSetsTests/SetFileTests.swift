import Testing
import VaultDocument
import VaultKit
import VaultRecords
import VaultSets
import VaultTestSupport

@Suite("The file of a set")
struct SetFileTests {
  private static let id = "5adb9ba0-1f1b-4c8e-9b52-6f4f2c0b9a01"

  private func set(_ members: String) throws -> VaultSet {
    try VaultSet(parsing: Array(#"{"format":1,"vaults":[\#(members)]}"#.utf8), file: "vaults.json")
  }

  @Test("what is written is what was read, byte for byte, with rules and members")
  func roundTrip() throws {
    let text = """
      {
        "format" : 1,
        "vaults" : [
          {
            "id" : "\(Self.id)",
            "members" : [
              "age1xyz"
            ],
            "name" : "ops",
            "place" : "../ops",
            "takes" : [
              {
                "kind" : "login",
                "tags" : "prod"
              }
            ]
          }
        ]
      }

      """
    #expect(try VaultSet(parsing: Array(text.utf8), file: "f").fileBytes() == Array(text.utf8))
  }

  @Test(
    "what is not exactly a set is refused, and the member is named",
    arguments: [
      (#"{"name":"ops","place":"ops"}"#, "vaults[0].id"), (#"{"id":"x","name":"ops","place":"ops"}"#, "vaults[0].id"),
      (#"{"id":"ID","place":"ops"}"#, "vaults[0].name"), (#"{"id":"ID","name":"a:b","place":"ops"}"#, "name"),
      (#"{"id":"ID","name":"-a","place":"ops"}"#, "name"), (#"{"id":"ID","name":"ops","place":""}"#, "ops.place"),
      (#"{"id":"ID","name":"ops","place":"a\nb"}"#, "ops.place"),
      (#"{"id":"ID","name":"ops","place":"postgresql://u:p@h/d"}"#, "ops.place"),
      (#"{"id":"ID","name":"ops","place":"o","more":1}"#, "vaults[0].more"),
      (#"{"id":"ID","name":"ops","place":"o","takes":[{}]}"#, "vaults[0].takes[0]"),
      (#"{"id":"ID","name":"ops","place":"o","takes":[{"tags[":"x"}]}"#, "vaults[0].takes[0].tags["),
      (#"{"id":"ID","name":"ops","place":"o","takes":[{"tags":1}]}"#, "vaults[0].takes[0].tags"),
      (#"{"id":"ID","name":"ops","place":"o","members":"age1"}"#, "vaults[0].members"),
    ])
  func refusals(_ text: String, _ field: String) throws {
    let error = #expect(throws: VaultError.self) { try set(text.replacing("ID", with: Self.id)) }
    #expect(error?.code == .inputRefused)
    #expect(error?.field == field)
    #expect(error?.file == "vaults.json")
  }

  @Test("two vaults of one name, in any case, and one vault of two names are refused")
  func twins() {
    let other = Self.id.replacing("5adb", with: "6adb")
    func member(_ name: String, _ id: String) -> String { #"{"id":"\#(id)","name":"\#(name)","place":"p"}"# }
    #expect(throws: VaultError.self) { try set(member("ops", Self.id) + "," + member("OPS", other)) }
    #expect(throws: VaultError.self) { try set(member("ops", Self.id) + "," + member("more", Self.id)) }
    #expect(throws: Never.self) { try set(member("ops", Self.id) + "," + member("more", other)) }
  }

  @Test("a rule takes what has all its values, by itself or in a list, and never goes by what is sealed")
  func rules() throws {
    let rule =
      #"{"id":"\#(Self.id)","name":"ops","place":"p","takes":[{"kind":"login","tags":"prod"},{"password":"p"}]}"#
    let set = try set(rule)
    func takers(_ kind: String, _ text: String) throws -> Int {
      guard case .object(let fields) = try JSONParser.parse(Array(text.utf8)) else { return -1 }
      return set.takers(of: kind, KindCatalog.builtIn[kind], fields).count
    }
    #expect(try takers("login", #"{"tags":["web","prod"]}"#) == 1)
    #expect(try takers("login", #"{"tags":["web"]}"#) == 0)
    #expect(try takers("database", #"{"tags":["prod"]}"#) == 0)
    #expect(try takers("login", #"{"password":"p"}"#) == 0)
  }
}
