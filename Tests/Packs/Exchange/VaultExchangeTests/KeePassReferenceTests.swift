import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("References between entries of KeePass")
struct KeePassReferenceTests {
  private static let id = "46C9B1FFBD4ABC4BBB260C6190BAD20C"

  private static func entry(_ number: UInt8, _ strings: KeyValuePairs<String, String>) -> String {
    let id = number == 0 ? "Rsmx/71KvEu7JgxhkLrSDA==" : Base64.encode([UInt8](repeating: number, count: 16))
    let texts = strings.map { "<String><Key>\($0.key)</Key><Value>\(Scalars.xml($0.value))</Value></String>" }
    return "<Entry><UUID>\(id)</UUID>\(texts.joined())</Entry>"
  }

  private static func file(_ entries: [String], generator: String = "KeePass") -> String {
    "<KeePassFile><Meta><Generator>\(generator)</Generator></Meta><Root><Group><UUID>g</UUID><Name>n</Name>"
      + "\(entries.joined())</Group></Root></KeePassFile>"
  }

  private static let live = entry(
    0,
    [
      "Title": "Live", "UserName": "ann", "Password": "p&w", "URL": "https://live.example", "Notes": "a note",
      "PIN": "7311",
    ])

  private func value(_ text: String, behind others: [String] = [live]) throws -> String? {
    let imported = try Imported("keepass-xml", Self.file(others + [Self.entry(9, ["Title": "x", "Password": text])]))
    return try imported.first("x").text("password")
  }

  @Test(
    "a reference gives the field of the entry that it looks for, by every letter of either side",
    arguments: [
      ("{REF:T@I:\(id)}", "Live"), ("{REF:U@I:\(id)}", "ann"), ("{REF:P@I:\(id)}", "p&w"),
      ("{REF:A@I:\(id)}", "https://live.example"), ("{REF:N@I:\(id)}", "a note"), ("{REF:I@T:Live}", id),
      ("{REF:P@T:Live}", "p&w"), ("{REF:P@U:ann}", "p&w"), ("{REF:T@P:p&w}", "Live"),
      ("{REF:P@A:https://live.example}", "p&w"), ("{REF:P@N:a note}", "p&w"), ("{REF:P@O:7311}", "p&w"),
      ("{ref:p@i:\(id.lowercased())}", "p&w"), ("a{REF:U@T:Live}b{REF:P@T:Live}c", "aannbp&wc"),
      ("{REF:P@T:LIVE}", "p&w"), ("{REF:P@T:iv}", "p&w"), ("{REF:X@T:Live}", "{REF:X@T:Live}"),
      ("{REF:P@X:Live}", "{REF:P@X:Live}"), ("{REF:P@T:Live", "{REF:P@T:Live"), ("{REF:P@", "{REF:P@"),
    ])
  func letters(_ text: String, _ value: String) throws {
    #expect(try self.value(text) == value)
  }

  @Test("a reference to a reference leads on, and the text of an entry goes before one that only holds it")
  func chains() throws {
    let others = [
      Self.entry(1, ["Title": "Not Live", "Password": "wrong"]), Self.live,
      Self.entry(2, ["Title": "b", "Password": "{REF:P@T:Live}"]),
      Self.entry(3, ["Title": "c", "Password": "<{REF:P@T:b}>"]),
    ]
    #expect(try value("{REF:P@T:c}", behind: others) == "<p&w>")
    #expect(try value("{REF:P@T:Live}", behind: others) == "p&w")
  }

  @Test("what was resolved is counted, and is not stored as the file has it")
  func remarks() throws {
    let text = Self.file([
      Self.live, Self.entry(1, ["Title": "x", "UserName": "{REF:U@T:Live}", "URL": "{REF:A@T:Live}"]),
    ])
    let imported = try Imported("keepass-xml", text)
    #expect(try imported.first("x").remarks == [.resolvedReference: 2])
    #expect(try imported.first("x").text("username") == "ann")
    #expect(try imported.first("x").list("urls") == ["https://live.example"])
    #expect(imported.lines.contains { $0.outcome == .mapped(to: "username") })
  }

  @Test(
    "a reference that leads nowhere, to itself or in a circle is refused under the name of its entry, and told why",
    arguments: [
      ("{REF:P@T:Nowhere}", "is not in the file"), ("{REF:P@I:00}", "is not in the file"),
      ("{REF:P@T:}", "is not in the file"), ("{REF:P@T:x}", "refers to itself"),
      ("{REF:P@T:circle}", "refers to itself"),
    ])
  func refused(_ text: String, _ reason: String) throws {
    let circle = Self.entry(1, ["Title": "circle", "Password": "{REF:P@T:x}"])
    let imported = try Imported("keepass-xml", Self.file([circle, Self.entry(9, ["Title": "x", "Password": text])]))
    let record = try imported.first("x")
    #expect(record.members["password"] == nil)
    let refusals = imported.lines.compactMap { line -> String? in
      guard case .refused(let reason) = line.outcome, line.place.path.hasPrefix("x, ") else { return nil }
      return reason
    }
    #expect(refusals.count == 1)
    #expect(refusals.first?.contains(reason) == true)
  }

  @Test("references that double at every step, and very long chains, end at once", .timeLimit(.minutes(1)))
  func bounded() throws {
    let entries = (0..<200).map { number in
      let next = "{REF:P@T:e\(number + 1)!}"
      return "<Entry><UUID>u\(number)</UUID><String><Key>Title</Key><Value>e\(number)!</Value></String>"
        + "<String><Key>Password</Key><Value>\(number == 199 ? "x" : next + next)</Value></String></Entry>"
    }
    let imported = try Imported("keepass-xml", Self.file(entries))
    #expect(imported.records.count == 200)
    #expect(imported.records.allSatisfy { ($0.members["password"]?.string?.utf8.count ?? 0) < 8 << 20 })
  }

  @Test("an earlier version keeps its references, and in a file of ours they are texts")
  func untouched() throws {
    let history =
      "<History><Entry><String><Key>Password</Key><Value>{REF:P@T:Live}</Value></String></Entry></History>"
    let entry = Self.entry(1, ["Title": "x"]).replacing("</Entry>", with: "\(history)</Entry>")
    let imported = try Imported("keepass-xml", Self.file([Self.live, entry]))
    #expect(try imported.first("x").formerTexts == ["password": ["{REF:P@T:Live}"]])
    let texts = #"[{"title": "x", "password": "{REF:P@T:nowhere}"}]"#
    let exported = try Exported(.keepassXML, ExportedRecord.list("login", texts))
    #expect(try exported.imported(as: "keepass-xml").first("x").text("password") == "{REF:P@T:nowhere}")
  }
}
