import Testing
import VaultTestSupport

@Suite("vault credential")
struct CredentialTests {
  private func makeWorkspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    for (name, user, url, password) in [
      ("A", "ada", "https://git.example.com/team", "pw-a"), ("B", "bob", "https://git.example.com/team/sub", "pw-b"),
      ("C", "cy", "https://reg.example.com:5000", "pw-c"), ("Hub", "hub", "https://index.docker.io/v1/", "pw-h"),
      ("Two", "two", "https://two.example.com", "a\nb"), ("dev", "x", "https://x.example.com", "anspw"),
      ("Local", "loc", "http://127.0.0.1:5000", "pw-l"),
    ] {
      let added = workspace.open(
        "add", "login", name, "username=\(user)", "urls[0]=\(url)", "--secret-stdin", "password", input: password)
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  private func git(_ workspace: Workspace, _ request: String, _ words: String...) -> ProcessOutcome {
    workspace.run(
      ["credential", "git", "get", "--vault", "v", "--identity", "id.txt"] + words, input: request + "\n\n")
  }

  @Test("git gets the login with the longest path of that very host, and nothing else ever")
  func gitHelper() throws {
    let workspace = try makeWorkspace()
    let here = "protocol=https\nhost=git.example.com"
    #expect(git(workspace, here + "\npath=team/x.git").output == "username=ada\npassword=pw-a\n")
    #expect(git(workspace, here + "\npath=team/sub/y.git").output == "username=bob\npassword=pw-b\n")
    #expect(git(workspace, here + "\nusername=bob").output == "username=bob\npassword=pw-b\n")
    #expect(git(workspace, here + ":443\npath=team/x").output == "username=ada\npassword=pw-a\n")
    let several = git(workspace, here)
    #expect(several.status == .notFound)
    #expect(several.stdout.isEmpty)
    #expect(several.errors.contains("2 logins"))
    for request in [
      "protocol=https\nhost=evil.git.example.com", "protocol=https\nhost=example.com", here + "\npath=teams/x",
      "protocol=http\nhost=git.example.com\nusername=ada", here + ":8443\nusername=ada", here + "\nusername=eve",
      "protocol=https\nhost=git.example.com@evil.example.com", "", "host=git.example.com", "nonsense",
    ] {
      let outcome = git(workspace, request)
      #expect(outcome.code == 0, "\(request)")
      #expect(outcome.stdout.isEmpty, "\(request)")
      #expect(outcome.errors == "", "\(request)")
    }
    #expect(git(workspace, "protocol=https\nhost=two.example.com").status == .inputRefused)
    for operation in ["store", "erase", "capability", "later"] {
      let outcome = workspace.run(["credential", "git", operation, "--vault", "v"], input: here + "\npassword=x\n\n")
      #expect(outcome.code == 0, "\(operation)")
      #expect(outcome.stdout.isEmpty, "\(operation)")
    }
  }

  @Test(
    "git gets no login for a path that a server may take for another one",
    arguments: [
      "team/../evil/x", "team/%2e%2e/evil", "team/.%2e/evil", "team/%2E./evil", "team/./x", "team/%2e/x", "team/..",
      "team/..%2f..", "team//..//evil", "team/%252e%252e/evil", "team/..;/evil", "team/..;a=b/evil", "team/..%3b/evil",
      "team/..\\evil", "team/..%5cevil", "team/x%2f../../evil", "team/x?/../../evil", "team/x%3f/../../evil",
      "team/x#/../../evil", "team/%c0%ae%c0%ae/evil", "team/.%0a./evil", "team/.../evil", "team/%2e%2e%00/evil",
    ])
  func paths(_ path: String) throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "login", "A", "username=ada", "urls[0]=https://git.example.com/team", "--secret-stdin", "password",
      input: "pw-a")
    try #require(added.code == 0, "\(added.errors)")
    let here = "protocol=https\nhost=git.example.com\npath="
    let outcome = git(workspace, here + path)
    #expect(outcome.code == 0)
    #expect(outcome.stdout.isEmpty)
    for path in ["team/a..b", "team/.git", "team/..x", "team/x y", "team/100%", "team/x?y", "team"] {
      #expect(git(workspace, here + path).output == "username=ada\npassword=pw-a\n", "\(path)")
    }
  }

  @Test("with --store git's approval makes a login or replaces its password, and its refusal removes it")
  func gitStores() throws {
    let workspace = try makeWorkspace()
    func git(_ operation: String, _ password: String, host: String = "new.example.com", path: String = "") -> Int32 {
      let request = "protocol=https\nhost=\(host)\nusername=eve\npassword=\(password)\n\(path)\n"
      let outcome = workspace.run(
        ["credential", "git", operation, "--store", "--vault", "v", "--identity", "id.txt"], input: request)
      #expect(outcome.stdout.isEmpty, "\(outcome.errors)")
      #expect(!outcome.errors.contains(password), "\(outcome.errors)")
      return outcome.code
    }
    #expect(git("store", "first=1") == 0)
    #expect(workspace.open("get", "new.example.com", "password").output == "first=1")
    #expect(workspace.open("get", "new.example.com", "urls[0]").output == "https://new.example.com")
    let before = workspace.snapshot()
    #expect(git("store", "first=1") == 0)
    #expect(git("erase", "other") == 0)
    #expect(git("erase", "first=1", host: "old.example.com") == 0)
    #expect(git("store", "pw-x", host: "a b") == 0)
    #expect(workspace.snapshot() == before)
    #expect(git("store", "second-2", path: "path=team/x\n") == 0)
    #expect(workspace.open("get", "new.example.com", "password").output == "second-2")
    #expect(git("erase", "second-2") == 0)
    #expect(workspace.open("get", "new.example.com", "password").status == .notFound)
    #expect(workspace.open("restore", "new.example.com").code == 0)
    // Another user of a host that is known is another login.
    #expect(git("store", "pw-e", host: "git.example.com") == 0)
    #expect(workspace.open("get", "A", "password").output == "pw-a")
    #expect(workspace.open("get", "git.example.com", "username").output == "eve")
    // Nobody is asked, and nothing is lost without a word.
    let locked = workspace.run(
      ["credential", "git", "store", "--store", "--vault", "v"],
      input: "protocol=https\nhost=x.example.com\nusername=eve\npassword=pw\n\n")
    #expect(locked.status == .cannotUnlock)
    #expect(locked.errors.contains("vault unlock"))
  }

  @Test("a changed address is refused before the password goes out")
  func forgedAddress() throws {
    let workspace = try makeWorkspace()
    let file = workspace.vault + "/" + (try workspace.recordFile("A"))
    let text = String(decoding: FileTree.contents(of: file) ?? [], as: UTF8.self)
    FileTree.write(Array(text.replacing("git.example.com/team", with: "evil.example.com/team").utf8), to: file)
    let outcome = git(workspace, "protocol=https\nhost=evil.example.com\npath=team")
    #expect(outcome.status == .damaged)
    #expect(outcome.stdout.isEmpty)
  }

  @Test("nobody is asked, and no vault is taken that only lies in the folder", .atTerminal)
  func places() throws {
    let workspace = try makeWorkspace()
    let request = "protocol=https\nhost=git.example.com\nusername=ada\n\n"
    var plan = workspace.plan(["credential", "git", "get", "--identity", workspace.identity])
    plan.directory = workspace.vault
    plan.input = Array(request.utf8)
    let found = plan.run()
    #expect(found.status == .unexpectedVault)
    #expect(found.stdout.isEmpty)
    let words = workspace.write("only words", to: "words.txt")
    #expect(
      workspace.open("key", "add", "--passphrase", "--new-passphrase-file", words, "--work-factor", "10").code == 0)
    let locked = workspace.run(
      ["credential", "git", "get", "--vault", "v"], input: request, typed: nil)
    #expect(locked.status == .cannotUnlock)
    #expect(locked.stdout.isEmpty)
  }

  /// A run of the program by the name of a link to it.
  private func call(_ workspace: Workspace, _ name: String, _ words: [String], input: String = "") -> ProcessOutcome {
    let link = workspace.path + "/" + name
    if FileTree.kind(of: link) == nil { workspace.prepare("ln -s '\(Binary.path)' '\(link)'") }
    var plan = workspace.plan(words)
    plan.path = link
    plan.input = Array(input.utf8)
    plan.environment.merge(["CVAULT_DIR": workspace.vault, "CVAULT_IDENTITY_FILE": workspace.identity]) { $1 }
    return plan.run()
  }

  @Test("docker finds its credentials by the name of a link")
  func docker() throws {
    let workspace = try makeWorkspace()
    func call(_ name: String, _ words: [String], input: String = "") -> ProcessOutcome {
      self.call(workspace, name, words, input: input)
    }
    let docker = "docker-credential-cvault"
    let registry = JSON(call(docker, ["get"], input: "reg.example.com:5000\n").stdout)
    #expect(registry["Username"]?.text == "cy")
    #expect(registry["Secret"]?.text == "pw-c")
    #expect(registry["ServerURL"]?.text == "reg.example.com:5000")
    #expect(JSON(call(docker, ["get"], input: "https://index.docker.io/v1/").stdout)["Username"]?.text == "hub")
    #expect(JSON(call(docker, ["get"], input: "127.0.0.1:5000").stdout)["Username"]?.text == "loc")
    #expect(call(docker, ["get"], input: "https://127.0.0.1:5000").code == 1)
    for other in [
      "http://docker.io", "http://index.docker.io/v1/", "docker.io:444", "https://docker.io:444", "index.docker.io:1",
      "docker.io:80", "http://docker.io:443", "registry-1.docker.io:5000", "docker.io.evil.example", "evil.docker.io",
      "dock er.io", "docker.io\nevil.example", "ftp://docker.io",
    ] {
      let refused = call(docker, ["get"], input: other)
      #expect(refused.code == 1, "\(other)")
      #expect(!refused.output.contains("pw-h"), "\(other)")
    }
    for name in ["docker.io", "https://docker.io:443", "docker.io:443", "registry-1.docker.io", "hub.docker.com\n"] {
      #expect(JSON(call(docker, ["get"], input: name).stdout)["Username"]?.text == "hub", "\(name)")
    }
    let none = call(docker, ["get"], input: "none.example.com")
    #expect(none.code == 1)
    #expect(none.output == "credentials not found in native keychain\n")
    #expect(JSON(call(docker, ["list"]).stdout)["https://reg.example.com:5000"]?.text == "cy")
    let stored = call(docker, ["store"], input: "{}")
    #expect(stored.code == 1)
    #expect(stored.output.contains("is not supported"))
    #expect(stored.errors.contains("is not supported"))
  }

  @Test("ansible and git find their credentials by the names of links, and aws by a command")
  func others() throws {
    let workspace = try makeWorkspace()
    #expect(call(workspace, "cvault-client", ["--vault-id", "dev"]).output == "anspw\n")
    #expect(call(workspace, "cvault-client", ["--vault-id", "nope"]).status == .unknownVaultID)
    let asked = "protocol=https\nhost=reg.example.com:5000\n"
    #expect(call(workspace, "git-credential-cvault", ["get"], input: asked).code == 0)
    let added = workspace.open(
      "add", "api-key", "Deploy", "issuer=aws", "key_id=AKIA1", "--secret-stdin", "secret", input: "s")
    #expect(added.code == 0, "\(added.errors)")
    let key = JSON(workspace.open("credential", "aws", "Deploy").stdout)
    #expect(key["Version"]?.number == 1)
    #expect(key["AccessKeyId"]?.text == "AKIA1")
    #expect(key["SecretAccessKey"]?.text == "s")
    #expect(workspace.open("set", "Deploy", "expires_at=2020-01-01T00:00:00Z").code == 0)
    #expect(workspace.open("credential", "aws", "Deploy").status == .findings)
    #expect(workspace.open("credential", "aws", "Dep").status == .notFound)
  }
}
