import Testing
import VaultTestSupport

@Suite("Secrets")
struct SecrecyTests {
  @Test("no secret stands in any byte under vault, state, home and temporary folders, or on stderr")
  func secretsAreNowhere() throws {
    let workspace = try Workspace.withVault()
    var stderr: [UInt8] = []
    let commands: [[String]] = [
      ["import", "json", Fixture.customers, "--kind", "customer"], ["show", "Shai Mishali", "--reveal"],
      ["get", "Shai Mishali", "access_key"], ["set", "Shai Mishali", "name=Somebody Else"],
      ["set", "Somebody Else", "--secret-file", "atm_code=\(Fixture.customers)"], ["export", "--reveal", "-v"],
      ["list"], ["find", "paris"], ["status"], ["remove", "Amélie Dubois", "--yes"],
      ["import", "json", Fixture.faulty, "--kind", "customer", "-v"],
    ]
    for command in commands {
      let outcome = workspace.run(command + ["--vault", workspace.vault, "--identity", workspace.identity])
      #expect(outcome.code == 0 || outcome.status == .partlyDone, "\(command): \(outcome.errors)")
      stderr += outcome.stderr
    }
    let secrets = try Fixture.longSecrets()
    #expect(secrets.count > 20)
    var searched = 0
    for folder in ["v", "state", "home", "tmp"] {
      for name in FileTree.files(below: workspace.path + "/" + folder) {
        let bytes = try #require(FileTree.contents(of: workspace.path + "/\(folder)/\(name)"))
        searched += 1
        for secret in secrets { #expect(!bytes.holds(secret), "\(folder)/\(name)") }
      }
    }
    #expect(searched > 24)
    for secret in secrets { #expect(!stderr.holds(secret)) }
    print("secrets: \(secrets.count) searched in \(searched) files and \(stderr.count) bytes of stderr")
  }

  @Test(
    "a sealed field is refused as an argument by every name that input may call it, and a readable one as a secret",
    arguments: [
      ("customer", ["Ada", "accessKey=canary"], "access_key is sealed"),
      ("customer", ["--set", "name=Ada", "--set", "atmCode=1234", "-g", "access_key"], "atm_code is sealed"),
      ("customer", ["Ada", "access_key=canary"], "access_key is sealed"),
      ("customer", ["Ada", "--secret-stdin", "email", "-g", "access_key"], "contact_info.email is a readable field"),
      ("badge", ["--set", "both=canary rest"], "code is sealed"),
    ])
  func namesOfSealedFields(_ kind: String, _ arguments: [String], _ reason: String) throws {
    let workspace = try Workspace.withVault()
    let badge = #"""
      {"title":"Badge","type":"object","properties":{"owner":{"type":"string"},"code":{"type":"string","x-sealed":true}},
       "x-schema":2,"x-migrations":{"2":[{"split":"both","at":" ","into":["code","owner"]},{"seal":"code"}]}}
      """#
    _ = workspace.write(badge, to: "badge.json")
    #expect(workspace.open("kinds", "add", "badge.json").code == 0)
    let key = ["--vault", workspace.vault, "--identity", workspace.identity]
    let added = workspace.run(["add", kind] + arguments + key, input: "canary")
    #expect(added.status == .usage, "\(added.errors)")
    #expect(added.errors.contains(reason), "\(added.errors)")
    #expect(!added.errors.contains("canary"))
    #expect(workspace.run("list", "--vault", workspace.vault).output == "")
  }

  @Test("a sealed field with its value, in the place of a field, a record, a kind or a command, is refused unseen")
  func assignments() throws {
    let lines: [(line: String, code: Int32)] = [
      ("get A password=canary", 64), ("get password=canary username", 10), ("show password=canary", 10),
      ("set A --secret-stdin password=canary", 64), ("set A --secret password=canary", 64),
      ("set A --generate password=canary", 64), ("set A -g password=canary", 64), ("set A password=canary", 64),
      ("set A password canary", 64), ("set password=canary", 64), ("unset A password=canary", 64),
      ("edit A --field password=canary", 64), ("log A --fields password=canary", 64), ("ref A password=canary", 64),
      ("copy A password=canary", 64), ("add password=canary", 17), ("add login password=canary", 64),
      ("find password=canary", 10), ("find --where password=canary", 64), ("password=canary", 64),
      ("run --env PASSWORD=canary -- true", 125), ("remove password=canary --yes", 10),
    ]
    let workspace = try Workspace.withVault()
    let place = ["--vault", workspace.vault]
    let key = ["--identity", workspace.identity]
    try #require(workspace.run(place + ["add", "login", "title=A", "--generate", "password"] + key).code == 0)
    for (line, code) in lines {
      let words = line.split(separator: " ").map(String.init)
      let run = workspace.run(place + words.prefix(1) + (words[0] == "find" ? [] : key) + words.dropFirst())
      #expect(run.code == code, "\(line): \(run.errors)")
      #expect(!(run.output + run.errors).contains("canary"), "\(line): \(run.errors)")
    }
  }

  @Test("an identity in the place of a file, as a variable of a CI system may hold it, is refused and not shown")
  func identitiesForFiles() throws {
    let workspace = try Workspace.withCustomers()
    let bytes = try #require(FileTree.contents(of: workspace.identity))
    let text = String(decoding: bytes, as: UTF8.self)
    let identity = try #require(text.split(separator: "\n").last.map(String.init))
    #expect(identity.hasPrefix("AGE-SECRET-KEY-1"))
    let lines: [(words: [String], variable: String?, subject: String)] = [
      (["get", "Shai Mishali", "access_key"], text, "CVAULT_IDENTITY_FILE"),
      (["status"], identity, "CVAULT_IDENTITY_FILE"),
      (["doctor"], identity, "CVAULT_IDENTITY_FILE"), (["check", "-v"], identity, "CVAULT_IDENTITY_FILE"),
      (["get", "Shai Mishali", "access_key", "--json", "--identity", identity], nil, "--identity"),
      (["backup", "create", "--to", "-", "--prove-with", identity], nil, "--prove-with"),
      (["import", "sops-json", Fixture.customers, "--source-identity", identity], nil, "--source-identity"),
      (["key", "add", identity], workspace.identity, "--recipient"),
    ]
    for (words, variable, subject) in lines {
      let given = variable.map { ["CVAULT_IDENTITY_FILE": $0] } ?? [:]
      let outcome = workspace.run(words + ["--vault", workspace.vault], adding: given)
      let said = outcome.output + outcome.errors
      #expect(outcome.status == .usage, "\(words.prefix(2)): \(outcome.code)")
      #expect(said.contains("\(subject) is "), "\(words.prefix(2)): \(outcome.code)")
      #expect(!said.contains(identity.dropFirst(20)), "\(words.prefix(2))")
    }
    // Nothing is opened for a list, so that a wrong variable is in nobody's way.
    let listed = workspace.run("list", "-v", "--vault", workspace.vault, adding: ["CVAULT_IDENTITY_FILE": identity])
    #expect(listed.code == 0)
    #expect(!(listed.output + listed.errors).contains(identity.dropFirst(20)))
  }

  @Test("get writes exactly the bytes of the secret")
  func getIsExact() throws {
    let workspace = try Workspace.withCustomers()
    let customers = try Fixture.records(Fixture.customers)
    for customer in customers.prefix(4) {
      let name = try #require(customer["name"]?.text)
      let outcome = workspace.open("get", name, "access_key")
      #expect(outcome.stdout == Array(try #require(customer["access_key"]?.text).utf8))
      #expect(outcome.errors == "")
    }
  }

  @Test("a secret from standard input loses the newline of a single line, and no other")
  func standardInputIsTaken() throws {
    let workspace = try Workspace.withCustomers()
    for (given, kept) in [
      ("one\n", "one"), ("one", "one"), ("one\ntwo\n", "one\ntwo\n"), ("\n\n", "\n\n"), ("  a  \n", "  a  "),
    ] {
      let outcome = workspace.open("set", "Shai Mishali", "--secret-stdin", "access_key", input: given)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(workspace.open("get", "Shai Mishali", "access_key").output == kept)
    }
  }

  @Test("standard input that no option names is not read")
  func standardInputIsLeftAlone() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = workspace.open("list", input: String(repeating: "x", count: 1 << 20))
    #expect(outcome.code == 0)
    #expect(!outcome.hung)
  }

  @Test("generated passwords have their length, and differ")
  func passwordsAreGenerated() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("set", "Shai Mishali", "--generate", "access_key=40", "--generate", "atm_code").code == 0)
    let first = workspace.open("get", "Shai Mishali", "access_key").output
    let second = workspace.open("get", "Shai Mishali", "atm_code").output
    #expect(first.utf8.count == 40)
    #expect(second.utf8.count == 24)
    let alphabet = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    #expect((first + second).allSatisfy(alphabet.contains))
    #expect(first.prefix(24) != second)
  }

  @Test("generate needs no vault and states its entropy on stderr")
  func generateStandsAlone() throws {
    let workspace = try Workspace()
    let password = workspace.run("generate", "--length", "32", "--symbols")
    #expect(password.output.utf8.count == 33)
    #expect(password.errors == "note: 207 bits\n")
    let words = workspace.run("generate", "--words", "5")
    #expect(words.output.split(separator: "-").count == 5)
    #expect(words.output.utf8.count == 5 * 5 + 4 + 1)
    #expect(words.errors == "note: 81 bits\n")
    #expect(workspace.run("generate", "--words", "5").output != words.output)
    #expect(workspace.run("generate", "--words", "5", "--symbols").status == .usage)
    #expect(workspace.run("generate", "--length", "3").status == .usage)
  }
}
