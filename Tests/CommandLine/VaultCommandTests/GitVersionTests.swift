import Testing
import VaultTestSupport

@Suite("Earlier versions of a record", .enabled(if: GitBench.isThere))
struct GitVersionTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }
  private var id: String { bench.id }

  init() throws { bench = try GitBench(settingUp: false) }

  /// Three revisions, each in a commit of its own.
  private func change() throws {
    try here.change("username", "Oslo")
    try here.seal("password", "rose")
  }

  private func get(_ word: String, _ field: String = "username") -> ProcessOutcome { here.vault("get", word, field) }

  private func revision() throws -> Int? {
    JSON(here.vault("show", id, "--json").stdout)["revision"]?.number.flatMap { Int($0) }
  }

  @Test("a number is a revision of the record, and names go before versions")
  func numbers() throws {
    try change()
    #expect(get("Li Wei@1").output == "x")
    #expect(get("\(id)@1", "password").output == "tigerlily")
    #expect(get("\(id.prefix(6))@2").output == "Oslo")
    #expect(get("Li Wei@2", "password").output == "tigerlily")
    #expect(get("Li Wei@3", "password").output == "rose")
    let shown = here.vault("show", "li wei@2")
    #expect(shown.output.contains("revision: 2\n"), "\(shown.errors)")
    #expect(!shown.output.contains("tigerlily"), "\(shown.errors)")
    #expect(here.vault("show", "li wei@1", "--reveal").output.contains("tigerlily"))
    for word in ["Li Wei@4", "Li Wei@0", "Li Wei@2000-01-01"] {
      let none = get(word)
      #expect(none.status == .notFound, "\(none.errors)")
      #expect(none.errors.contains("\(word): the record has no such version here"), "\(none.errors)")
    }
    for word in ["nobody@1", "li@example.com", "Li Wei@", "@1", "Li Wei@99999999999999999999"] {
      let none = get(word)
      #expect(none.status == .notFound, "\(word): \(none.errors)")
      #expect(none.errors.contains("the vault has no such record"), "\(word): \(none.errors)")
    }
    here.shell("vault add login --set title='Li Wei@1' --set username=other --generate password")
    #expect(get("Li Wei@1").output == "other")
    #expect(get("Li Wei@1@1").output == "other")
    #expect(get("Li Wei@HEAD~2").output == "x")
    #expect(get("cvault://\(id)@1/username").code != 0, "a reference names no version")
  }

  @Test("a commit, a date, and the trash; also of what was renamed, removed and deleted")
  func others() throws {
    try change()
    for (name, value) in [("HEAD", "Oslo"), ("HEAD~1", "Oslo"), ("HEAD~2", "x"), ("HEAD@{2}", "x")] {
      #expect(get("Li Wei@\(name)").output == value, "\(name)")
    }
    let none = get("Li Wei@nosuch")
    #expect(none.status == .notFound)
    #expect(none.errors.contains("nosuch does not name a commit in this clone"))
    let times = (1...3).compactMap {
      JSON(here.vault("show", "Li Wei@\($0)", "--json").stdout)["updated_at"]?.text
    }
    #expect(get("Li Wei@\(times[0])").output == "x")
    #expect(get("Li Wei@\(times[1])", "password").output == "tigerlily")
    #expect(get("Li Wei@\(times[2])", "password").output == "rose")
    #expect(get("Li Wei@2999-01-01", "password").output == "rose")
    #expect(get("Li Wei@1999-12-31T23:00:00+02:00").status == .notFound)
    here.shell("vault set \(id) title='Wei Li' && git commit -qam renamed && vault remove -y \(id)")
    #expect(get("Wei Li@trash").errors.contains("this is the version that was removed"))
    #expect(get("Wei Li@trash").output == "Oslo")
    #expect(get("Wei Li@1").output == "x")
    #expect(get("Wei Li@HEAD~1").output == "Oslo")
    #expect(get("Li Wei@HEAD~1").output == "Oslo", "by its name of then")
    #expect(get("Li Wei@HEAD").status == .notFound, "which it has no longer there")
    here.shell("git add -A; git commit -qm removed; vault trash empty -y; git add -A; git commit -qm gone")
    #expect(get("\(id)@1").output == "x")
    #expect(get("\(id)@HEAD~1").output == "Oslo")
    #expect(get("\(id)@HEAD").status == .notFound)
    #expect(get("\(id)@5").errors.contains("this is the version that was removed"), "found in the trash of a commit")
  }

  @Test("nothing is shown that does not verify, and no key shows nothing")
  func verified() throws {
    try change()
    here.shell("git checkout -q HEAD~1; sed -i s/Oslo/Rome/ \(bench.file); git commit -qam edited")
    here.shell("git checkout -q -b edited; git checkout -q -; git merge -q -s ours --no-edit edited")
    here.shell("git checkout -q edited; git checkout -q HEAD~1 -- .; git commit -qam back")
    #expect(here.vault("verify").errors.contains("is kept in the branch"), "an earlier state, as after any switch")
    let fresh = here.with(["CVAULT_STATE_DIR": bench.workspace.path + "/fresh"])
    let found = fresh.vault("get", "Li Wei@2", "username")
    #expect(found.output == "Oslo", "the good one, not the edited one: \(found.errors)")
    let edited = fresh.vault("get", "Li Wei@HEAD~1", "username")
    #expect(edited.status == .damaged, "\(edited.errors)")
    #expect(edited.output.isEmpty, "\(edited.errors)")
    let dated = fresh.vault("get", "Li Wei@2999-01-01", "username")
    #expect(dated.output == "Oslo", "\(dated.errors)")
    #expect(dated.code == 0, "\(dated.errors)")
    for words in [["get", "Li Wei@2", "username"], ["show", "Li Wei@2"], ["show", "Li Wei@HEAD"]] {
      var environment = ["CVAULT_IDENTITY_FILE": "", "CVAULT_STATE_DIR": bench.workspace.path + "/fresh"]
      environment["CVAULT_NO_AGENT"] = "1"
      let locked = here.with(environment).shell("vault \(words.map { "'\($0)'" }.joined(separator: " "))")
      #expect(locked.status == .cannotUnlock, "\(words)")
      #expect(locked.output.isEmpty, "\(words)")
    }
  }

  @Test("two versions of one number on two branches are named by their commits")
  func branches() throws {
    #expect(bench.there.vault("git", "setup").code == 0)
    #expect(here.vault("git", "setup").code == 0)
    try here.change("username", "Oslo")
    try bench.there.seal("password", "rose")
    #expect(bench.bring("merge -q --no-edit").code == 0)
    let two = get("Li Wei@2")
    #expect(two.status == .notFound, "\(two.errors)")
    #expect(two.errors.contains("there are 2 such versions: name one by its commit"), "\(two.errors)")
    #expect(two.errors.components("hint: commit ") == 2)
    #expect(get("Li Wei@3").output == "Oslo")
    #expect(get("Li Wei@3", "password").output == "rose")
    #expect(get("Li Wei@HEAD^1", "password").output == "tigerlily")
    #expect(get("Li Wei@HEAD^2").output == "x")
  }

  @Test("without git there are the vault and its trash")
  func withoutGit() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "--set", "title=Ada", "--set", "username=x", "--generate", "password")
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("get", "Ada@1", "username").output == "x")
    let none = workspace.open("get", "Ada@2", "username")
    #expect(none.status == .notFound, "\(none.errors)")
    #expect(none.errors.contains("is not in a work tree of git"), "\(none.errors)")
    #expect(workspace.open("get", "Ada@HEAD", "username").status == .inputOutput)
    #expect(workspace.open("get", "ada@example.com", "username").status == .inputOutput)
    #expect(workspace.open("get", "bob@example.com", "username").status == .notFound)
    #expect(workspace.open("remove", "Ada", "-y").code == 0)
    #expect(workspace.open("get", "Ada@trash", "username").output == "x")
    #expect(workspace.open("restore", "Ada@trash").code == 0)
    #expect(workspace.open("get", "Ada", "username").output == "x")
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}

@Suite("Earlier versions of a record, brought back", .enabled(if: GitBench.isThere))
struct GitRestoreTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }
  private var id: String { bench.id }

  /// A record of three revisions, each in a commit of its own; the second has a site, the third another password.
  init() throws {
    bench = try GitBench(settingUp: false)
    try here.change("fields.site", "https://example.com")
    try here.seal("password", "rose")
  }

  private func restore(_ words: String...) -> ProcessOutcome {
    here.shell("vault restore " + words.map { "'\($0)'" }.joined(separator: " "))
  }

  private func revision() -> String? {
    here.file.split(separator: "\n").first { $0.contains("\"revision\"") }.map { String($0.filter(\.isNumber)) }
  }

  private func token() -> String? { here.file.split(separator: "\n").first { $0.contains("\"es1:") }.map(String.init) }

  @Test("a version becomes the next revision, and equal secrets keep their tokens")
  func whole() throws {
    let before = token()
    let dry = restore("Li Wei@2", "--dry-run")
    #expect(dry.code == 0, "\(dry.output)\(dry.errors)")
    #expect(dry.output == "change password (sealed)\n", "\(dry.output)\(dry.errors)")
    #expect(JSON(restore("Li Wei@1", "--dry-run", "--json").stdout)["changes"]?.items?.count == 2)
    #expect(revision() == "3")
    let unasked = restore("Li Wei@2")
    #expect(unasked.status == .declined, "\(unasked.errors)")
    #expect(revision() == "3", "\(unasked.errors)")
    let done = restore("Li Wei@2", "-y")
    #expect(done.code == 0, "\(done.errors)")
    #expect(done.errors.contains("1 record restored"), "\(done.errors)")
    #expect(revision() == "4")
    #expect(here.value("password") == "tigerlily")
    #expect(token() != before)
    let same = restore("Li Wei@2", "-y")
    #expect(same.code == 0)
    #expect(same.errors.contains("nothing changed"))
    #expect(revision() == "4")
    #expect(restore("Li Wei@3", "-y").code == 0)
    #expect(revision() == "5")
    #expect(here.value("password") == "rose")
    let sealed = token()
    #expect(restore("Li Wei@HEAD~2", "-y").code == 0, "the first")
    #expect(here.vault("get", id, "fields.site").status == .notFound)
    #expect(token() != sealed)
    #expect(revision() == "6")
    #expect(here.vault("verify").code == 0)
    #expect(bench.there.vault("verify").code == 0)
  }

  @Test("only some fields, and what the version lacks is taken away")
  func fields() throws {
    #expect(restore("Li Wei@1", "password", "-y").code == 0)
    #expect(here.value("password") == "tigerlily")
    #expect(here.value("fields.site") == "https://example.com")
    #expect(revision() == "4")
    let sealed = token()
    #expect(restore("Li Wei@1", "fields.site", "--dry-run").output == "remove fields.site\n")
    #expect(restore("Li Wei@1", "fields.site", "username", "-y").code == 0)
    #expect(here.vault("get", id, "fields.site").status == .notFound)
    #expect(token() == sealed)
    #expect(revision() == "5")
    for (field, code) in [("nosuch", 10), ("$vault", 10), ("a[", 64)] as [(String, Int32)] {
      let refused = restore("Li Wei@1", field, "-y")
      #expect(refused.code == code, "\(field): \(refused.errors)")
    }
    #expect(restore("Li Wei@1", "title", "-y").errors.contains("nothing changed"))
    #expect(restore("Li Wei@9", "-y").status == .notFound)
    #expect(restore("Li Wei@nosuch", "-y").status == .notFound)
    #expect(revision() == "5")
  }

  @Test("after the keys were changed, secrets are sealed under the key of now")
  func afterReseal() throws {
    #expect(here.shell("vault rekey -y --reseal && git add -A && git commit -qm resealed").code == 0)
    let sealed = token()
    let same = restore("Li Wei@3", "-y")
    #expect(same.errors.contains("nothing changed"), "\(same.errors)")
    #expect(token() == sealed, "\(same.errors)")
    #expect(restore("Li Wei@HEAD~3", "fields.site", "-y").code == 0)
    #expect(token() == sealed, "an equal secret keeps its token")
    let done = restore("Li Wei@1", "-y")
    #expect(done.code == 0, "\(done.errors)")
    #expect(done.errors.contains("under a root key that was replaced"), "\(done.errors)")
    #expect(here.value("password") == "tigerlily")
    #expect(here.vault("verify").code == 0)
  }

  @Test("what was removed comes back, from the trash of now, from that of a commit, and from nowhere else")
  func removed() throws {
    here.shell("vault remove -y \(id); git add -A; git commit -qm removed")
    #expect(restore("Li Wei@1", "fields.site", "-y").status == .notFound)
    let back = restore("Li Wei@1")
    #expect(back.code == 0, "\(back.errors)")
    #expect(revision() == "5", "\(back.errors)")
    #expect(here.value("password") == "tigerlily", "\(back.errors)")
    #expect(here.vault("trash", "list").output == "")
    here.shell("vault remove -y \(id); vault trash empty -y; git add -A; git commit -qm gone")
    #expect(restore("\(id)@HEAD").status == .notFound)
    #expect(restore("\(id)@HEAD~1").code == 0, "removed, and so brought back")
    #expect(here.value("password") == "rose", "removed, and so brought back")
    #expect(here.vault("verify").code == 0)
  }

  @Test("what is in place is verified first, and asked about at a terminal", .atTerminal)
  func inPlace() throws {
    func type(_ answer: String) -> ProcessOutcome {
      bench.workspace.type(
        ["restore", "Li Wei@1", "--vault", "v", "--identity", "id.txt"],
        [("Replace revision 3 with it?", answer)],
        adding: ["CVAULT_STATE_DIR": bench.workspace.path + "/state-v"])
    }
    #expect(type("n\n").status == .declined)
    #expect(revision() == "3")
    #expect(type("y\n").code == 0)
    #expect(revision() == "4")
    here.shell("git commit -qam restored; sed -i s/Wei/Lee/ \(bench.file)")
    #expect(restore("\(id)@1", "-y").status == .damaged)
    here.shell("git checkout -q HEAD~1 -- .")
    #expect(restore("\(id)@1", "-y").status == .unexpectedVault)
  }
}
