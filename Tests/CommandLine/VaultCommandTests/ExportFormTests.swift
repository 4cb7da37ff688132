import Testing
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Forms of export")
struct ExportFormTests {
  private func propertyList(_ outcome: ProcessOutcome) throws -> [JSON] {
    try PropertyListDecoder().decode([JSON].self, from: Data(outcome.stdout))
  }

  @Test("a property list, XML or binary, has the records that JSON has", arguments: ["plist", "plist-binary"])
  func propertyLists(format: String) throws {
    let workspace = try Workspace.withCustomers()
    let exported = workspace.open("export", "--reveal", "--format", format)
    #expect(exported.code == 0)
    let start = format == "plist" ? "<?xml" : "bplist00"
    #expect(exported.stdout.starts(with: Array(start.utf8)))
    #expect(try propertyList(exported) == JSON(workspace.open("export", "--reveal").stdout).items)
  }

  @Test("a property list of an empty vault is an empty array")
  func emptyPropertyList() throws {
    let exported = try Workspace.withVault().open("export", "--format", "plist")
    #expect(try propertyList(exported) == [])
  }

  @Test("a property list leaves sealed fields out and says so, and keeps tokens when asked")
  func sealedFields() throws {
    let workspace = try Workspace.withCustomers()
    let masked = workspace.open("export", "--format", "plist")
    #expect(masked.errors.contains("sealed fields were left out"))
    for secret in try Fixture.longSecrets() { #expect(!masked.stdout.holds(secret)) }
    #expect(try propertyList(masked).allSatisfy { $0["access_key"] == nil })
    let tokens = try propertyList(workspace.open("export", "--format", "plist-binary", "--sealed"))
    #expect(tokens.count == 24)
    #expect(tokens.allSatisfy { $0["access_key"]?.text?.hasPrefix("es1:") == true })
  }

  @Test("what XML cannot hold is refused with record and member, writes no file, and goes into a binary list")
  func controlCharacters() throws {
    let workspace = try Workspace.withVault()
    let record = #"{"name":"Ada","access_key":"a\u0001b","added_on":"2020-08-19T18:44:27Z"}"#
    #expect(workspace.open("add", "customer", "--from", "-", input: record).code == 0)
    let refused = workspace.open("export", "--reveal", "--format", "plist", "-o", "out.plist")
    #expect(refused.status == .inputRefused)
    #expect(
      refused.errorLines.first?.hasSuffix(": access_key: the value has a control character, which XML cannot hold")
        == true)
    #expect(refused.errorLines.last == "hint: use --format plist-binary or --format json")
    #expect(FileTree.contents(of: workspace.path + "/out.plist") == nil)
    let binary = try propertyList(workspace.open("export", "--reveal", "--format", "plist-binary"))
    #expect(binary.first?["access_key"]?.text == "a\u{1}b")
  }

  @Test("--keys joins the words of every name, also of nested ones", arguments: ["json", "jsonl", "plist"])
  func keys(format: String) throws {
    let workspace = try Workspace.withCustomers()
    func first(_ style: String) throws -> JSON {
      let exported = workspace.open("export", "--reveal", "--format", format, "--keys", style)
      #expect(exported.code == 0)
      if format == "plist" { return try #require(propertyList(exported).first) }
      let text = format == "json" ? exported.output : exported.output.split(separator: "\n").prefix(1).joined()
      return try #require(format == "json" ? JSON(text)[0] : JSON(text))
    }
    #expect(try first("camel")["contactInfo"]?["homePhone"] != nil)
    #expect(try first("kebab")["contact-info"]?["home-phone"] != nil)
    #expect(try first("snake")["contact_info"]?["home_phone"] != nil)
  }

  @Test("--keys snake changes no byte, and --keys leaves the document of --json as it is")
  func keysOfTheDocument() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("export", "--keys", "snake").stdout == workspace.open("export").stdout)
    let document = JSON(workspace.open("export", "--json", "--keys", "camel").stdout)
    #expect(document["sealed_count"]?.number == 48)
    let key = document["records"]?[0]?["record"]?["accessKey"]
    #expect(key?["sealed"]?.bool == true)
    #expect(key?["sealed_at"]?.text != nil)
  }

  @Test("nothing is exported into the vault, whatever leads there, and --yes does not answer for its header")
  func intoTheVault() throws {
    let workspace = try Workspace.withCustomers()
    FileTree.link(workspace.path + "/link", to: "v")
    let before = workspace.snapshot()
    for path in ["v/vault.json", "v/records/x.json", "./v/../link/new.json", workspace.vault + "/new.json"] {
      let refused = workspace.open("export", "--reveal", "-y", "-o", path)
      #expect(refused.status == .inputRefused, "\(path): \(refused.errors)")
      #expect(refused.errors.contains("is in the vault"), "\(path): \(refused.errors)")
      let rejects = workspace.open("import", "json", Fixture.faulty, "--kind", "customer", "--rejects", path)
      #expect(rejects.status == .inputRefused, "\(path): \(rejects.errors)")
      #expect(rejects.errors.contains("is in the vault"), "\(path): \(rejects.errors)")
    }
    // By another name that is not a link.
    let isMounted = workspace.shell("mkdir m && mount --bind v m").code == 0
    if isMounted {
      let refused = workspace.open("export", "--reveal", "-y", "-o", "m/records/x.json")
      _ = workspace.shell("umount m || umount -l m")
      #expect(refused.status == .inputRefused, "\(refused.errors)")
      #expect(refused.errors.contains("is in the vault"), "\(refused.errors)")
    } else {
      print("exports into the vault: mounted NOT RUN: this process may not mount")
    }
    #expect(workspace.snapshot() == before)
    #expect(workspace.open("export", "--reveal", "-y", "-o", "v.json").code == 0, "beside it")
  }

  @Test("only JSON goes together with --json", arguments: ["jsonl", "plist", "plist-binary"])
  func usage(format: String) throws {
    let refused = try Workspace.withVault().open("export", "--json", "--format", format)
    #expect(refused.status == .usage)
    #expect(refused.stdout.isEmpty)
  }
}
