import Testing
import VaultTestSupport

@Suite("All vaults of a set")
struct SetEverywhereTests {
  @Test("a list marks each line with its vault, in JSON each part; the worst end counts, and a vault that is gone is 4")
  func list() throws {
    let bench = try SetBench()
    let listed = bench.run(["list", "--everywhere"])
    let lines = listed.output.split(separator: "\n")
    #expect(listed.code == 0, "\(listed.errors)")
    #expect(lines.count == 3, "\(listed.errors)")
    #expect(lines[0].hasPrefix("contractors  "))
    #expect(lines[1].hasPrefix("finance      "))
    let document = JSON(bench.run(["list", "--everywhere", "--json"]).stdout)
    #expect(document["vaults"]?.items?.compactMap { $0["vault"]?.text } == ["contractors", "finance", "ops"])
    #expect(document["vaults"]?.items?.last?["records"]?.items?.first?["name"]?.text == "ops mail")
    #expect(bench.run(["list", "--in", "ops", "--in", "finance"]).output.split(separator: "\n").count == 2)
    bench.workspace.prepare("mv finance gone")
    let left = bench.run(["list", "--everywhere"])
    #expect(left.status == .partlyDone)
    #expect(left.output.split(separator: "\n").count == 2)
    #expect(left.errors.contains("vault: finance: finance of "), "\(left.errors)")
    bench.workspace.prepare("cp -r ops finance")
    #expect(
      bench.run(["list", "--everywhere"]).status == .unexpectedVault,
      "another vault there comes before what is left out")
    #expect(bench.run(["list", "--everywhere", "--vault", "ops"]).status == .usage)
    #expect(bench.run(["list", "--everywhere", "--limit", "0"]).status == .usage)
  }

  @Test("what one vault has is found, and 10 is for what none has")
  func find() throws {
    let bench = try SetBench()
    let found = bench.run(["find", "finance", "--everywhere"])
    #expect(found.code == 0)
    #expect(found.output.hasPrefix("finance      "))
    #expect(!found.errors.contains("vault:"))
    let none = bench.run(["find", "nowhere", "--everywhere"])
    #expect(none.status == .notFound, "\(none.errors)")
    #expect(none.errorLines.count { $0.hasPrefix("vault:") } == 1, "\(none.errors)")
    #expect(bench.run(["list", "--kind", "nosuch", "--everywhere"]).status == .inputRefused)
  }

  @Test("verify, lint, due, status, log and backup create do their work in each; who has no key of one ends with 4")
  func others() throws {
    let bench = try SetBench()
    let verified = bench.run(["verify", "--everywhere"])
    #expect(verified.code == 0, "\(verified.errors)")
    #expect(verified.output.split(separator: "\n").count == 3, "\(verified.errors)")
    let partly = bench.run(["verify", "--everywhere"], as: "cleo")
    #expect(partly.status == .partlyDone, "\(partly.errors)")
    #expect(partly.output.hasPrefix("contractors  1 record, "), "\(partly.errors)")
    #expect(partly.errorLines.count { $0.hasPrefix("vault: ") } == 2)
    #expect(bench.run(["lint", "--everywhere"]).code == 0)
    #expect(bench.run(["due", "--everywhere", "--older-than", "1y"]).code == 0)
    let status = bench.run(["status", "--everywhere"])
    #expect(status.code == 0, "\(status.output)")
    #expect(status.output.contains("\nops          vault:"), "\(status.output)")
    #expect(bench.run(["log", "ops mail", "--everywhere"]).output.hasPrefix("ops "))
    bench.workspace.prepare("mkdir b && chmod 700 b")
    let made = bench.run(["backup", "create", "--everywhere", "--to", "b"])
    let backups = FileTree.names(in: bench.path + "/b").filter { $0.hasSuffix(".age") }
    #expect(made.code == 0, "\(made.errors)")
    #expect(backups.count == 3, "\(made.errors)")
    #expect(backups.contains { $0.hasPrefix("ops-") })
    #expect(bench.run(["backup", "create", "--everywhere", "--to", "-"]).status == .usage)
  }

  @Test("one record with two audiences: the same id in two vaults is shown as one, and removed as one")
  func joined() throws {
    let bench = try SetBench()
    let schema = #"{"title":"payment","type":"object","properties":{"title":{"type":"string"},"#
    let kind = bench.workspace.write(
      schema + #""pin":{"type":"string","x-sealed":true}}}"#, to: "payment.json")
    #expect(bench.run(["kinds", "add", kind, "--in", "finance"]).code == 0)
    let id = try bench.id("contractors mail", in: "contractors")
    let part = ["add", "payment", "title=contractors", "--generate", "pin", "--id", id, "--in", "finance"]
    let added = bench.run(part)
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.output == id + "\n", "\(added.errors)")
    #expect(bench.run(part).status == .alreadyExists, "an id that is there")
    let shown = bench.run(["show", id, "--everywhere", "--json"])
    let parts = JSON(shown.stdout)["vaults"]?.items ?? []
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(parts.compactMap { $0["vault"]?.text } == ["contractors", "finance"], "\(shown.errors)")
    #expect(parts.compactMap { $0["kind"]?.text } == ["login", "payment"])
    #expect(
      bench.run(["show", "contractors mail", "--everywhere", "--json"]).stdout == shown.stdout, "by its name in one")
    #expect(bench.run(["vaults", "check"]).code == 0, "two kinds are no finding")
    #expect(bench.run(["remove", id, "--everywhere"]).status == .declined)
    let removed = bench.run(["remove", id, "--everywhere", "--yes"])
    #expect(removed.code == 0, "\(removed.errors)")
    #expect(bench.names(in: "contractors").isEmpty)
    #expect(bench.names(in: "finance") == ["finance mail"])
    #expect(bench.run(["show", id, "--everywhere"]).status == .notFound)
    #expect(bench.run(["remove", id, "--everywhere", "--yes"]).status == .notFound)
  }
}
