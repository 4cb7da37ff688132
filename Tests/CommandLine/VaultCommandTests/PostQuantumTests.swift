import Testing
import VaultTestSupport

/// Post-quantum keys: where OpenSSL has them, and the one line where it has not.
@Suite("Post-quantum keys")
struct PostQuantumTests {
  private static let needed = "post-quantum keys need OpenSSL (libcrypto) 3.5 or later"

  /// A vault that a post-quantum identity opens, with one record.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.run("init", "v", "--generate-identity", "id.txt", "--post-quantum")
    try #require(made.code == 0, "\(made.errors)")
    #expect(!made.errors.contains("not post-quantum"))
    try #require(workspace.open("add", "customer", "--set", "name=Ada", "--generate", "access_key").code == 0)
    return workspace
  }

  private func recipient(_ workspace: Workspace, _ file: String) throws -> String {
    let line = try #require(workspace.text(of: file).split(separator: "\n").first { $0.hasPrefix("# public key: ") })
    return String(line.dropFirst("# public key: ".count))
  }

  private func isPostQuantum(_ workspace: Workspace) -> Bool {
    let (text, json) = (workspace.run("status", "--vault", "v"), workspace.run("status", "--vault", "v", "--json"))
    let isSaid = text.output.contains("post-quantum\n")
    #expect(JSON(json.stdout)["post_quantum"]?.bool == isSaid, "\(text.output)")
    return isSaid
  }

  @Test("a new vault with a post-quantum identity opens with it, and status says so", .withPostQuantum)
  func newVault() throws {
    let workspace = try workspace()
    #expect(workspace.text(of: "id.txt").contains("\nAGE-SECRET-KEY-PQ-1"))
    #expect(workspace.open("get", "Ada", "name").output == "Ada")
    #expect(workspace.open("verify").code == 0)
    #expect(isPostQuantum(workspace))
    let slot = try #require(JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items?.first)
    #expect(slot["kind"]?.text == "mlkem768x25519")
    #expect(try slot["recipient"]?.text == recipient(workspace, "id.txt"))
    let id = try #require(slot["id"]?.text)
    let file = try #require(FileTree.contents(of: workspace.vault + "/slots/\(id).age"))
    #expect(file.count < 4096 && file.holds(Array("-> mlkem768x25519 ".utf8)))
    #expect(workspace.text(of: "v/vault.json").contains("\"requires\" : ["))
    #expect(workspace.run("get", "Ada", "name", "--vault", "v").status == .cannotUnlock)
  }

  @Test("one other recipient keeps a vault from being post-quantum, and a note names its slot", .withPostQuantum)
  func changingOver() throws {
    let workspace = try Workspace.withVault()
    #expect(!isPostQuantum(workspace))
    let added = workspace.open("key", "add", "--generate-identity", "new.txt", "--post-quantum", "--label", "new")
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.errors.contains("is not post-quantum, so the vault is not"), "\(added.errors)")
    #expect(!isPostQuantum(workspace))
    let slots = try #require(JSON(workspace.run("key", "list", "--vault", "v", "--json").stdout)["slots"]?.items)
    let old = try #require(slots.first { $0["kind"]?.text == "x25519" }?["id"]?.text)
    #expect(workspace.run("key", "remove", old, "--vault", "v", "--identity", "new.txt").code == 0)
    #expect(isPostQuantum(workspace))
    let words = ["key", "add", "--passphrase", "--new-passphrase-command", "echo correct horse", "--work-factor", "10"]
    let passphrase = workspace.run(words + ["--vault", "v", "--identity", "new.txt"])
    #expect(passphrase.code == 0, "\(passphrase.errors)")
    #expect(isPostQuantum(workspace), "a passphrase counts")
  }

  @Test("a recipient is added from its file once, and a rotation makes its slot again", .withPostQuantum)
  func rotation() throws {
    let workspace = try workspace()
    #expect(workspace.run("init", "other", "--generate-identity", "bob.txt", "--post-quantum").code == 0)
    let bob = try recipient(workspace, "bob.txt")
    _ = workspace.write(bob + "\n", to: "bob.pub")
    let added = workspace.open("key", "add", "bob.pub")
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.errors.contains("age1pq1") && !added.errors.contains(bob), "a note does not fill the screen")
    #expect(workspace.open("key", "add", "--recipient", bob).status == .alreadyExists)
    for command in [["rekey"], ["rekey", "--reseal"]] {
      let rotated = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(rotated.code == 0, "\(rotated.errors)")
      for identity in ["id.txt", "bob.txt"] {
        #expect(workspace.run("get", "Ada", "name", "--vault", "v", "--identity", identity).output == "Ada")
      }
    }
    #expect(workspace.text(of: "v/vault.json").contains("mlkem768x25519"))
  }

  @Test("the last post-quantum slot takes the requirement of the header with it", .withPostQuantum)
  func requirement() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("key", "add", "--generate-identity", "n.txt", "--post-quantum", "--label", "n").code == 0)
    #expect(workspace.text(of: "v/vault.json").contains("\"requires\""))
    #expect(workspace.open("key", "remove", "n").code == 0)
    #expect(!workspace.text(of: "v/vault.json").contains("\"requires\""))
  }

  @Test("a backup goes to the vault's own recipients of both types, and to named ones of one type", .withPostQuantum)
  func backups() throws {
    let workspace = try workspace()
    #expect(workspace.open("key", "add", "--generate-identity", "old.txt", "--label", "old").code == 0)
    workspace.prepare("mkdir b c")
    let made = workspace.open("backup", "create", "--to", "b")
    #expect(made.code == 0, "\(made.errors)")
    for identity in ["id.txt", "old.txt"] {
      let verified = workspace.run("backup", "verify", made.output.trimmingNewline, "--identity", identity)
      #expect(verified.code == 0, "\(identity): \(verified.errors)")
    }
    let both = try ["id.txt", "old.txt"].flatMap { ["--recipient", try recipient(workspace, $0)] }
    let mixed = workspace.run(["backup", "create", "--vault", "v", "--to", "c"] + both)
    #expect(mixed.status == .usage)
    #expect(mixed.errors.contains("cannot be combined in one file"), "\(mixed.errors)")
    #expect(FileTree.names(in: workspace.path + "/c").isEmpty)
    let one = workspace.run(["backup", "create", "--vault", "v", "--to", "c"] + both.prefix(2))
    #expect(one.code == 0, "\(one.errors)")
    #expect(workspace.run("backup", "verify", one.output.trimmingNewline, "--identity", "id.txt").code == 0)
  }

  @Test("an export is sealed to a post-quantum recipient, and never to one beside another", .withPostQuantum)
  func exports() throws {
    let workspace = try workspace()
    let ada = try recipient(workspace, "id.txt")
    let exported = workspace.open(
      "export", "--reveal", "--format", "json", "--age", ada, "--output", "all.json.age")
    #expect(exported.code == 0, "\(exported.errors)")
    let file = try #require(FileTree.contents(of: workspace.path + "/all.json.age"))
    #expect(file.starts(with: "age-encryption.org/v1\n-> mlkem768x25519 ".utf8))
    #expect(workspace.run("init", "w", "--generate-identity", "w.txt").code == 0)
    let mixed = workspace.open(
      "export", "--reveal", "--format", "json", "--age", ada, "--age", try recipient(workspace, "w.txt"), "--output",
      "mixed.age")
    #expect(mixed.status == .usage)
    #expect(FileTree.contents(of: workspace.path + "/mixed.age") == nil)
  }

  @Test("the slot of the reference implementation opens a vault", .withPostQuantum)
  func referenceSlot() throws {
    let workspace = try vectorVault()
    #expect(workspace.run("list", "--verify", "--vault", "v", "--identity", "pq.txt").code == 0)
  }

  @Test("init --post-quantum by itself makes the user's own identity, and never replaces it", .withPostQuantum)
  func usualPlace() throws {
    let workspace = try Workspace()
    let made = workspace.run("init", "v", "--post-quantum")
    #expect(made.code == 0, "\(made.errors)")
    #expect(workspace.run("add", "customer", "--set", "name=Ada", "--generate", "access_key", "--vault", "v").code == 0)
    #expect(workspace.run("init", "w", "--post-quantum").status == .alreadyExists)
    #expect(workspace.run("list", "--verify", "--vault", "v").code == 0)
  }

  @Test("a vault of passphrases is post-quantum")
  func passphrases() throws {
    let workspace = try Workspace()
    let made = workspace.run(
      "init", "v", "--passphrase", "--new-passphrase-command", "echo correct horse", "--work-factor", "10")
    #expect(made.code == 0, "\(made.errors)")
    #expect(isPostQuantum(workspace))
  }
}

extension PostQuantumTests {
  /// A vault of the vectors with a slot of each kind; `pq.txt` and `classic.txt` are its identities.
  private func vectorVault() throws -> Workspace {
    let workspace = try Workspace()
    let head = try #require(try OwnVectors.cases("headers").first { try $0.text("name") == "with a post-quantum slot" })
    FileTree.writeWithFolder(Array(try head.text("file").utf8), to: workspace.vault + "/vault.json")
    let listed = try #require(JSON(head.file("file"))["slots"]?.items)
    for slot in try OwnVectors.cases("slots") {
      let kind = try slot.text("kind")
      guard let id = listed.first(where: { $0["kind"]?.text == kind })?["id"]?.text else { continue }
      FileTree.writeWithFolder(try slot.base64("file_base64"), to: workspace.vault + "/slots/\(id).age")
      if kind == "mlkem768x25519" { _ = workspace.write(try slot.text("identity") + "\n", to: "pq.txt") }
      if kind == "x25519" { _ = workspace.write(try slot.text("identity") + "\n", to: "classic.txt") }
    }
    return workspace
  }

  /// A recipient of the vectors.
  private func vectorRecipient() throws -> String {
    try #require(try OwnVectors.cases("slots").first { try $0.text("kind") == "mlkem768x25519" }).text("recipient")
  }

  @Test("an older OpenSSL refuses each command in one line, before anything is written", .withoutPostQuantum)
  func olderLibrary() throws {
    let workspace = try vectorVault()
    _ = workspace.write(try vectorRecipient() + "\n", to: "pq.pub")
    workspace.prepare("mkdir b")
    let (before, recipient) = (workspace.snapshot(), try vectorRecipient())
    let open = ["--vault", "v", "--identity", "classic.txt"]
    let commands = [
      ["init", "new", "--generate-identity", "new.txt", "--post-quantum"], ["init", "new", "--post-quantum"],
      ["init", "new", "--recipient", recipient],
      ["key", "add", "--generate-identity", "new.txt", "--post-quantum"] + open, ["key", "add", recipient] + open,
      ["key", "add", "pq.pub"] + open, ["rekey"] + open, ["rekey", "--reseal"] + open,
      ["backup", "create", "--vault", "v", "--to", "b", "--recipient", recipient],
      ["backup", "create", "--vault", "v", "--to", "b", "--recipients-file", "pq.pub"],
      ["backup", "create", "--vault", "v", "--to", "b"],
      ["export", "--reveal", "--format", "json", "--age", recipient, "--output", "out.age"] + open,
    ]
    for command in commands {
      let refused = workspace.run(command)
      #expect(refused.status == .inputRefused, "\(command.prefix(4)): \(refused.errors)")
      #expect(refused.errors.contains(Self.needed), "\(command.prefix(4)): \(refused.errors)")
    }
    #expect(workspace.snapshot() == before)
    let names = FileTree.names(in: workspace.path)
    #expect(!names.contains("new") && !names.contains("new.txt") && !names.contains("out.age"), "\(names)")
    #expect(FileTree.names(in: workspace.path + "/b").isEmpty)
  }

  @Test("an older OpenSSL opens such a vault with its other keys, shows the slot, and names what its key needs")
  func olderLibraryReads() throws {
    let workspace = try vectorVault()
    #expect(workspace.run("list", "--verify", "--vault", "v", "--identity", "classic.txt").code == 0)
    let listed = workspace.run("key", "list", "--vault", "v", "--identity", "classic.txt")
    #expect(listed.code == 0, "\(listed.errors)")
    #expect(try listed.output.contains("mlkem768x25519  ") && listed.output.contains(vectorRecipient()))
    #expect(!isPostQuantum(workspace))
    guard !Need.postQuantum.isMet else { return }
    let refused = workspace.run("list", "--verify", "--vault", "v", "--identity", "pq.txt")
    #expect(refused.status == .cannotUnlock)
    #expect(refused.errors.contains(Self.needed), "\(refused.errors)")
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests that need OpenSSL 3.5 or later.
  static var withPostQuantum: Self {
    .enabled(if: Need.postQuantum.isMet(forCases: 1, of: "post-quantum keys on the command line"))
  }

  /// For tests of an OpenSSL before 3.5.
  static var withoutPostQuantum: Self {
    .enabled(
      if: Need(!Need.postQuantum.isMet, otherwise: "OpenSSL here is 3.5 or later").isMet(
        forCases: 1, of: "refusal of post-quantum keys"))
  }
}
