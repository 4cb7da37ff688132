import Testing
import VaultTestSupport

/// A command that must fail, and how.
struct Fault: Sendable, CustomTestStringConvertible {
  let rule: String
  let arguments: [String]
  var input = ""
  var adding: [String: String] = [:]
  let code: Int32
  /// How the first line of stderr begins; `DIR` stands for the workspace.
  let begins: String
  var hint = "hint: "

  var testDescription: String { rule }
}

@Suite("Errors")
struct ErrorTests {
  static let key = ["--identity", "id.txt", "--vault", "v"]

  static let faults: [Fault] = [
    Fault(
      rule: "a wrong passphrase is 11",
      arguments: ["get", "Shai Mishali", "name", "--vault", "pv", "--passphrase-file", "wrong.txt"],
      code: 11, begins: "vault: --passphrase-file: the passphrase opens no slot"),
    Fault(
      rule: "an empty path is seen to be empty",
      arguments: ["get", "Shai Mishali", "name", "--vault", "v", "--identity", ""],
      code: 18, begins: "vault: \"\" does not exist"),
    Fault(
      rule: "a wrong identity is 11",
      arguments: ["get", "Shai Mishali", "name", "--vault", "v", "--identity", "other.txt"],
      code: 11, begins: "vault: other.txt: no slot of the vault is for this identity"),
    Fault(
      rule: "no key without a terminal is 11 at once",
      arguments: ["get", "Shai Mishali", "access_key", "--vault", "v"],
      code: 11, begins: "vault: v: no key is given",
      hint: "hint: give an identity with --identity FILE (CVAULT_IDENTITY_FILE)"),
    Fault(
      rule: "no passphrase without a terminal is 11 at once", arguments: ["show", "x", "--reveal", "--vault", "pv"],
      code: 11, begins: "vault: pv: no key is given, and there is no terminal",
      hint: "hint: or run `vault unlock` in a terminal first"),
    Fault(
      rule: "unlock without a key does not name itself", arguments: ["unlock", "--vault", "pv"],
      code: 11, begins: "vault: pv: no key is given, and there is no terminal",
      hint: "or --passphrase-file FILE (CVAULT_PASSPHRASE_FILE)"),
    Fault(
      rule: "a descriptor that is not open is 18",
      arguments: ["get", "x", "name", "--vault", "pv", "--passphrase-fd", "99"],
      code: 18, begins: "vault: --passphrase-fd: the descriptor is not open", hint: "such as with `3< FILE`"),
    Fault(
      rule: "a file that holds no identity is 11",
      arguments: ["get", "x", "name", "--vault", "v", "--identity", "wrong.txt"],
      code: 11, begins: "vault: wrong.txt is not an identity file: in line 1, ",
      hint: "hint: name a file that `age-keygen` wrote"),
    Fault(
      rule: "an identity file that is not there is 18",
      arguments: ["get", "x", "name", "--vault", "v", "--identity", "none.txt"],
      code: 18, begins: "vault: none.txt does not exist"),
    Fault(
      rule: "a folder that is no vault is 6", arguments: ["list", "--vault", "home"], code: 6,
      begins: "vault: home is not a vault"),
    Fault(
      rule: "a folder that is not there is 6", arguments: ["list", "--vault", "none"], code: 6,
      begins: "vault: none is not a vault"),
    Fault(rule: "no vault found by searching is 6", arguments: ["list"], code: 6, begins: "vault: "),
    Fault(
      rule: "an existing vault is 5", arguments: ["init", "v", "--generate-identity", "new.txt"], code: 5,
      begins: "vault: v is already a vault"),
    Fault(
      rule: "an existing identity file is 5", arguments: ["init", "w", "--generate-identity", "id.txt"], code: 5,
      begins: "vault: id.txt already exists"),
    Fault(
      rule: "an unknown record is 10", arguments: ["get", "Nobody", "name"] + key, code: 10,
      begins: "vault: Nobody: the vault has no such record"),
    Fault(
      rule: "an unknown record is 10 without a key too", arguments: ["show", "Nobody", "--vault", "v"], code: 10,
      begins: "vault: Nobody: the vault has no such record"),
    Fault(
      rule: "an unknown id is 10", arguments: ["get", "00000000-0000-0000-0000-000000000000", "name"] + key, code: 10,
      begins: "vault: 00000000-0000-0000-0000-000000000000: the vault has no such record"),
    Fault(
      rule: "an ambiguous name is 10 and lists the candidates", arguments: ["get", "twin", "name"] + key, code: 10,
      begins: "vault: twin: 2 records match", hint: "customer  Twin"),
    Fault(
      rule: "an unknown kind is 17", arguments: ["add", "planet", "--set", "name=Mars"] + key, code: 17,
      begins: "vault: planet: no kind has this name"),
    Fault(
      rule: "an unknown kind to import is 17", arguments: ["import", "json", "good.json", "--kind", "planet"] + key,
      code: 17,
      begins: "vault: planet: no kind has this name"),
    Fault(
      rule: "an unknown kind to show is 17", arguments: ["kinds", "show", "planet"], code: 17,
      begins: "vault: planet: no kind"),
    Fault(
      rule: "a malformed path is 64", arguments: ["get", "Shai Mishali", "a..b"] + key, code: 64,
      begins: "vault: FIELD must be a field"),
    Fault(
      rule: "an absent member is 10", arguments: ["get", "Shai Mishali", "contact_info.fax"] + key, code: 10,
      begins: "vault: contact_info.fax: the record has no such field"),
    Fault(
      rule: "the reserved member is no member", arguments: ["get", "Shai Mishali", "$vault.mac"] + key, code: 10,
      begins: "vault: $vault.mac: the record has no such field"),
    Fault(
      rule: "invalid JSON is 17 with line and column",
      arguments: ["import", "json", "bad.json", "--kind", "customer"] + key,
      code: 17, begins: "vault: bad.json: line 3, column 10: "),
    Fault(
      rule: "invalid JSON of add is 17 with line and column", arguments: ["add", "customer", "--from", "-"] + key,
      input: "{\n  \"name\" : }", code: 17, begins: "vault: stdin: line 2, column 12: "),
    Fault(
      rule: "a file to import that is not there is 18",
      arguments: ["import", "json", "none.json", "--kind", "customer"] + key,
      code: 18, begins: "vault: none.json does not exist"),
    Fault(
      rule: "a secret as an argument of set is 64", arguments: ["set", "Shai Mishali", "access_key=hunter2"] + key,
      code: 64,
      begins: "vault: access_key is sealed"),
    Fault(
      rule: "a secret as an argument of add is 64",
      arguments: ["add", "customer", "--set", "access_key=hunter2"] + key,
      code: 64, begins: "vault: access_key is sealed", hint: "--secret-stdin access_key"),
    Fault(
      rule: "an empty secret is 17", arguments: ["set", "Shai Mishali", "--secret-stdin", "access_key"] + key,
      code: 17, begins: "vault: access_key: the value from --secret-stdin is empty", hint: "vault unset"),
    Fault(
      rule: "two secrets from standard input are 64",
      arguments: ["set", "Shai Mishali", "--secret-stdin", "access_key", "--secret-stdin", "atm_code"] + key,
      code: 64, begins: "vault: --secret-stdin is given more than once"),
    Fault(
      rule: "a sealed field cannot be searched", arguments: ["find", "--where", "access_key=hunter2", "--vault", "v"],
      code: 64, begins: "vault: access_key is sealed"),
    Fault(
      rule: "an empty word names no record", arguments: ["remove", "", "--yes"] + key, code: 10,
      begins: "vault: RECORD is empty, so it does not name a record"),
    Fault(
      rule: "an array is not one object a line",
      arguments: ["import", "jsonl", "bad.json", "--kind", "customer"] + key,
      code: 17, begins: "vault: bad.json: the file begins with an array", hint: "vault import json"),
    Fault(
      rule: "a limit of none is 64", arguments: ["list", "--vault", "v", "--limit", "0"], code: 64,
      begins: "vault: --limit must be 1 or more"),
    Fault(
      rule: "a readable field as a secret is 64", arguments: ["set", "Shai Mishali", "--generate", "name"] + key,
      code: 64,
      begins: "vault: --generate: name is a readable field"),
    Fault(
      rule: "a required field cannot be taken away", arguments: ["unset", "Shai Mishali", "access_key"] + key, code: 17,
      begins: "vault: access_key is required", hint: ""),
    Fault(
      rule: "an unknown field is refused", arguments: ["set", "Shai Mishali", "planet=Mars"] + key, code: 17,
      begins: "vault: planet is not a field of the kind customer", hint: "vault kinds show"),
    Fault(
      rule: "a bad date is refused", arguments: ["set", "Shai Mishali", "added_on=yesterday"] + key, code: 17,
      begins: "vault: added_on is not a date in ISO 8601", hint: ""),
    Fault(
      rule: "the same field twice is 64", arguments: ["set", "Shai Mishali", "website=a", "website=b"] + key, code: 64,
      begins: "vault: contact_info.website is given more than once", hint: ""),
    Fault(
      rule: "another fingerprint than the required one is 16",
      arguments: ["list", "--vault", "v", "--require-fingerprint", String(repeating: "0", count: 40)], code: 16,
      begins: "vault: v is not the required vault"),
    Fault(
      rule: "another fingerprint than the variable's is 16", arguments: ["get", "x", "name"] + key,
      adding: ["CVAULT_FINGERPRINT": String(repeating: "0", count: 40)], code: 16,
      begins: "vault: v is not the required vault"),
    Fault(
      rule: "a malformed fingerprint is 64", arguments: ["list", "--vault", "v", "--require-fingerprint", "abc"],
      code: 64,
      begins: "vault: --require-fingerprint must be a fingerprint"),
    Fault(
      rule: "removing without a terminal needs --yes", arguments: ["remove", "Shai Mishali"] + key, code: 3,
      begins: "vault: this needs confirmation, and there is no terminal to ask", hint: "hint: add --yes to answer yes"),
    Fault(
      rule: "a secret that would have to be asked for is 3",
      arguments: ["set", "Shai Mishali", "--secret", "access_key"] + key,
      code: 3, begins: "vault: --secret: there is no terminal to ask for the secret"),
    Fault(
      rule: "nothing to set is 64", arguments: ["set", "Shai Mishali"] + key, code: 64,
      begins: "vault: there is nothing to set"),
    Fault(
      rule: "nothing to find is 64", arguments: ["find", "--vault", "v"], code: 64,
      begins: "vault: there is nothing to look for"),
    Fault(
      rule: "add without anything is 64", arguments: ["add", "customer"] + key, code: 64,
      begins: "vault: no field is given"),
    Fault(
      rule: "an unknown command is 64", arguments: ["frobnicate"], code: 64,
      begins: "vault: frobnicate is not a command of vault", hint: "`vault --help` lists the commands"),
    Fault(
      rule: "a mistyped command is 64 and the nearest is named", arguments: ["shwo", "Shai Mishali", "--vault", "v"],
      code: 64, begins: "vault: shwo is not a command of vault", hint: "did you mean `vault show`?"),
    Fault(
      rule: "an unknown option is 64", arguments: ["list", "--planet"], code: 64,
      begins: "vault: --planet is not an option of vault"),
    Fault(
      rule: "a missing argument is 64", arguments: ["get", "x"], code: 64,
      begins: "vault: <field> is missing", hint: "hint: add a field: `vault get RECORD FIELD`"),
    Fault(
      rule: "a file for a secret needs a field", arguments: ["set", "x", "--secret-file", "access_key"] + key, code: 64,
      begins: "vault: --secret-file takes FIELD=FILE"),
    Fault(
      rule: "a number out of range is 64", arguments: ["init", "w", "--passphrase", "--work-factor", "30"], code: 64,
      begins: "vault: --work-factor must be between"),
    Fault(
      rule: "a vault without a key is 64", arguments: ["init", "w"], code: 64,
      begins: "vault: a vault needs at least one way"),
    Fault(
      rule: "two sources of one passphrase are 64",
      arguments: ["list", "--vault", "v", "--passphrase-file", "a", "--passphrase-command", "b"], code: 64,
      begins: "vault: --passphrase-command cannot be combined", hint: ""),
    Fault(
      rule: "an unsupported recipient is 64", arguments: ["init", "w", "--recipient", "ssh-ed25519 AAAA"], code: 64,
      begins: "vault: --recipient: SSH keys are not supported"),
    Fault(
      rule: "an output that is a folder is 18", arguments: ["export", "-o", "home"] + key, code: 18,
      begins: "vault: home is a folder"),
    Fault(
      rule: "an output in a folder that is not there is 18", arguments: ["export", "-o", "none/all.json"] + key,
      code: 18,
      begins: "vault: the folder of none/all.json does not exist", hint: "hint: make the folder, or name another path"),
  ]

  /// One vault for all rows: a failing command must leave it unchanged.
  static func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    try #require(workspace.run("init", "other", "--generate-identity", "other.txt").code == 0)
    _ = workspace.write("correct", to: "right.txt")
    _ = workspace.write("wrong", to: "wrong.txt")
    _ = workspace.write("[\n  {},\n  {\"a\" : tru}\n]\n", to: "bad.json")
    let customer = #"{"name":"Shai Mishali","access_key":"k1","added_on":"2020-08-19T18:44:27Z"}"#
    let twin = #"{"name":"Twin","access_key":"k2","added_on":"2020-08-19T18:44:27Z"}"#
    _ = workspace.write("[\(customer),\(twin),\(twin)]", to: "good.json")
    try #require(workspace.open("import", "json", "good.json", "--kind", "customer").code == 0)
    let made = workspace.run(
      "init", "pv", "--passphrase", "--new-passphrase-file", "right.txt", "--work-factor", "10")
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  @Test("each fault has its exit code, its first line and a hint, and changes nothing", arguments: faults)
  func faultIsReported(_ fault: Fault) throws {
    let workspace = try Self.workspace()
    let before = workspace.snapshot()
    let outcome = workspace.run(fault.arguments, input: fault.input, adding: fault.adding)
    #expect(!outcome.hung)
    #expect(outcome.code == fault.code, "\(outcome.errors)")
    let first = try #require(outcome.errorLines.first)
    #expect(first.hasPrefix(fault.begins), "\(outcome.errors)")
    #expect(
      fault.hint.isEmpty || outcome.errorLines.dropFirst().contains { $0.contains(fault.hint) }, "\(outcome.errors)")
    #expect(outcome.stdout.isEmpty)
    #expect(!outcome.errors.contains("hunter2"))
    #expect(workspace.snapshot() == before)
    #expect(FileTree.names(in: workspace.path + "/w").isEmpty)

    let json = workspace.run(fault.arguments + ["--json"], input: fault.input, adding: fault.adding)
    #expect(json.code == fault.code)
    let document = JSON(json.stderr)
    #expect(document["schema"]?.number == 1, "\(json.errors)")
    #expect(document["code"]?.text?.isEmpty == false)
    #expect("vault: " + (document["message"]?.text ?? "") == first)
  }

  @Test(
    "a refused argument that may be a secret is not repeated",
    arguments: [
      ["get", "x", "name", "hunter2"], ["list", "--limit", "hunter2"], ["list", "--limit=hunter2"],
      ["list", "--no-such=hunter2"], ["list", "--hunter2"], ["list", "hunter2"],
      ["set", "x", "hunter2"], ["set", "x", "--secret", "hunter2..x"],
      ["set", "x", "--generate", "access_key=hunter2"],
      ["set", "x", "--secret-file", "hunter2"], ["init", "w", "--recipient", "hunter2"],
      ["get", "x", "name", "a\nhunter2"], ["list", "--a\nhunter2"],
      ["list", "--limit", "a\r\nSee hunter2\nUsage: hunter2"], ["get", "x", "name", "\u{301}hunter2"],
    ])
  func argumentsAreNotRepeated(_ arguments: [String]) throws {
    let workspace = try Workspace()
    let outcome = workspace.run(arguments)
    #expect(outcome.status == .usage, "\(outcome.errors)")
    #expect(outcome.errorLines.first?.hasPrefix("vault: ") == true)
    #expect(!outcome.errors.contains("hunter2"), "\(outcome.errors)")
  }

  @Test("a wrong passphrase file for a vault that takes none says so")
  func noPassphraseSlot() throws {
    let workspace = try Self.workspace()
    let outcome = workspace.run("get", "Twin", "name", "--vault", "v", "--passphrase-file", "right.txt")
    #expect(outcome.status == .cannotUnlock)
    #expect(outcome.errorLines.first == "vault: --passphrase-file: no slot of the vault takes a passphrase")
  }

  @Test("--quiet hides notes and never an error")
  func quietShowsErrors() throws {
    let workspace = try Self.workspace()
    #expect(workspace.run("list", "--vault", "v", "-q").errors == "")
    #expect(workspace.run("list", "--vault", "none", "-q").errorLines.first?.hasPrefix("vault: none ") == true)
  }
}
