import Testing
import VaultTestSupport

@Suite("Slots and rotation on the command line")
struct SlotCommandTests {
  private func keygen(_ workspace: Workspace, _ name: String) throws -> String {
    try #require(tool(workspace, "age-keygen", "-o", name).code == 0, "age-keygen is needed")
    return tool(workspace, "age-keygen", "-y", name).output.trimmingNewline
  }

  private func tool(_ workspace: Workspace, _ arguments: String...) -> ProcessOutcome {
    var plan = workspace.plan(arguments)
    plan.path = "/usr/bin/env"
    return plan.run()
  }

  @Test("three recipients of age-keygen and a passphrase open the vault, before and after a rotation", .withKeygen)
  func recipients() throws {
    let workspace = try Workspace.withCustomers()
    _ = workspace.write("words\n", to: "pw")
    for name in ["a", "b", "c"] {
      let added = workspace.open("key", "add", "--recipient", try keygen(workspace, name), "--label", name)
      #expect(added.code == 0, "\(added.errors)")
    }
    let words = workspace.open("key", "add", "--passphrase", "--new-passphrase-file", "pw", "--label", "words")
    #expect(words.code == 0, "\(words.errors)")
    let rotated = workspace.open("rekey", "--reseal", "--key-passphrase-file", "words=pw", "--work-factor", "10")
    #expect(rotated.code == 0, "\(rotated.errors)")
    for key in [["--identity", "a"], ["--identity", "b"], ["--identity", "c"], ["--passphrase-file", "pw"]] {
      #expect(workspace.run(["get", "Shai Mishali", "access_key", "--vault", "v"] + key).code == 0, "\(key)")
    }
    let slots = try #require(JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items)
    let id = try #require(slots.first { $0["label"]?.text == "b" }?["id"]?.text)
    #expect(tool(workspace, "age", "-d", "-i", "b", "v/slots/\(id).age").output.hasPrefix("ecv-root 1\n"))
    #expect(tool(workspace, "age", "-d", "-i", "a", "v/slots/\(id).age").code != 0)
  }

  @Test(
    "who is removed with a reseal opens nothing new, and every secret that was readable is due until replaced",
    .withKeygen)
  func leaver() throws {
    let workspace = try Workspace.withCustomers()
    let recipient = try keygen(workspace, "leaver")
    #expect(workspace.open("key", "add", "--recipient", recipient, "--label", "leaver").code == 0)
    let removed = workspace.open("key", "remove", "leaver")
    #expect(removed.code == 0)
    #expect(removed.errors.contains("git history"))
    #expect(removed.errors.contains("vault rekey --reseal"))
    #expect(workspace.run("due", "--leaver", "--vault", "v").code == 0)
    #expect(workspace.open("rekey", "--reseal").code == 0)
    #expect(
      workspace.run("get", "Shai Mishali", "name", "--vault", "v", "--identity", "leaver").status == .cannotUnlock)
    let due = workspace.run("due", "--leaver", "--vault", "v", "--json")
    #expect(due.status == .findings)
    let fields = try #require(JSON(due.stdout)["due"]?.items)
    #expect(try fields.count == Fixture.secrets().count)
    for field in fields {
      let (id, path) = (try #require(field["id"]?.text), try #require(field["field"]?.text))
      #expect(workspace.open("set", id, "--generate", path).code == 0)
    }
    #expect(workspace.run("due", "--leaver", "--vault", "v").code == 0)
    // Ages are whole seconds.
    workspace.prepare("sleep 1.1")
    #expect(workspace.run("due", "--older-than", "0s", "--vault", "v").status == .findings)
    #expect(workspace.run("due", "--older-than", "1d", "--vault", "v").code == 0)
  }

  @Test("the slot that unlocked goes only when that is confirmed, and the last one never", .withKeygen, .atTerminal)
  func ownSlot() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("key", "remove", try ownID(workspace), "--yes").status == .inputRefused)
    #expect(workspace.open("key", "add", "--recipient", try keygen(workspace, "k"), "--label", "k").code == 0)
    let own = try ownID(workspace)
    #expect(workspace.open("key", "remove", own).status == .declined)
    let declined = workspace.type(
      ["key", "remove", own, "--vault", "v", "--identity", "id.txt"], [("You unlocked the vault with", "n\n")])
    #expect(declined.status == .declined)
    let accepted = workspace.type(
      ["key", "remove", own, "--vault", "v", "--identity", "id.txt"],
      [("You unlocked the vault with", "y\n"), ("Reseal", "y\n")])
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.output.trimmingNewline.utf8.count == 40)
    #expect(workspace.open("key", "list").status == .cannotUnlock)
    #expect(workspace.run("verify", "--vault", "v", "--identity", "k").code == 0)
  }

  private func ownID(_ workspace: Workspace) throws -> String {
    let slots = JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items
    return try #require(slots?.first?["id"]?.text)
  }

  @Test("somebody's damaged slot stops changes with 13 and can be given up by name", .withKeygen)
  func damaged() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("key", "add", "--recipient", try keygen(workspace, "k"), "--label", "k").code == 0)
    let slots = JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items
    let id = try #require(slots?.last?["id"]?.text)
    _ = workspace.write("no slot", to: "v/slots/\(id).age")
    #expect(workspace.run("key", "list", "--vault", "v").status == .damaged)
    for command in [["key", "add", "--generate-identity", "new"], ["rekey"], ["rekey", "--reseal"]] {
      #expect(workspace.run(command + ["--vault", "v", "--identity", "id.txt"]).status == .damaged, "\(command)")
    }
    #expect(workspace.text(of: "new").isEmpty)
    #expect(workspace.open("add", "customer", "--set", "name=Ada", "--generate", "access_key").code == 0)
    #expect(workspace.open("key", "remove", "k").status == .declined)
    #expect(workspace.open("key", "remove", "k", "--yes").code == 0)
    #expect(workspace.open("rekey").code == 0)
  }

  @Test("a weak passphrase slot opens, says so, and becomes as strong as a new one on request")
  func weak() throws {
    let workspace = try Workspace()
    _ = workspace.write("words\n", to: "pw")
    let made = workspace.run(
      "init", "v", "--passphrase", "--new-passphrase-file", "pw", "--work-factor", "10", "--label", "w")
    #expect(made.code == 0)
    let opened = workspace.run("verify", "--vault", "v", "--passphrase-file", "pw")
    #expect(opened.code == 0)
    #expect(opened.errors.contains("work factor 10"))
    let changed = workspace.run(
      "key", "change-passphrase", "--vault", "v", "--passphrase-file", "pw", "--new-passphrase-file", "pw", "--json")
    #expect(changed.code == 0, "\(changed.errors)")
    #expect(JSON(changed.stdout)["slot"]?["label"]?.text == "w")
    #expect(!workspace.run("verify", "--vault", "v", "--passphrase-file", "pw").errors.contains("work factor"))
  }

  @Test("without a terminal a rotation names the slots whose passphrases it needs, and changes nothing", .atTerminal)
  func missingPassphrase() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("words\n", to: "pw")
    let added = workspace.open(
      "key", "add", "--passphrase", "--new-passphrase-file", "pw", "--work-factor", "10", "--label", "p")
    #expect(added.code == 0)
    let before = workspace.snapshot()
    let refused = workspace.open("rekey", "--reseal")
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errors.contains("--drop-key " + added.output.trimmingNewline))
    let preview = JSON(workspace.open("rekey", "--dry-run", "--json").stdout)
    #expect(preview["needs_passphrase"]?.items?.first?.text == added.output.trimmingNewline)
    #expect(workspace.snapshot() == before)
    let asked = workspace.type(
      ["rekey", "--vault", "v", "--identity", "id.txt", "--work-factor", "10"],
      [("Passphrase of the slot", "wrong\n"), ("Passphrase of the slot", "words\n")])
    #expect(asked.code == 0, "\(asked.errors)")
    #expect(workspace.open("rekey", "--drop-key", "p").code == 0)
    #expect(workspace.run("verify", "--vault", "v", "--passphrase-file", "pw").status == .cannotUnlock)
  }

  @Test("no new identity goes into the vault's folder, whatever leads there: 17, and nothing is left")
  func identityInside() throws {
    let workspace = try Workspace.withVault()
    FileTree.link(workspace.path + "/link", to: "v/slots")
    FileTree.link(workspace.path + "/whole", to: workspace.vault)
    FileTree.makeFolder(workspace.path + "/d")
    let before = workspace.snapshot()
    for path in [
      workspace.vault + "/in.txt", "v/in.txt", "v//in.txt", "v/./slots/../in.txt", "link/in.txt", "whole/slots/in.txt",
      "d/../v/in.txt", "v/in.txt/",
    ] {
      let refused = workspace.open("key", "add", "--generate-identity", path)
      #expect(refused.status == .inputRefused, "\(path): \(refused.errors)")
      #expect(refused.errors.contains("is in the vault"), "\(path): \(refused.errors)")
    }
    #expect(workspace.snapshot() == before)
    FileTree.makeFolder(workspace.path + "/w")
    FileTree.link(workspace.path + "/here", to: workspace.path)
    for (vault, path) in [
      ("w", "w/in.txt"), ("new", "new/in.txt"), ("new", "./new/deep/in.txt"), ("d/../new", "here/new/./in.txt"),
      ("here/new/", "new//in.txt"),
    ] {
      let refused = workspace.run("init", vault, "--generate-identity", path)
      #expect(refused.status == .inputRefused, "\(path): \(refused.errors)")
      #expect(refused.errors.contains("is in the vault"), "\(path): \(refused.errors)")
    }
    #expect(FileTree.names(in: workspace.path + "/w").isEmpty)
    #expect(!FileTree.names(in: workspace.path).contains("new"))
    #expect(workspace.run("init", "new", "--generate-identity", "new2/in.txt").status == .inputOutput)
    #expect(workspace.open("key", "add", "--generate-identity", "v2").code == 0, "a name that begins like the vault's")
  }

  @Test("a slot without a label is named by its id and kind, one with a label by that", .withKeygen)
  func names() throws {
    let workspace = try Workspace.withVault()
    for (label, name) in [("", "ID (x25519)"), ("Ada", "\"Ada\" (ID)")] {
      let added = workspace.open(
        "key", "add", "--recipient", try keygen(workspace, "k\(label)"), "--label", label, "--json")
      let id = try #require(JSON(added.stdout)["slot"]?["id"]?.text)
      let removed = workspace.open("key", "remove", id)
      let words = name.replacing("ID", with: id.prefix(8))
      #expect(removed.code == 0, "\(removed.errors)")
      #expect(removed.errors.hasPrefix("note: the slot \(words) was removed\n"), "\(removed.errors)")
    }
  }

  @Test("an exchanged recipient of one's own slot is 16 where the vault is known, else 11")
  func exchangedRecipient() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.run("init", "w", "--generate-identity", "other.txt").code == 0)
    let recipients = try ["v", "w"].map { path in
      let status = JSON(workspace.run("status", "--vault", path, "--json").stdout)
      return try #require(status["slots"]?.items?.first?["recipient"]?.text)
    }
    let header = workspace.text(of: "v/vault.json").replacing(recipients[0], with: recipients[1])
    _ = workspace.write(header, to: "v/vault.json")
    for command in [["list"], ["get", "x", "y"], ["verify"]] {
      #expect(
        workspace.run(command + ["--vault", "v", "--identity", "id.txt"]).status == .unexpectedVault, "\(command)")
    }
    let elsewhere = ["CVAULT_STATE_DIR": workspace.path + "/elsewhere"]
    #expect(workspace.open("verify", adding: elsewhere).status == .cannotUnlock)
  }

  @Test("what is malformed is a usage error")
  func usage() throws {
    let workspace = try Workspace.withVault()
    for arguments in [
      ["key", "add"], ["key", "add", "--passphrase", "--generate-identity", "x"],
      ["key", "add", "--generate-identity", "x", "--work-factor", "18"],
      ["key", "add", "--recipient", "age1nonsense"], ["key", "add", "--passphrase", "--work-factor", "9"],
      ["rekey", "--work-factor", "21"], ["rekey", "--key-passphrase-file", "x"], ["key", "change-passphrase"],
    ] {
      #expect(workspace.run(arguments + ["--vault", "v", "--identity", "id.txt"]).status == .usage, "\(arguments)")
    }
    for arguments in [["due", "--leaver", "--older-than", "1d"], ["due", "--older-than", "old"]] {
      #expect(workspace.run(arguments + ["--vault", "v"]).status == .usage, "\(arguments)")
    }
    #expect(workspace.open("key", "remove", "nobody").status == .notFound)
    #expect(workspace.open("rekey", "--drop-key", "nobody").status == .notFound)
  }
}

extension Trait where Self == ConditionTrait {
  /// For keys that another program makes.
  fileprivate static var withKeygen: Self {
    .enabled(if: Need.command("age-keygen").isMet(forCases: 1, of: "slots of age-keygen"))
  }
}
