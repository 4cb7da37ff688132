import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("1Password 1PUX")
struct OnePasswordTests {
  private static let file = "keepassxc/1PasswordExport.1pux"

  /// A file with these entries beside an empty export.
  private func imported(_ fill: (inout ZipWriter) -> Void) throws -> Imported {
    var writer = ZipWriter()
    writer.add("export.data", Array(#"{"accounts": []}"#.utf8))
    fill(&writer)
    return try Imported(
      ImportFormats.named("1password-1pux"), ImportSource(name: "x.1pux", bytes: writer.finished()))
  }

  @Test("an export of the tool is told and read, with a line for each value and file")
  func fixture() throws {
    guard SharedData.isPresent(forCases: 1, of: "1PUX") else { return }
    let imported = try Imported(fixture: Self.file)
    #expect(imported.refused.isEmpty)
    #expect(imported.records.count == 9)
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
    #expect(Set(imported.lines.map(\.place)).count == imported.totals.leaves)
    let login = try imported.first("Login")
    #expect(try login.text("username") == "team@keepassxc.org")
    #expect(try login.text("password") == "password")
    #expect(try login.text("totp") == "DFDFDEF")
    #expect(try login.text("notes") == "Note to self")
    #expect(Set(login.list("tags")) == ["Personal", "favorite", "website"])
    #expect(login.list("urls") == ["https://keepassxc.org", "https://twitter.com"])
    #expect(try imported.first("Login Archived").list("tags").contains("archived"))
    let logo = try #require(try imported.first("KeePassXC Logo").text("secrets[\"attachment keepassxc.png\"]"))
    #expect(try Base64.decode(logo).starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test("the parts of the export alone are read too, and a card is a card")
  func parts() throws {
    guard SharedData.isPresent(forCases: 12, of: "export.data") else { return }
    let names = try SharedData.names(in: "\(Fixtures.folder)/bitwarden-jslib/1pux-export-data")
    #expect(!names.isEmpty)
    for name in names {
      let path = "bitwarden-jslib/1pux-export-data/\(name)"
      let imported = try Imported(fixture: path)
      let bytes = try SharedData.bytes("\(Fixtures.folder)/\(path)")
      let vaults = (try JSONParser.parse(bytes, limits: .exchange)["accounts"]?.array ?? []).flatMap { account in
        account["vaults"]?.array ?? []
      }
      let itemCount = vaults.reduce(0) { $0 + ($1["items"]?.array?.count ?? 0) }
      #expect(imported.records.count == itemCount, "\(name)")
      #expect(imported.refused.isEmpty, "\(name)")
      for record in imported.records { #expect(throws: Never.self, "\(name)") { try record.sealed() } }
      let leaves = try LeafCount.json(bytes)
      #expect(imported.totals.leaves == leaves, "\(name)")
      #expect(Set(imported.lines.map(\.place)).count == leaves, "\(name)")
    }
    let card = try Imported(fixture: "bitwarden-jslib/1pux-export-data/CreditCard.json").records[0]
    #expect(card.kind == "payment-card")
    #expect(try card.text("number") == "6011111111111117")
  }

  @Test("entries that lead elsewhere, links, sealed and repeated ones are refused")
  func hostileEntries() {
    for name in ["../x", "/etc/passwd", "files/../../x", "a\\b", "C:x", "files//x"] {
      #expect(throws: ExchangeError(.malformed, ""), "\(name)") { _ = try imported { $0.add(name, [1]) } }
    }
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try imported { $0.add("files/l", [1], mode: 0o120777) } }
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try imported { $0.add("files/s", [1], flags: 1) } }
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try imported { $0.add("files/b", [1], method: 12) } }
    #expect(throws: ExchangeError(.malformed, "")) { _ = try imported { $0.add("export.data", [1]) } }
    #expect(throws: ExchangeError(.malformed, "")) { _ = try imported { $0.add("files/o", [1], offset: 0) } }
  }

  @Test("a bomb is refused by what it says, and while it unpacks if it lies")
  func bombs() throws {
    let packed = Self.spaces
    let honest = { (writer: inout ZipWriter) in writer.add("files/z", packed, method: 8, count: (4 << 30) - 1) }
    #expect(throws: ExchangeError(.tooLarge, "")) { _ = try imported(honest) }
    var writer = ZipWriter()
    writer.add("export.data", packed, method: 8, count: 16)
    let source = ImportSource(name: "x.1pux", bytes: writer.finished())
    #expect(throws: ExchangeError(.tooLarge, "")) { _ = try Imported(ImportFormats.named("1password-1pux"), source) }
  }

  @Test("a file that is cut off or changed is refused")
  func damage() throws {
    guard SharedData.isPresent(forCases: 2, of: "damaged 1PUX") else { return }
    let bytes = try SharedData.bytes("\(Fixtures.folder)/\(Self.file)")
    let importer = try ImportFormats.named("1password-1pux")
    for count in [10, bytes.count / 2, bytes.count - 1] {
      let source = ImportSource(name: "", bytes: Array(bytes[..<count]))
      #expect(throws: ExchangeError.self, "\(count)") { _ = try Imported(importer, source) }
    }
    let text = Array("export.data".utf8)
    let start = try #require(bytes.ranges(of: text).first?.upperBound)
    var changed = bytes
    changed[start + 1000] ^= 0x10
    #expect(throws: ExchangeError.self) { _ = try Imported(importer, ImportSource(name: "", bytes: changed)) }
  }

  /// 3000 spaces behind an empty export, as deflate packs them.
  private static let spaces: [UInt8] = [
    0xAB, 0x56, 0x4A, 0x4C, 0x4E, 0xCE, 0x2F, 0xCD, 0x2B, 0x29, 0x56, 0xB2, 0x52, 0x88, 0x8E, 0xAD, 0x55, 0x18, 0x05,
    0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05, 0xA3, 0x60, 0x14, 0x0C, 0x7A, 0x00,
    0x00,
  ]
}
