import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// With a real ssh-agent.
@Suite("vault ssh", .enabled(if: Need.command("ssh-agent").isMet(forCases: 11, of: "keys for an ssh-agent")))
struct SSHTests {
  /// A vault, and an agent that ends with the test.
  private final class Bench {
    let workspace: Workspace
    private var agents: [String] = []

    init() throws {
      workspace = try Workspace.withVault()
      try startAgent("agent")
    }

    deinit {
      _ = run("lock")
      for agent in agents { workspace.prepare(". ./\(agent).env; ssh-agent -k >/dev/null") }
    }

    func startAgent(_ name: String, askpass: String = "/bin/false") throws {
      workspace.prepare("SSH_ASKPASS=\(askpass) DISPLAY=:0 ssh-agent -a \(name) >\(name).env 2>/dev/null")
      agents.append(name)
    }

    /// Makes a key, and a record of it.
    func addKey(_ name: String, _ options: String = "-t ed25519", passphrase: String = "", form: String = "") throws {
      workspace.prepare("ssh-keygen -q \(options) -N '\(passphrase)' -f \(name) -C '\(name) key'\(form)")
      _ = workspace.write(passphrase, to: "\(name).pass")
      let sealed = passphrase.isEmpty ? [] : ["--secret-file", "passphrase=\(name).pass"]
      let added = workspace.run(
        [
          "add", "ssh-key", "title=\(name)", "public_key=\(publicKey(name))", "--secret-file", "private_key=\(name)",
          "--vault", "v", "--identity", "id.txt",
        ] + sealed)
      try #require(added.code == 0, "\(added.errors)")
    }

    func publicKey(_ name: String) -> String { workspace.text(of: "\(name).pub").split(separator: "\n").joined() }

    func run(_ words: String..., agent: String = "agent", adding: [String: String] = [:]) -> ProcessOutcome {
      let variables = [
        "SSH_AUTH_SOCK": workspace.path + "/" + agent, "CVAULT_DIR": workspace.vault,
        "CVAULT_IDENTITY_FILE": workspace.identity, "XDG_RUNTIME_DIR": workspace.path,
      ]
      return workspace.run(words, adding: variables.merging(adding) { $1 })
    }

    /// The comments of the keys that an agent has.
    func held(_ agent: String = "agent") -> [String] {
      let list = ProcessRun(
        path: "/usr/bin/ssh-add", arguments: ["-L"],
        environment: workspace.environment.merging(["SSH_AUTH_SOCK": workspace.path + "/" + agent]) { $1 }
      ).run().output
      guard list.hasPrefix("ssh-") || list.hasPrefix("ecdsa-") else { return [] }
      return list.split(separator: "\n").map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }.sorted()
    }

    /// Whether an agent signs with a key of which there is only the public half.
    func signs(_ name: String, agent: String = "agent") -> Bool {
      workspace.prepare("mkdir -p public; cp \(name).pub public/; echo text >public/text; rm -f public/text.sig")
      let signing = ProcessRun(
        path: "/usr/bin/ssh-keygen",
        arguments: ["-Y", "sign", "-n", "test", "-f", "public/\(name).pub", "public/text"],
        environment: workspace.environment.merging(["SSH_AUTH_SOCK": workspace.path + "/" + agent]) { $1 },
        directory: workspace.path
      ).run()
      return signing.code == 0 && workspace.text(of: "public/text.sig").contains("SSH SIGNATURE")
    }

    var notes: [String] { FileTree.names(in: workspace.path + "/cvault").filter { $0.hasPrefix("note-") } }
  }

  @Test("a key is in the agent and signs; it is told which, and for how long")
  func add() throws {
    let bench = try Bench()
    try bench.addKey("deploy")
    let fingerprint = bench.workspace.run("show", "deploy", "--vault", "v", "--json").stdout
    let wanted = try #require(JSON(fingerprint)["record"]?["fingerprint"]?.text)
    #expect(!bench.signs("deploy"))
    let added = bench.run("ssh", "add", "deploy")
    #expect(added.code == 0)
    #expect(added.stdout.isEmpty)
    #expect(added.errors == "note: deploy is in the ssh-agent for 15 min: \(wanted)\n")
    #expect(bench.held() == ["deploy key"])
    #expect(bench.signs("deploy"))
    let again = JSON(bench.run("ssh", "add", "deploy", "--ttl", "2h", "--json").stdout)["added"]?.items?.first
    #expect(again?["fingerprint"]?.text == wanted)
    #expect(again?["seconds"]?.number == 7200)
    #expect(again?["path"]?.text == "private_key")
    #expect(again?["confirm"] == .bool(false))
    #expect(bench.held() == ["deploy key"])
  }

  @Test("keys of several sorts and forms, with their passphrases, at once")
  func forms() throws {
    let bench = try Bench()
    try bench.addKey("plain", "-t ecdsa")
    try bench.addKey("sealed", passphrase: "two words")
    try bench.addKey("pem", "-t rsa -b 2048 -m PEM", passphrase: "secret")
    let added = bench.run("ssh", "add", "plain", "sealed", "pem")
    #expect(added.code == 0, "\(added.errors)")
    // A key in that form has no comment of its own.
    #expect(bench.held() == ["(stdin)", "plain key", "sealed key"])
    for name in ["plain", "sealed", "pem"] { #expect(bench.signs(name), "\(name)") }
  }

  @Test("a key without its last line end, or with those of Windows, is a key as well")
  func lineEnds() throws {
    let bench = try Bench()
    try bench.addKey("deploy")
    for command in ["tr -d '\\n' <deploy.lines | tr '|' '\\n'", "sed 's/$/\\r/' deploy"] {
      bench.workspace.prepare("tr '\\n' '|' <deploy | sed 's/|$//' >deploy.lines; \(command) >other")
      let set = bench.run("set", "deploy", "--secret-file", "private_key=other")
      #expect(set.code == 0, "\(set.errors)")
      #expect(bench.run("ssh", "remove").code == 0)
      #expect(bench.held().isEmpty)
      #expect(bench.run("ssh", "add", "deploy").code == 0, "\(command)")
      #expect(bench.held() == ["deploy key"], "\(command)")
    }
  }

  @Test("a reference names another field; what is no key there is refused")
  func references() throws {
    let bench = try Bench()
    try bench.addKey("deploy")
    let custom = bench.run(
      "add", "custom", "title=Box", "--secret-file", "secrets.key=deploy", "--secret-file", "secrets.other=deploy.pub")
    #expect(custom.code == 0, "\(custom.errors)")
    #expect(bench.run("ssh", "add", "cvault://Box/secrets.key").code == 0)
    #expect(bench.held() == ["deploy key"])
    #expect(bench.run("ssh", "remove", "deploy").code == 0, "that of another record")
    #expect(bench.held() == ["deploy key"], "that of another record")
    #expect(bench.run("ssh", "remove", "Box").code == 0)
    #expect(bench.held().isEmpty)
    let other = bench.run("ssh", "add", "cvault://Box/secrets.other")
    #expect(other.status == .inputRefused)
    #expect(other.errors.contains("secrets.other of Box is not a private key in OpenSSH format"))
    let none = bench.run("ssh", "add", "Box")
    #expect(none.status == .notFound)
    #expect(none.errors.contains("name another field with a reference, such as cvault://"))
    #expect(bench.run("ssh", "add", "Nobody").status == .notFound)
    #expect(bench.run("ssh", "add", "cvault://Box/secrets.key?view=otp").status == .usage)
    for ttl in ["x", "8d", "-1"] {
      #expect(bench.run("ssh", "add", "deploy", "--ttl=\(ttl)").status == .usage, "\(ttl)")
    }
    #expect(bench.held().isEmpty)
    #expect(bench.notes.isEmpty)
  }

  @Test("a wrong passphrase is told, and which keys were added before it")
  func wrongPassphrase() throws {
    let bench = try Bench()
    try bench.addKey("first")
    try bench.addKey("sealed", passphrase: "two words")
    for change in [["--secret-stdin", "passphrase"], ["passphrase"]] {
      let command = change.count == 1 ? "unset" : "set"
      let changed = bench.workspace.run(
        [command, "sealed"] + change + ["--vault", "v", "--identity", "id.txt"], input: "two  words")
      #expect(changed.code == 0, "\(changed.errors)")
      let refused = bench.run("ssh", "add", "first", "sealed")
      #expect(refused.code == 1, "\(refused.errors)")
      #expect(refused.errors.contains("vault: sealed: the passphrase of the private key is wrong, or missing\n"))
      #expect(refused.errors.contains("hint: these keys were already added: first\n"))
      #expect(bench.held() == ["first key"])
    }
  }

  @Test("time ends it, as long as `unlock` holds the vault where nothing is said; 0 is no end")
  func lifetime() throws {
    let bench = try Bench()
    try bench.addKey("deploy")
    #expect(bench.run("ssh", "add", "deploy", "--ttl", "5s").code == 0)
    #expect(bench.held() == ["deploy key"])
    // The agent counts whole seconds; nothing else ends the key.
    for _ in 0..<300 where !bench.held().isEmpty { usleep(100_000) }
    #expect(bench.held().isEmpty)
    let endless = bench.run("ssh", "add", "deploy", "--ttl", "0", "--json")
    #expect(JSON(endless.stdout)["added"]?.items?.first?["seconds"] == .null)
    #expect(bench.run("unlock", "--for", "5m").code == 0)
    let added = bench.run("ssh", "add", "deploy", "--json", adding: ["CVAULT_IDENTITY_FILE": ""])
    let seconds = JSON(added.stdout)["added"]?.items?.first?["seconds"]?.number ?? 0
    #expect((200...300).contains(seconds), "\(added.errors)")
  }

  @Test("--confirm lets the agent ask, which refuses where it can ask nobody")
  func confirm() throws {
    let bench = try Bench()
    try bench.startAgent("willing", askpass: "/bin/true")
    try bench.addKey("deploy")
    for (agent, askpass, signs) in [("agent", "/bin/missing", false), ("willing", "/bin/true", true)] {
      let added = bench.run("ssh", "add", "deploy", "--confirm", agent: agent, adding: ["SSH_ASKPASS": askpass])
      #expect(added.code == 0)
      #expect(added.errors.contains("note: no ssh-askpass is installed here") != signs, "\(added.errors)")
      #expect(bench.held(agent) == ["deploy key"], "\(agent)")
      #expect(bench.signs("deploy", agent: agent) == signs, "\(agent)")
    }
  }

  @Test("`lock` and `ssh remove` take back what was added, from every agent, and leave the rest")
  func takingBack() throws {
    let bench = try Bench()
    try bench.startAgent("second")
    for name in ["one", "two"] { try bench.addKey(name) }
    bench.workspace.prepare(
      "ssh-keygen -q -t ed25519 -N '' -f own -C own; SSH_AUTH_SOCK=agent ssh-add -q own")
    #expect(bench.run("ssh", "add", "one", "two").code == 0)
    #expect(bench.run("ssh", "add", "one", agent: "second").code == 0)
    #expect(bench.notes.count == 3)
    // No key is needed, and no agent of this process.
    let keyless = ["CVAULT_IDENTITY_FILE": "", "SSH_AUTH_SOCK": ""]
    let removed = bench.run("ssh", "remove", "two", "--json", adding: keyless)
    #expect(JSON(removed.stdout)["removed"]?.items?.count == 1)
    #expect(bench.held() == ["one key", "own"])
    #expect(bench.held("second") == ["one key"])
    #expect(bench.run("ssh", "remove", "two", adding: keyless).errors == "note: there was no key to remove\n")
    #expect(bench.run("init", "other", "--generate-identity", "other.txt").code == 0)
    #expect(
      bench.run("ssh", "remove", "--vault", "other", adding: keyless).errors == "note: there was no key to remove\n")
    let locked = bench.run("lock", adding: keyless)
    #expect(locked.errors == "note: 2 keys removed from the ssh-agent\nnote: no vault was unlocked\n")
    #expect(bench.held() == ["own"])
    #expect(bench.held("second").isEmpty)
    #expect(bench.notes.isEmpty)
    #expect(bench.run("lock").errors == "note: no vault was unlocked\n")
  }

  @Test("an agent that is gone, a key that has ended and a note that is none are no fault of a later `lock`")
  func gone() throws {
    let bench = try Bench()
    for name in ["one", "two"] { try bench.addKey(name) }
    bench.workspace.prepare("ssh-agent -a third >third.env 2>/dev/null")
    #expect(bench.run("ssh", "add", "one", agent: "third").code == 0)
    #expect(bench.run("ssh", "add", "two").code == 0)
    bench.workspace.prepare(". ./third.env; ssh-agent -k >/dev/null; SSH_AUTH_SOCK=agent ssh-add -q -D 2>/dev/null")
    #expect(bench.notes.count == 2)
    let note = try #require(bench.notes.first)
    _ = bench.workspace.write("{}", to: "cvault/\(note.dropLast(4))0000")
    _ = bench.workspace.write("garbage", to: "cvault/note-x")
    let locked = bench.run("lock")
    #expect(locked.code == 0, "\(locked.errors)")
    #expect(locked.errors == "note: no vault was unlocked\n", "\(locked.errors)")
    // A locked agent shows no key, so unexpired requests are tried again.
    #expect(bench.notes.count == 2)
    #expect(bench.run("ssh", "add", "two").code == 0)
    bench.workspace.prepare(
      """
      export SSH_AUTH_SOCK=agent SSH_ASKPASS=$PWD/ask SSH_ASKPASS_REQUIRE=force
      printf '#!/bin/sh\necho word\n' >ask; chmod 700 ask; ssh-add -x 2>/dev/null </dev/null
      """)
    #expect(bench.run("ssh", "remove").errors == "note: there was no key to remove\n")
    #expect(bench.notes.count == 2)
    bench.workspace.prepare(
      "SSH_AUTH_SOCK=agent SSH_ASKPASS=$PWD/ask SSH_ASKPASS_REQUIRE=force ssh-add -X 2>/dev/null </dev/null")
    #expect(bench.held() == ["two key"])
    #expect(bench.run("lock").errors.hasPrefix("note: 1 key removed"))
    #expect(bench.notes == ["note-x"])
  }

  @Test("without an ssh-agent or ssh-add it ends before a key is asked for")
  func missing() throws {
    let bench = try Bench()
    try bench.addKey("deploy")
    bench.workspace.prepare("mkdir empty; echo >file")
    for (variables, reason) in [
      (["SSH_AUTH_SOCK": ""], "SSH_AUTH_SOCK does not name an ssh-agent"),
      (["SSH_AUTH_SOCK": "nothing"], "nothing: no ssh-agent answers there"),
      (["SSH_AUTH_SOCK": "file"], "file: no ssh-agent answers there"),
      (["PATH": bench.workspace.path + "/empty"], "ssh-add is not installed"),
    ] {
      let refused = bench.run("ssh", "add", "deploy", adding: variables.merging(["CVAULT_IDENTITY_FILE": ""]) { $1 })
      #expect(refused.status == .inputOutput, "\(refused.errors)")
      #expect(refused.errors.hasPrefix("vault: \(reason)\n"), "\(refused.errors)")
    }
  }

  @Test("ssh-add gets the key by a pipe and options as they are, and no secret is an argument or a variable")
  func secrecy() throws {
    let bench = try Bench()
    try bench.addKey("deploy", passphrase: "marker-0123")
    bench.workspace.prepare(
      """
      mkdir bin
      printf '#!/bin/sh\\n[ "$1" = -L ] && exit 1\\nprintf "%%s\\\\n" "$@" >args\\nenv >env\\ncat >key\\n"$SSH_ASKPASS" ask >ask1\\n' \
        >bin/ssh-add
      printf '"$SSH_ASKPASS" ask >ask2\\nls -l /proc/$$/fd >fds\\n' >>bin/ssh-add
      chmod 700 bin/ssh-add
      """)
    let added = bench.run(
      "ssh", "add", "deploy", "--ttl", "1h", "--confirm", "--host", "one", "--host", "one>two",
      adding: ["PATH": bench.workspace.path + "/bin:/usr/bin:/bin"])
    #expect(added.code == 0, "\(added.errors)")
    func text(_ name: String) -> String { bench.workspace.text(of: name) }
    #expect(text("args") == "-q\n-t\n3600\n-c\n-h\none\n-h\none>two\n-\n")
    #expect(text("key") == text("deploy"))
    #expect(text("ask1") == "marker-0123\n")
    #expect(text("ask2") == "\n")
    let line = String(text("deploy").split(separator: "\n")[3])
    for place in ["args", "env", "fds"] {
      #expect(!text(place).contains("marker"))
      #expect(!text(place).contains(line))
    }
    // Of ours, it has where to ask, and nothing that leads to the vault.
    let own = text("env").split(separator: "\n").filter { $0.hasPrefix("CVAULT_") }
    try #require(own.count == 1)
    #expect(own[0].hasPrefix("CVAULT_ASKPASS_FD="))
    // Its three streams and the pipe; from 10 on are the shell's own.
    let open = text("fds").split(separator: "\n").compactMap { line in
      line.firstRange(of: " -> ").flatMap { Int(line[..<$0.lowerBound].split(separator: " ").last ?? "") }
    }
    #expect(open.count { $0 < 10 } == 4, "\(text("fds"))")
  }
}
