import Testing
import VaultTestSupport

@Suite("vault pin")
struct PinCommandTests {
  private func fingerprint(_ workspace: Workspace, _ folder: String = "v") -> String {
    String(workspace.run("fingerprint", "--vault", folder, "-q").output.dropLast())
  }

  @Test(
    "another vault for the same key at a known path is refused before any prompt, with and without a key", .atTerminal)
  func otherVault() throws {
    let workspace = try Workspace.withCustomers()
    let recipient = try #require(
      JSON(workspace.run("status", "--vault", "v", "--json").stdout)["slots"]?.items?.first?["recipient"]?.text)
    #expect(workspace.run("init", "w", "--recipient", recipient).code == 0)
    let known = fingerprint(workspace)
    FileTree.remove(workspace.vault)
    FileTree.copy(workspace.path + "/w", to: workspace.vault)
    for command in [["list"], ["get", "Ada", "name"], ["add", "customer", "--set", "name=Ada"], ["verify"]] {
      let outcome = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(outcome.status == .unexpectedVault, "\(command): \(outcome.errors)")
      #expect(outcome.stdout.isEmpty, "\(command): \(outcome.errors)")
      #expect(outcome.errorLines.first == "vault: vault.json is not of the vault that this machine knows at this path")
      #expect(outcome.errorLines.last?.contains("`vault pin update --fingerprint HEX`") == true)
    }
    // No passphrase is asked for.
    #expect(workspace.type(["list", "--vault", "v"], []).shown.isEmpty)
    let status = workspace.run("status", "--vault", "v")
    #expect(status.status == .unexpectedVault)
    #expect(status.output.contains("\npin:         differs: vault.json is not of the vault"))
    let refused = workspace.run("pin", "update", "--vault", "v", "--fingerprint", known)
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    let accepted = workspace.run("pin", "update", "--vault", "v", "--fingerprint", fingerprint(workspace))
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.output == fingerprint(workspace) + "\n", "\(accepted.errors)")
    #expect(accepted.errors.contains("no longer refused: vault.json is not of the vault"))
    #expect(workspace.open("list").code == 0)
  }

  @Test("a copy is told of as one, once, and nothing of the original is refused")
  func copies() throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("cp -r v play")
    func set(_ city: String, _ place: String) -> ProcessOutcome {
      workspace.run("set", "Shai Mishali", "address.city=\(city)", "--vault", place, "--identity", "id.txt")
    }
    let first = set("Oslo", "play")
    #expect(first.code == 0)
    #expect(first.errors.hasPrefix("note: this is a copy of the vault at \(workspace.vault): "))
    #expect(set("Rome", "play").errors.isEmpty)
    #expect(set("Bonn", "v").code == 0)
  }

  @Test("a link in place of a known vault, or a known link that leads elsewhere, is 16 before anything is written")
  func links() throws {
    let workspace = try Workspace.withCustomers()
    let recipient = try #require(
      JSON(workspace.run("status", "--vault", "v", "--json").stdout)["slots"]?.items?.first?["recipient"]?.text)
    #expect(workspace.run("init", "w", "--recipient", recipient).code == 0)
    let evil = fingerprint(workspace, "w")
    // A machine that does not know the second vault.
    let elsewhere = ["CVAULT_STATE_DIR": workspace.path + "/elsewhere"]
    func add(_ path: String) -> ProcessOutcome {
      let words = ["add", "customer", "--set", "name=Ada", "--generate", "access_key", "--identity", "id.txt"]
      return workspace.run(words + ["--vault", path], adding: elsewhere)
    }
    FileTree.makeFolder(workspace.path + "/other")
    FileTree.link(workspace.path + "/link", to: "v")
    #expect(add("v").code == 0)
    #expect(add("./link/").code == 0)
    FileTree.remove(workspace.path + "/link")
    FileTree.link(workspace.path + "/link", to: "w")
    #expect(add("link").status == .unexpectedVault, "the link was retargeted")
    FileTree.remove(workspace.path + "/link")
    FileTree.copy(workspace.path + "/w", to: workspace.path + "/link")
    #expect(add("link").status == .unexpectedVault, "the link was replaced by a folder")
    FileTree.copy(workspace.vault, to: workspace.path + "/kept")
    FileTree.remove(workspace.vault)
    FileTree.link(workspace.vault, to: "w")
    for path in ["v", workspace.vault, "other/.././v//"] {
      let refused = add(path)
      #expect(refused.status == .unexpectedVault, "\(path): \(refused.errors)")
      #expect(refused.stdout.isEmpty, "\(path): \(refused.errors)")
      #expect(refused.errorLines.first == "vault: vault.json is not of the vault that this machine knows at this path")
    }
    #expect(add("kept").code == 0, "a known vault at a new path")
    #expect(workspace.run(["pin", "update", "--vault", "v", "--fingerprint", evil], adding: elsewhere).code == 0)
    #expect(add("v").code == 0)
    FileTree.remove(workspace.vault)
    FileTree.link(workspace.vault, to: "kept")
    #expect(add("v").status == .unexpectedVault, "accepting remembers the path as it was given")
    #expect(workspace.run(["pin", "forget", "--vault", "v"], adding: elsewhere).code == 0)
    #expect(add("v").code == 0)
  }

  @Test("an empty fingerprint is a usage error from the variable as from the option, and no switch")
  func emptyFingerprint() throws {
    let workspace = try Workspace.withCustomers()
    let variable = workspace.open("list", adding: ["CVAULT_FINGERPRINT": ""])
    #expect(variable.status == .usage, "\(variable.errors)")
    #expect(variable.stdout.isEmpty, "\(variable.errors)")
    #expect(variable.errorLines.first == "vault: CVAULT_FINGERPRINT must be a fingerprint of 40 hex digits")
    let option = workspace.open("list", "--require-fingerprint", "")
    #expect(option.status == .usage, "\(option.errors)")
    #expect(option.stdout.isEmpty, "\(option.errors)")
  }

  @Test("a record that went back is 16 for every reading of its value, names both revisions, and has a way on")
  func rollback() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let id = String(file.dropFirst(11).prefix(36))
    let old = try #require(FileTree.contents(of: workspace.vault + "/" + file))
    #expect(workspace.open("set", id, "address.city=Oslo").code == 0)
    let new = try #require(FileTree.contents(of: workspace.vault + "/" + file))
    FileTree.write(old, to: workspace.vault + "/" + file)
    for command in [
      ["get", id, "access_key"], ["show", id, "--reveal"], ["set", id, "address.city=Rome"], ["export", "--reveal"],
    ] {
      let outcome = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(outcome.status == .unexpectedVault, "\(command): \(outcome.errors)")
      #expect(outcome.stdout.isEmpty || command[0] == "export", "\(command)")
      let fault =
        "has gone back to revision 1, which this machine has verified before; the newest that it has seen is 2"
      #expect(outcome.errorLines.first == "vault: \(file) " + fault)
      #expect(outcome.errors.contains("if a service syncs this folder, wait until it is done"))
    }
    let verified = workspace.open("verify")
    #expect(verified.status == .unexpectedVault)
    #expect(verified.errors.contains("\(file) has gone back to revision 1, which this machine has"))
    FileTree.write(new, to: workspace.vault + "/" + file)
    #expect(workspace.open("get", id, "address.city").output == "Oslo")
    FileTree.write(old, to: workspace.vault + "/" + file)
    let accepted = workspace.run(
      "pin", "update", "--vault", "v", "--fingerprint", fingerprint(workspace), "--record", id)
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(workspace.open("get", id, "address.city").output == "Albuquerque")
  }

  @Test("for more records than fit a line the way on still asks for them: without one all would be given up")
  func manyRecords() throws {
    let workspace = try Workspace.withCustomers()
    let files = workspace.snapshot().keys.filter { $0.contains("records/") }.sorted()
    for file in files.prefix(9) { FileTree.remove(workspace.vault + "/" + file) }
    let verified = workspace.open("verify")
    let command = "`vault pin update --fingerprint \(fingerprint(workspace)) --record ID…`"
    #expect(verified.status == .unexpectedVault, "\(verified.errors)")
    #expect(verified.errors.contains(command), "\(verified.errors)")
  }

  @Test("a header that is older than seen, or forked, is 16 without a key too; a damaged one is 13 first")
  func header() throws {
    let workspace = try Workspace.withCustomers()
    try workspace.editPin("\"revision\" : 1", "\"revision\" : 5")
    let older = workspace.run("list", "--vault", "v")
    #expect(older.status == .unexpectedVault, "\(older.errors)")
    let fault =
      "is at revision 1, which is older than anything that this machine remembers; the newest that it has seen is 5"
    #expect(older.errorLines.first == "vault: vault.json " + fault)
    #expect(older.errorLines.dropFirst().first?.contains("expected revision 5 or later, found revision 1 ") == true)
    #expect(workspace.open("get", "Shai Mishali", "name").status == .unexpectedVault)
    try workspace.damage("vault.json", "\"mac\" : \"")
    #expect(workspace.open("get", "Shai Mishali", "name").status == .damaged)
    try workspace.editPin("\"revision\" : 5", "\"revision\" : 1")
    #expect(workspace.run("list", "--vault", "v").errors.contains("is not the version that this machine has seen"))
    #expect(workspace.run("list", "--vault", "v").status == .unexpectedVault)
  }

  @Test("slots that others changed are told once, and nothing is refused")
  func slots() throws {
    let workspace = try Workspace.withCustomers()
    let slot = try #require(FileTree.names(in: workspace.vault + "/slots").first).prefix(36)
    try workspace.editPin(String(slot), "00000000-0000-0000-0000-000000000001")
    let first = workspace.open("get", "Shai Mishali", "name")
    #expect(first.code == 0)
    #expect(first.errors.contains("a slot was added since this machine last unlocked the vault: \(slot)"))
    #expect(
      first.errors.contains(
        "a slot was removed since this machine last unlocked the vault: 00000000-0000-0000-0000-000000000001"))
    #expect(workspace.open("get", "Shai Mishali", "name").errors == "")
  }

  @Test(
    "a rotation or a slot by somebody else: the root is refused until its fingerprint is accepted, the slot is told")
  func keysOfOthers() throws {
    let workspace = try Workspace.withCustomers()
    let elsewhere = ["CVAULT_STATE_DIR": workspace.path + "/elsewhere"]
    #expect(workspace.open("key", "add", "--generate-identity", "new.txt", "--label", "Ada").code == 0)
    #expect(workspace.open("get", "Shai Mishali", "name").errors == "", "an own slot is no news")
    let added = workspace.open("key", "add", "--generate-identity", "x.txt", "--label", "Bob", adding: elsewhere)
    #expect(added.code == 0, "\(added.errors)")
    #expect(
      workspace.open("get", "Shai Mishali", "name").errors.contains(
        "a slot was added since this machine last unlocked the vault: "))
    #expect(workspace.open("rekey", adding: elsewhere).code == 0)
    let refused = workspace.open("get", "Shai Mishali", "name")
    #expect(refused.status == .unexpectedVault)
    #expect(refused.stdout.isEmpty)
    #expect(
      refused.errorLines.first == "vault: vault.json does not have the root key that this machine knows for this vault"
    )
    #expect(workspace.run("due", "--leaver", "--vault", "v").status == .unexpectedVault)
    let examined = workspace.run("doctor", "--vault", "v").output
    #expect(examined.contains("fault pin: differs: vault.json does not have the root key"))
    #expect(workspace.run("pin", "update", "--vault", "v", "--fingerprint", fingerprint(workspace)).code == 0)
    #expect(workspace.open("get", "Shai Mishali", "name").output == "Shai Mishali")
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("get", "Shai Mishali", "name").errors == "")
  }

  @Test("reading is a first use too: it says so once, and then the vault is known")
  func firstUse() throws {
    let workspace = try Workspace.withCustomers()
    let forgotten = workspace.run("pin", "forget", "--vault", "v")
    #expect(forgotten.errors.hasPrefix("note: this machine has forgotten the vault; "))
    #expect(workspace.run("pin", "forget", "--vault", "v").errors == "note: nothing was remembered\n")
    #expect(JSON(workspace.run("pin", "show", "--vault", "v", "--json").stdout)["pin"]?.text == "new")
    #expect(workspace.run("list", "--vault", "v").code == 0)
    #expect(JSON(workspace.run("pin", "show", "--vault", "v", "--json").stdout)["pin"]?.text == "new")
    #expect(workspace.open("get", "Shai Mishali", "name").errors.contains(fingerprint(workspace)))
    #expect(workspace.open("get", "Shai Mishali", "name").errors == "")
    let shown = JSON(workspace.run("pin", "show", "--vault", "v", "--json").stdout)
    #expect(shown["pin"]?.text == "pinned")
    #expect(shown["expected"]?.text == fingerprint(workspace))
    #expect(shown["paths"]?.items?.count == 1)
  }

  @Test("a damaged state file is 16 with the way on, which helps; one that may not be read is 18")
  func damagedState() throws {
    let workspace = try Workspace.withCustomers()
    let pin = workspace.pinFile
    FileTree.write(Array("{".utf8), to: pin)
    let outcome = workspace.open("get", "Shai Mishali", "name")
    #expect(outcome.status == .unexpectedVault)
    #expect(outcome.stdout.isEmpty)
    #expect(outcome.errorLines.first?.hasPrefix("vault: \(pin) is damaged") == true, "\(outcome.errors)")
    #expect(outcome.errorLines.last?.contains("vault pin update") == true)
    #expect(workspace.run("list", "--vault", "v").status == .unexpectedVault)
    #expect(workspace.run("pin", "show", "--vault", "v").status == .unexpectedVault)
    let accepted = workspace.run("pin", "update", "--vault", "v", "--fingerprint", fingerprint(workspace))
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(workspace.open("get", "Shai Mishali", "name").code == 0)
  }

  @Test("without a home or a state directory that can be written it works, with a note")
  func nowhere() throws {
    let workspace = try Workspace.withCustomers()
    let home = workspace.open(
      "get", "Shai Mishali", "name", adding: ["CVAULT_STATE_DIR": "", "HOME": "", "XDG_STATE_HOME": ""])
    #expect(home.output == "Shai Mishali")
    #expect(home.errors.hasPrefix("note: this vault is not remembered: there is no home directory"))
    let readOnly = workspace.open("get", "Shai Mishali", "name", adding: ["CVAULT_STATE_DIR": "/proc/self/none"])
    #expect(readOnly.output == "Shai Mishali")
    #expect(readOnly.errorLines.count == 1)
    #expect(readOnly.errors.contains("note: this vault is not remembered: "))
  }

  @Test("the state lies where the variables say, and holds no secret")
  func places() throws {
    let workspace = try Workspace.withCustomers()
    let state = ["CVAULT_STATE_DIR": "", "XDG_STATE_HOME": workspace.path + "/xdg"]
    #expect(workspace.open("export", "--reveal", adding: state).code == 0)
    #expect(FileTree.names(in: workspace.path + "/xdg/cvault").contains("pins"))
    #expect(workspace.open("list", adding: ["CVAULT_STATE_DIR": ""]).code == 0)
    #expect(FileTree.names(in: workspace.home + "/.local/state/cvault").contains("pins"))
    let secrets = try Fixture.longSecrets()
    #expect(!secrets.isEmpty)
    for file in FileTree.files(below: workspace.path + "/xdg") {
      let bytes = FileTree.contents(of: workspace.path + "/xdg/" + file) ?? []
      #expect(!secrets.contains { bytes.holds($0) }, "\(file)")
    }
    #expect(try workspace.seenIDs().count == 24)
  }
}

extension Workspace {
  /// The ids of all records that this machine has seen.
  func seenIDs() throws -> Set<String> {
    var ids: Set<String> = []
    for file in FileTree.files(below: path + "/state/seen") {
      let bytes = FileTree.contents(of: path + "/state/seen/" + file) ?? []
      if file.hasSuffix(".log") {
        ids.formUnion(bytes.split(separator: UInt8(ascii: "\n")).compactMap { JSON(Array($0))[0]?.text })
      } else if case .object(let records)? = JSON(bytes)["records"] {
        ids.formUnion(records.keys)
      }
    }
    return ids
  }

  /// The file of the one pin.
  var pinFile: String { path + "/state/pins/" + (FileTree.names(in: path + "/state/pins").first ?? "none") }

  /// Makes the machine remember something else than it has seen.
  func editPin(_ old: String, _ new: String) throws {
    let text = String(decoding: try #require(FileTree.contents(of: pinFile)), as: UTF8.self)
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    FileTree.write(Array(parts.joined(separator: new).utf8), to: pinFile)
  }
}
