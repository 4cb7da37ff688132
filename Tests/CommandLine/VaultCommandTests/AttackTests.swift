import Testing
import VaultDocument
import VaultTestSupport

/// An attack on a whole vault, of `Tests/Vectors/vault-v1/attacks`: made by the implementation in `Tests/Reference`.
struct Attack: CustomTestStringConvertible {
  let name: String
  let layer: String
  let base: [(path: String, bytes: [UInt8]?)]
  let changes: [(path: String, bytes: [UInt8]?)]
  /// The exit code of `verify` on a machine that has seen the good vault, and on one that has not.
  let known, fresh: Int

  var testDescription: String { name }

  static let folder = OwnVectors.folder + "/attacks"

  static func all() throws -> [Attack] {
    try FileTree.names(in: folder).filter { $0.hasSuffix(".json") }.map { try Attack(file: $0) }
  }

  init(file: String) throws {
    name = String(file.dropLast(5))
    let document = try JSONParser.parse(OwnVectors.bytes("attacks/" + file))
    let base = try JSONParser.parse(OwnVectors.bytes("attacks/bases/\(#require(document["base"]?.string)).json"))
    layer = try #require(document["layer"]?.string)
    known = try #require(document["known"]?.number?.int)
    fresh = try #require(document["fresh"]?.number?.int)
    self.base = try Self.files(base["files"])
    changes = try Self.files(document["changes"])
  }

  private static func files(_ value: JSONValue?) throws -> [(path: String, bytes: [UInt8]?)] {
    try #require(value?.object).map { path, value in
      if let base64 = value["base64"]?.string { return (path, try Base64.decode(base64)) }
      return (path, value.string.map { Array($0.utf8) })
    }
  }

  /// A workspace that holds the good vault, and knows it.
  func workspace() throws -> Workspace {
    let workspace = try Workspace()
    FileTree.write(try OwnVectors.bytes("vaults/small.identity.txt"), to: workspace.identity)
    Self.write(base, to: workspace.vault)
    let checked = workspace.open("verify")
    try #require(checked.code == 0, "\(checked.errors)")
    return workspace
  }

  func apply(to workspace: Workspace) { Self.write(changes, to: workspace.vault) }

  private static func write(_ files: [(path: String, bytes: [UInt8]?)], to folder: String) {
    for (path, bytes) in files {
      if let bytes {
        FileTree.writeWithFolder(bytes, to: folder + "/" + path)
      } else {
        FileTree.remove(folder + "/" + path)
      }
    }
  }
}

@Suite("Attacks on a whole vault, on the built binary")
struct AttackTests {
  private static let secrets = ["correct horse", "0522", "0000"]
  private static let first = "0a000102-0304-0506-0708-090a0b0c0d0e"

  @Test("a check tells, on a machine that knows the vault and on one that does not", arguments: try Attack.all())
  func noticed(attack: Attack) throws {
    let workspace = try attack.workspace()
    attack.apply(to: workspace)
    for (state, code) in [("state", attack.known), ("other-state", attack.fresh)] {
      let checked = workspace.open("verify", adding: ["CVAULT_STATE_DIR": workspace.path + "/" + state])
      #expect(checked.code == Int32(code), "\(state): \(checked.errors)")
      #expect(code == 0 || !checked.errors.isEmpty, "\(state): a refusal gives its reason")
    }
  }

  @Test("no command gives out a value that the owner did not store", arguments: try Attack.all())
  func noWrongValue(attack: Attack) throws {
    let workspace = try attack.workspace()
    attack.apply(to: workspace)
    let got = workspace.open("get", Self.first, "access_key")
    #expect(got.code == 0 ? got.output == Self.secrets[0] : got.output.isEmpty, "\(got.errors)")
    let exported = workspace.open("export", "--reveal", "-y", "--format", "jsonl")
    for line in exported.output.split(separator: "\n") {
      let record = JSON(String(line))
      for name in ["access_key", "atm_code", "pin"] {
        if let value = record[name]?.text { #expect(Self.secrets.contains(value), "\(name) of \(attack.name)") }
      }
    }
  }

  @Test(
    "with a header that is not the owner's, or on a machine that knows another vault here, nothing is written",
    arguments: try Attack.all().filter { attack in
      ["header", "pin"].contains(attack.layer) && !attack.name.hasPrefix("checkpoint")
    })
  func nothingIsWritten(attack: Attack) throws {
    let workspace = try attack.workspace()
    attack.apply(to: workspace)
    let before = workspace.snapshot()
    for arguments in [
      ["set", Self.first, "website=https://example.com"], ["key", "add", "--generate-identity", "new.txt"],
      ["rekey"], ["rekey", "--reseal", "-y"], ["remove", Self.first, "-y"],
      ["add", "customer", "--set", "name=New", "--set", "added_on=2026-11-21T00:00:00Z", "--generate", "access_key"],
    ] {
      let refused = workspace.run(arguments + ["--vault", workspace.vault, "--identity", workspace.identity])
      #expect(refused.code == Int32(attack.known), "\(arguments): \(refused.errors)")
      let isUnchanged = workspace.snapshot() == before
      #expect(isUnchanged, "\(arguments)")
    }
    #expect(FileTree.contents(of: workspace.path + "/new.txt") == nil)
  }
}
