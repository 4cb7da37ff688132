import Testing
import VaultTestSupport

@Suite("vault move, and where new records belong")
struct SetMoveTests {
  @Test("a record keeps its id and its values, goes to the trash where it was, and it is said who gains and loses")
  func move() throws {
    let bench = try SetBench()
    let id = try bench.id("contractors mail", in: "contractors")
    let secret = bench.run(["get", "contractors:\(id)", "password"]).output
    let sealedAt = JSON(bench.run(["show", "contractors:\(id)", "--json"]).stdout)["record"]?["password"]?["sealed_at"]
    let words = ["move", "contractors:contractors mail", "--to", "finance"]
    #expect(bench.run(words).status == .declined)
    #expect(bench.names(in: "contractors").count == 1)
    #expect(
      bench.run(words + ["--yes", "--vaults", "vaults.json"], as: "bob").status == .cannotUnlock,
      "a key of both is needed")
    let moved = bench.run(words + ["--yes"])
    #expect(moved.code == 0, "\(moved.errors)")
    #expect(
      moved.errors.contains("note: after the move these keys cannot open the records: \"bob\" "), "\(moved.errors)")
    #expect(moved.errors.contains("holders of 3 old keys may still know these secrets"))
    #expect(bench.names(in: "contractors").isEmpty)
    #expect(bench.run(["trash", "list", "--in", "contractors"]).output.contains(id))
    #expect(bench.run(["get", "finance:\(id)", "password"]).output == secret)
    #expect(
      JSON(bench.run(["show", "finance:\(id)", "--json"]).stdout)["record"]?["password"]?["sealed_at"] == sealedAt)
    let back = bench.run(["move", "finance:\(id)", "--to", "contractors", "--yes", "--json"])
    #expect(JSON(back.stdout)["gained"]?.items?.compactMap { $0["label"]?.text } == ["bob", "cleo"], "\(back.errors)")
    #expect(bench.run(["get", "contractors:\(id)", "password"], as: "cleo").output == secret)
    for vault in ["contractors", "finance"] { #expect(bench.run(["verify", "--in", vault]).code == 0) }
  }

  @Test(
    "a copy stays in both, an id of another record is 5, the same vault and an unknown kind are 17; nothing is changed")
  func refusals() throws {
    let bench = try SetBench()
    let id = try bench.id("ops mail", in: "ops")
    #expect(bench.run(["move", "ops:\(id)", "--to", "finance", "--copy", "--yes"]).code == 0)
    #expect(bench.names(in: "ops") == ["ops mail"])
    #expect(bench.names(in: "finance") == ["finance mail", "ops mail"])
    let checked = bench.run(["vaults", "check"])
    #expect(checked.status == .findings)
    #expect(checked.output.hasPrefix("finance, ops: \(id) is in each of these vaults as login"))
    #expect(bench.run(["set", "finance:\(id)", "username=other"]).code == 0)
    #expect(bench.run(["move", "ops:\(id)", "--to", "finance", "--yes"]).status == .alreadyExists)
    #expect(bench.run(["move", "ops:\(id)", "--to", "ops", "--yes"]).status == .inputRefused)
    #expect(bench.run(["move", "ops:\(id)", "--to", "nowhere", "--yes"]).status == .notFound)
    let kind = bench.workspace.write(
      #"{"title":"wifi","type":"object","properties":{"title":{"type":"string"}}}"#, to: "k")
    #expect(bench.run(["kinds", "add", kind, "--in", "ops"]).code == 0)
    #expect(bench.run(["add", "wifi", "title=home", "--in", "ops"]).code == 0)
    let unknown = bench.run(["move", "ops:ops mail", "ops:home", "--to", "contractors", "--yes"])
    #expect(unknown.status == .inputRefused, "\(unknown.errors)")
    #expect(unknown.errors.contains("is of the kind `wifi`"), "\(unknown.errors)")
    #expect(bench.names(in: "ops").count == 2)
    #expect(bench.names(in: "contractors").count == 1)
  }

  @Test("a move that ended between the two vaults is named by the check, and finished by the same command")
  func interrupted() throws {
    let bench = try SetBench()
    let id = try bench.id("ops mail", in: "ops")
    bench.workspace.prepare("cp -r ops before")
    #expect(bench.run(["move", "ops:\(id)", "--to", "finance", "--yes"]).code == 0)
    // As it was before the second half; a machine that has seen no more than that.
    bench.workspace.prepare("rm -r ops state-ada && mv before ops")
    let checked = bench.run(["vaults", "check"])
    #expect(checked.status == .findings, "\(checked.errors)")
    #expect(checked.output.contains("run it again to finish it"), "\(checked.errors)")
    let finished = bench.run(["move", "ops:\(id)", "--to", "finance", "--yes", "--vaults", "vaults.json"])
    #expect(finished.code == 0, "\(finished.errors)")
    #expect(finished.errors.contains("1 of them were there already"), "\(finished.errors)")
    #expect(bench.run(["vaults", "check"]).code == 0)
    #expect(bench.names(in: "ops").isEmpty)
    #expect(bench.names(in: "finance").count == 2)
  }

  @Test("attachments go along, sealed anew; where one of them is damaged both vaults stay as they are")
  func attachments() throws {
    let bench = try SetBench()
    let id = try bench.id("ops mail", in: "ops")
    bench.workspace.prepare("head -c 200000 /dev/urandom >big; printf x >small")
    #expect(bench.run(["attach", "ops:\(id)", "big", "small"]).code == 0)
    func files(_ vault: String) -> [String] {
      FileTree.files(below: "\(bench.path)/\(vault)").filter { $0.hasPrefix("attachments/") }
    }
    let old = files("ops")
    #expect(old.count == 2)
    bench.workspace.prepare("cp -r ops kept; for f in ops/attachments/*/*; do printf y >>$f; done")
    let damaged = bench.run(["move", "ops:\(id)", "--to", "finance", "--yes"])
    #expect(damaged.status == .damaged, "\(damaged.errors)")
    #expect(damaged.errors.contains("attachments/"), "\(damaged.errors)")
    #expect(bench.names(in: "ops") == ["ops mail"])
    #expect(bench.names(in: "finance").count == 1)
    #expect(files("finance").isEmpty)
    bench.workspace.prepare("rm -r ops && cp -r kept ops")
    let moved = bench.run(["move", "ops:\(id)", "--to", "finance", "--yes"])
    #expect(moved.code == 0, "\(moved.errors)")
    #expect(files("finance").count == 2)
    #expect(Set(files("finance")).isDisjoint(with: old))
    // As it was between the two vaults; a machine that has seen no more than that.
    bench.workspace.prepare("rm -r ops state-ada && mv kept ops")
    let again = bench.run(["move", "ops:\(id)", "--to", "finance", "--yes", "--vaults", "vaults.json"])
    #expect(again.code == 0, "\(again.errors)")
    #expect(again.errors.contains("1 of them were there already"), "\(again.errors)")
    for name in ["big", "small"] {
      #expect(bench.run(["get", "finance:\(id)", "--attachment", name, "-o", "out", "--yes"]).code == 0)
      #expect(FileTree.contents(of: bench.path + "/out") == FileTree.contents(of: bench.path + "/" + name), "\(name)")
    }
    for vault in ["ops", "finance"] { #expect(bench.run(["verify", "--in", vault]).code == 0) }
  }

  @Test("a new record goes where the one rule says that takes it; none, or two vaults, are 17 and nothing is stored")
  func placement() throws {
    let bench = try SetBench()
    bench.edit {
      $0.replacing(
        "\"place\" : \"ops\"",
        with:
          "\"place\" : \"ops\", \"takes\" : [{\"kind\" : \"login\", \"tags\" : \"prod\"}, {\"kind\" : \"login\", \"url\" : \"x\"}]"
      ).replacing(
        "\"place\" : \"contractors\"",
        with: "\"place\" : \"contractors\", \"takes\" : [{\"kind\" : \"login\", \"tags\" : \"staging\"}]")
    }
    func add(_ title: String, _ tags: String) -> ProcessOutcome {
      bench.run(["add", "login", title, "tags=\(tags)", "--generate", "password"])
    }
    let placed = add("Prod", "prod,web")
    #expect(placed.code == 0, "\(placed.errors)")
    #expect(placed.errors.contains("the record was stored in the vault ops"), "\(placed.errors)")
    #expect(add("Staging", "staging").code == 0)
    #expect(bench.names(in: "contractors").contains("Staging"))
    let both = add("Both", "prod,staging")
    #expect(both.status == .inputRefused)
    #expect(both.errors.contains("has rules for this login in contractors and ops"))
    let none = add("None", "web")
    #expect(none.status == .inputRefused, "\(none.errors)")
    #expect(none.errors.contains("--in NAME"), "\(none.errors)")
    #expect(bench.run(["add", "login", "None", "--generate", "password", "--in", "finance"]).code == 0)
    #expect(bench.names(in: "ops") == ["Prod", "ops mail"])
    let checked = bench.run(["vaults", "check"])
    #expect(checked.status == .findings, "\(checked.output)")
    #expect(checked.output.contains("a record can match both"), "\(checked.output)")
    #expect(bench.run(["set", "ops:Prod", "tags=staging"]).code == 0)
    #expect(bench.run(["vaults", "check"]).output.contains("belongs to contractors: `vault move ops:"))
    // In the folder of a vault that vault is meant, and so with CVAULT_DIR.
    let named = ["CVAULT_DIR": "finance"]
    #expect(bench.run(["add", "login", "Named", "--generate", "password"], adding: named).code == 0)
    #expect(bench.names(in: "finance") == ["Named", "None", "finance mail"])
  }

  @Test("an import is divided by the rules, or refused whole; no secret decides where a record goes")
  func importing() throws {
    let bench = try SetBench()
    bench.edit {
      $0.replacing(
        "\"place\" : \"ops\"", with: "\"place\" : \"ops\", \"takes\" : [{\"kind\" : \"login\", \"tags\" : \"prod\"}]"
      )
      .replacing(
        "\"place\" : \"contractors\"",
        with:
          "\"place\" : \"contractors\", \"takes\" : [{\"kind\" : \"login\", \"password\" : \"p\"}, {\"tags\" : \"web\"}]"
      )
    }
    func element(_ title: String, _ tag: String) -> String {
      #"{"title":"\#(title)","password":"p","tags":["\#(tag)"]}"#
    }
    let good = bench.workspace.write("[\(element("A", "prod")),\(element("B", "web"))]", to: "good.json")
    let stored = bench.run(["import", "json", good, "--kind", "login"])
    #expect(stored.code == 0)
    #expect(stored.output == "contractors  1 stored, 0 refused\nops          1 stored, 0 refused\n")
    #expect(bench.names(in: "ops") == ["A", "ops mail"])
    #expect(bench.names(in: "contractors") == ["B", "contractors mail"])
    let bad = bench.workspace.write("[\(element("C", "prod")),\(element("D", "none"))]", to: "bad.json")
    let refused = bench.run(["import", "json", bad, "--kind", "login"])
    #expect(refused.status == .inputRefused, "\(refused.errors)")
    #expect(refused.errors.contains("element 1"), "\(refused.errors)")
    #expect(!bench.names(in: "ops").contains("C"))
    #expect(bench.run(["import", "json", bad, "--kind", "login", "--in", "finance"]).code == 0)
    #expect(bench.run(["vaults", "check"]).output.contains("uses password, which is sealed"))
    #expect(bench.run(["import", "csv", good, "--kind", "login"]).status == .usage, "another tool's file")
  }
}
