import Testing
import VaultTestSupport

@Suite("Deposit and inbox")
struct DepositCommandTests {
  @Test("a record is deposited without a key, listed masked, accepted, and is then a record like any other")
  func session() throws {
    let bench = try DepositBench()
    let made = bench.deposit(
      "login", "GitHub", "username=ada", "--secret-stdin", "password", "--from", "Ada Example")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("note: the deposit waits until a person with a key accepts it"), "\(made.errors)")
    let id = String(made.output.dropLast())
    #expect(bench.inbox == ["\(id).age"])
    for command in [["list"], ["find", "GitHub"], ["export", "--reveal"], ["search", "ada"]] {
      #expect(
        !bench.workspace.run(command + ["--vault", bench.workspace.vault, "--identity", bench.workspace.identity])
          .output.contains("GitHub"), "\(command)")
    }
    #expect(bench.workspace.open("get", "GitHub", "password").status == .notFound)
    let listed = bench.workspace.open("inbox")
    #expect(listed.code == 0, "\(listed.errors)")
    #expect(listed.output.hasPrefix("\(id)  login  GitHub  Ada Example  none  20"), "\(listed.output)")
    #expect(listed.output.hasSuffix("  new\n"), "\(listed.output)")
    bench.requireSilent(listed)
    let accepted = bench.workspace.open("inbox", "accept", String(id.prefix(8)))
    #expect(accepted.code == 0 && accepted.output == id + "\n", "\(accepted.errors)")
    #expect(bench.inbox.isEmpty)
    #expect(bench.workspace.open("get", "GitHub", "password").output == DepositBench.secret)
    #expect(bench.workspace.open("verify").output == "2 records, 0 in the trash, 1 slot: all verified\n")
    #expect(bench.workspace.open("inbox").errors == "note: the inbox is empty\n")
  }

  @Test("a new value is proposed for a field, in both orders of the words, and replaces it as `set` does")
  func value() throws {
    let bench = try DepositBench()
    for words in [["--to", "Mail", "password", "--secret-stdin"], ["--to", "Mail", "--secret-stdin", "password"]] {
      let run = bench.workspace.run(["deposit", "--vault", bench.workspace.vault] + words, input: DepositBench.secret)
      #expect(run.code == 0, "\(words): \(run.errors)")
    }
    let listed = bench.workspace.open("inbox")
    #expect(listed.output.contains("  value  Mail: password ••••••••  -  none  "), "\(listed.output)")
    #expect(listed.output.contains("  replaces the value\n"), "\(listed.output)")
    bench.requireSilent(listed)
    let accepted = bench.workspace.open("inbox", "accept", "--all")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.errors.contains("note: Mail: changed (it was revision 1)\n"), "\(accepted.errors)")
    #expect(accepted.errors.contains("password replaced; the former one stays"), "\(accepted.errors)")
    #expect(accepted.errors.contains("Mail: has the deposited value already"), "\(accepted.errors)")
    bench.requireSilent(accepted)
    #expect(bench.workspace.open("get", "Mail", "password").output == DepositBench.secret)
    #expect(bench.workspace.open("get", "Mail", "password", "--former").output == DepositBench.before)
  }

  @Test("a value for a field that has changed since is left out by --all, and accepted by its id")
  func old() throws {
    let bench = try DepositBench()
    let made = bench.deposit("--to", "Mail", "--secret-stdin", "password")
    let id = String(made.output.dropLast())
    bench.workspace.prepare("sleep 1.1")
    #expect(bench.workspace.open("set", "Mail", "--secret-stdin", "password", input: "later").code == 0)
    let all = bench.workspace.open("inbox", "accept", "--all")
    #expect(all.status == .inputRefused, "\(all.errors)")
    #expect(all.errors.contains("it may be an old deposit"), "\(all.errors)")
    #expect(all.errors.contains("hint: `vault inbox accept \(id)` accepts it anyway"), "\(all.errors)")
    #expect(bench.workspace.open("get", "Mail", "password").output == "later")
    #expect(bench.workspace.open("inbox", "accept", id).code == 0)
    #expect(bench.workspace.open("get", "Mail", "password").output == DepositBench.secret)
  }

  @Test("a deposit needs no key, and a person without one can do nothing with it")
  func withoutKey() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    for words in [["inbox"], ["inbox", "accept", id], ["inbox", "drop", id], ["inbox", "signers"]] {
      let run = bench.workspace.run(words + ["--vault", bench.workspace.vault])
      #expect(run.status == .cannotUnlock, "\(words): \(run.errors)")
      bench.requireSilent(run)
    }
    #expect(bench.inbox == ["\(id).age"])
    let grep = bench.workspace
    grep.prepare("cp -a v copy && ! grep -r -e \(DepositBench.secret) -e GitHub copy")
  }

  @Test("wrong words are refused before anything is sealed, and never show the secret")
  func refusals() throws {
    let bench = try DepositBench()
    let rows: [([String], Ending)] = [
      ([], .usage), (["login"], .inputRefused), (["nosuch", "A"], .inputRefused),
      (["login", "A", "password=\(DepositBench.secret)"], .usage), (["login", "A", "nonsense=x"], .inputRefused),
      (["--to", "Nobody", "--secret-stdin", "password"], .notFound), (["--to", "Mail"], .usage),
      (["--to", "Mail", "--secret-stdin", "username"], .usage),
      (["--to", "Mail", "--secret-stdin", "nonsense"], .inputRefused),
      (["--to", "Mail", "login", "X", "--secret-stdin", "password"], .usage),
      (["login", "A", "--secret-stdin", "password", "--from", "a\u{1B}[31mb"], .usage),
      (["login", "A", "--secret-stdin", "password", "--from", String(repeating: "x", count: 257)], .usage),
      (["login", "A", "--secret-stdin", "password", "--sign", "nosuch"], .inputRefused),
      (["login", "A", "--secret-stdin", "password", "--recipient", "age1other"], .unexpectedVault),
      (
        ["login", "A", "--secret-stdin", "password", "--require-fingerprint", String(repeating: "a", count: 40)],
        .unexpectedVault
      ),
    ]
    for (words, status) in rows {
      let run = bench.workspace.run(
        ["deposit"] + words + ["--vault", bench.workspace.vault], input: DepositBench.secret)
      #expect(run.status == status, "\(words): \(run.code) \(run.errors)")
      bench.requireSilent(run)
    }
    #expect(bench.inbox.isEmpty)
  }

  @Test("names that exist are said, and a second record is stored as `add` does")
  func twins() throws {
    let bench = try DepositBench()
    let id = try bench.login("Mail")
    #expect(bench.workspace.open("inbox").output.contains("new, 1 record with this name"))
    let accepted = bench.workspace.open("inbox", "accept", id)
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.errors.contains("note: another record has the name of \(id)"), "\(accepted.errors)")
  }

  @Test("a file over the size limit is told in one line, and hides no deposit")
  func tooLarge() throws {
    let bench = try DepositBench()
    let id = try bench.login("Good")
    let first = id.hasPrefix("0") ? "1" : "0"
    bench.workspace.prepare("head -c 270337 /dev/zero >v/inbox/\(first)\(id.dropFirst()).age")
    let listed = bench.workspace.open("inbox")
    #expect(listed.output.split(separator: "\n").count == 1, "\(listed.output)")
    #expect(listed.errors.contains("\(id.dropFirst()).age: the file is over its size limit"), "\(listed.errors)")
    #expect(bench.workspace.open("inbox", "accept", id).code == 0)
  }

  @Test("control characters of a stranger are escaped, and long texts are cut")
  func escaped() throws {
    let bench = try DepositBench()
    let name = "A\u{1B}]0;x\u{07}\u{202E}\n" + String(repeating: "y", count: 5000)
    let made = bench.workspace.run(
      ["deposit", "login", "--set", "title=\(name)", "--secret-stdin", "password", "--vault", bench.workspace.vault],
      input: DepositBench.secret)
    #expect(made.code == 0, "\(made.errors)")
    for outcome in [
      bench.workspace.open("inbox"), bench.workspace.open("inbox", "--json"),
      bench.workspace.type(
        ["inbox", "--vault", "v", "--identity", "id.txt", "--no-pager"], [], outputOnTerminal: true),
    ] {
      // In JSON a letter that turns the direction of text stays as it is.
      let controls = ["\u{1B}]", "\u{07}"] + (outcome.output.hasPrefix("{") ? [] : ["\u{202E}"])
      for control in controls { #expect(!outcome.output.contains(control)) }
      #expect(!outcome.output.contains(String(repeating: "y", count: 400)))
    }
  }

  @Test("a damaged file is one line and hides no other; it can be dropped")
  func damaged() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    let other = "00000000-0000-4000-8000-000000000000"
    FileTree.write(Array("nonsense".utf8), to: bench.workspace.vault + "/inbox/\(other).age")
    bench.workspace.prepare("ln -s /etc/passwd v/inbox/00000000-0000-4000-8000-000000000001.age")
    let listed = bench.workspace.open("inbox")
    #expect(listed.status == .findings && listed.output.contains("GitHub"), "\(listed.errors)")
    #expect(
      listed.errors.contains("vault: inbox/\(other).age is not an age file for one recipient\n"), "\(listed.errors)")
    #expect(listed.errors.contains("000001.age"), "\(listed.errors)")
    let accepted = bench.workspace.open("inbox", "accept", "--all")
    #expect(accepted.status == .partlyDone && accepted.output == id + "\n", "\(accepted.errors)")
    let lint = bench.workspace.run("lint", "--vault", bench.workspace.vault)
    #expect(lint.status == .findings && lint.output.contains("inbox/\(other).age"), "\(lint.output)\(lint.errors)")
    #expect(bench.workspace.open("inbox", "drop", "--all").errors == "note: 2 deposits dropped\n")
    #expect(bench.inbox.isEmpty)
    #expect(FileTree.contents(of: "/etc/passwd") != nil)
    #expect(bench.workspace.run("lint", "--vault", bench.workspace.vault).code == 0)
  }

  @Test("check, verify and lint count the deposits that wait; status shows the recipient")
  func counted() throws {
    let bench = try DepositBench()
    for name in ["A", "B", "C"] { _ = try bench.login(name) }
    for words in [["check"], ["verify"], ["lint"]] {
      let run = bench.workspace.run(
        words + ["--vault", bench.workspace.vault]
          + (words == ["lint"] ? [] : ["--identity", bench.workspace.identity]))
      #expect(run.errors.contains("note: 3 deposits wait"), "\(words): \(run.errors)")
    }
    let status = JSON(bench.workspace.open("status", "--json").stdout)
    #expect(status["deposits"]?.number == 3)
    let recipient = bench.workspace.open("inbox", "enable")
    #expect(recipient.output == (status["deposit_recipient"]?.text ?? "") + "\n")
    #expect(recipient.errors == "note: the vault took deposits already\n")
    let run = bench.deposit("login", "D", "-g", "--recipient", String(recipient.output.dropLast()))
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test("a vault from before deposits takes them after `inbox enable`, which needs a key")
  func enabled() throws {
    let bench = try DepositBench()
    let vault = OwnVectors.folder + "/vaults/small"
    bench.workspace.prepare("cp -a \(vault) old && chmod -R u+w old && cp \(vault).identity.txt old.txt")
    let refused = bench.deposit("login", "A", "-g", at: bench.workspace.path + "/old")
    #expect(refused.status == .inputRefused, "\(refused.errors)")
    #expect(
      refused.errors.contains("hint: a person with a key must run `vault inbox enable` once"), "\(refused.errors)")
    let enabled = bench.workspace.run("inbox", "enable", "--vault", "old", "--identity", "old.txt")
    #expect(enabled.code == 0 && enabled.output.hasPrefix("age1"), "\(enabled.errors)")
    #expect(bench.deposit("login", "A", "-g", at: bench.workspace.path + "/old").code == 0)
    let accepted = bench.workspace.run("inbox", "accept", "--all", "--vault", "old", "--identity", "old.txt")
    #expect(accepted.code == 0, "\(accepted.errors)")
  }

  @Test("a signature by a listed person counts; others, and signatures for another use, do not")
  func signatures() throws {
    let bench = try DepositBench()
    let workspace = bench.workspace
    workspace.prepare(
      """
      ssh-keygen -q -t ed25519 -N '' -f ada && ssh-keygen -q -t ed25519 -N '' -f eve
      echo "ada@example.org $(cut -d' ' -f1,2 ada.pub)" >signers
      """)
    let signed = try bench.login("Signed", "--sign", "ada")
    let stranger = try bench.login("Stranger", "--sign", "eve")
    let unsigned = try bench.login("Unsigned")
    #expect(workspace.open("inbox").output.contains("Signed  -  unchecked"))
    let none = workspace.open("inbox", "accept", "--all", "--signed")
    #expect(none.status == .inputRefused && none.output.isEmpty, "\(none.errors)")
    #expect(workspace.open("inbox", "signers", "--set", "signers").errors == "note: 1 signer listed\n")
    #expect(workspace.open("inbox", "signers").output.hasPrefix("ada@example.org ssh-ed25519 AAAA"))
    let listed = workspace.open("inbox")
    for part in ["Signed  -  by ada@example.org", "Stranger  -  not valid", "Unsigned  -  none"] {
      #expect(listed.output.contains(part), "\(listed.output)")
    }
    let accepted = workspace.open("inbox", "accept", "--all", "--signed")
    #expect(accepted.status == .partlyDone && accepted.output == signed + "\n", "\(accepted.errors)")
    for id in [stranger, unsigned] {
      #expect(accepted.errors.contains("\(id) is not signed by a person"), "\(accepted.errors)")
    }
    #expect(FileTree.names(in: workspace.path + "/tmp").isEmpty, "the files for ssh-keygen are removed")
    #expect(workspace.open("inbox", "signers", "--clear").code == 0)
    #expect(workspace.open("inbox").output.contains("Stranger  -  unchecked"))
  }

  @Test("a rekey with --reseal still opens what waits, and what is sealed to the earlier recipient")
  func rekey() throws {
    let bench = try DepositBench()
    _ = try bench.login("Before")
    bench.workspace.prepare("cp v/vault.json old.json")
    let rekey = bench.workspace.open("rekey", "--reseal")
    #expect(rekey.code == 0, "\(rekey.errors)")
    bench.workspace.prepare("cp v/vault.json new.json && cp old.json v/vault.json")
    _ = try bench.login("Late")
    bench.workspace.prepare("cp new.json v/vault.json")
    _ = try bench.login("After")
    let accepted = bench.workspace.open("inbox", "accept", "--all")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(bench.workspace.open("verify").code == 0)
    #expect(bench.workspace.open("list").output.split(separator: "\n").count == 4)
  }

  @Test("the agent's key opens deposits, because it opens one wrapped key like that of a record")
  func agent() throws {
    let bench = try DepositBench()
    let id = try bench.login("GitHub")
    let environment = ["XDG_RUNTIME_DIR": bench.workspace.path + "/tmp"]
    let unlocked = bench.workspace.run(
      "unlock", "--vault", "v", "--identity", "id.txt", adding: environment)
    guard unlocked.code == 0 else { return Need.notRun("the agent", unlocked.errors) }
    defer { _ = bench.workspace.run("lock", adding: environment) }
    let accepted = bench.workspace.run("inbox", "accept", id, "--vault", "v", adding: environment)
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(bench.workspace.open("get", "GitHub", "password").output == DepositBench.secret)
  }
}
