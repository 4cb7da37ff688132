import Testing
import VaultTestSupport

@Suite("People and the vaults of a set")
struct SetPeopleTests {
  /// Whether an identity opens a slot of a vault with the command `age`, which knows nothing of ours.
  private func opensWithAge(_ bench: SetBench, _ identity: String, _ vault: String) -> Bool {
    FileTree.names(in: "\(bench.path)/\(vault)/slots").contains { slot in
      var plan = bench.workspace.plan(["-d", "-i", identity, "\(vault)/slots/\(slot)"])
      plan.path = "/usr/bin/env"
      plan.arguments.insert("age", at: 0)
      return plan.run().code == 0
    }
  }

  /// Whether an identity reads the vault with the implementation that was made from the format's page.
  private func readsWithReference(_ bench: SetBench, _ identity: String, _ vault: String) -> Bool? {
    guard let python = ReferencePython.path else { return nil }
    let words = ["\(bench.path)/\(vault)", "--identity", "\(bench.path)/\(identity)", "--json"]
    return ReferencePython.run(python, "readvault.py", words).code == 0
  }

  /// Compares the people who can open each vault with the grants: by this program, by `age`, and by the reference.
  private func expectMatrix(_ bench: SetBench, _ grants: [String: [String]], _ moment: Comment) throws {
    for (vault, readers) in grants {
      for person in SetBench.people {
        let isGranted = readers.contains(person)
        let got = bench.run(["get", "\(vault):\(vault) mail", "password"], as: person)
        #expect(got.code == (isGranted ? 0 : 11), "\(person), \(vault), \(moment): \(got.errors)")
        #expect(isGranted || got.stdout.isEmpty, moment)
        if Need.command("age").isMet(forCases: 1, of: "set matrix") {
          #expect(opensWithAge(bench, "\(person).txt", vault) == isGranted, "age: \(person), \(vault), \(moment)")
        }
        if let reads = readsWithReference(bench, "\(person).txt", vault) {
          #expect(reads == isGranted, "reference: \(person), \(vault), \(moment)")
        }
      }
    }
    if ReferencePython.path == nil { Need.notRun("set matrix", ReferencePython.need) }
  }

  @Test("each person opens the vaults they have a key of and no other, by every implementation, also after each change")
  func matrix() throws {
    let bench = try SetBench()
    var grants = SetBench.grants
    try expectMatrix(bench, grants, "at first")
    let cleo = try bench.recipient("cleo")
    let added = bench.run(["key", "add", cleo, "Cleo", "--in", "ops", "--in", "finance", "--yes"])
    #expect(added.code == 0, "\(added.errors)")
    #expect(added.output.split(separator: "\n").count == 2, "\(added.errors)")
    grants = ["ops": ["ada", "bob", "cleo"], "contractors": ["ada", "bob", "cleo"], "finance": ["ada", "cleo"]]
    try expectMatrix(bench, grants, "after adding")
    #expect(
      bench.run(["key", "add", cleo, "Cleo", "--everywhere", "--yes"]).status == .alreadyExists, "she has one of all")
    #expect(bench.run(["key", "add", "--passphrase", "--in", "ops", "--in", "finance"]).status == .usage)
  }

  @Test("somebody who left opens nothing that is written from then on, in any vault, with copies of all that they had")
  func offboarding() throws {
    let bench = try SetBench()
    bench.workspace.prepare("mkdir copies && cp -r ops contractors finance copies/")
    // Those of finance cannot be changed by Bob, who has no key of it: the rest is done, and it is told.
    let without = bench.run(["rekey", "--reseal", "--everywhere", "--drop-key", "nobody"])
    #expect(without.status == .notFound, "\(without.errors)")
    let words = ["rekey", "--reseal", "--everywhere", "--drop-key", try bench.recipient("bob"), "--yes"]
    let done = bench.run(words)
    #expect(done.code == 0, "\(done.errors)")
    #expect(done.output.split(separator: "\n").count == 2, "\(done.errors)")
    #expect(done.errors.contains("note: finance: the vault has no such key and stays as it is"))
    try expectMatrix(
      bench, ["ops": ["ada"], "contractors": ["ada", "cleo"], "finance": ["ada"]], "after Bob has left")
    #expect(bench.run(words).status == .notFound, "all of it is done")
    // Bob's copies in memory or files: the old slots hold no present key.
    bench.workspace.prepare("cp copies/ops/slots/* ops/slots/")
    #expect(bench.run(["get", "ops:ops mail", "password"], as: "bob").code != 0)
    bench.workspace.prepare("cp copies/ops/vault.json ops/")
    let old = bench.run(
      ["get", "ops mail", "password", "--vault", "ops"], as: "bob", adding: ["CVAULT_STATE_DIR": "none"])
    #expect(old.status == .damaged, "the header of before opens no record of now: \(old.errors)")
    #expect(
      bench.run(["get", "ops:ops mail", "password"]).status == .unexpectedVault,
      "and this machine knows the header of now")
  }

  @Test(
    "a key is taken away everywhere by its label; what cannot be opened is left and told with 4, and done by the next")
  func removing() throws {
    let bench = try SetBench()
    let partly = bench.run(["key", "remove", "ada", "--everywhere", "--yes"], as: "cleo")
    #expect(partly.status == .unexpectedVault, "Cleo has not accepted this set: \(partly.errors)")
    #expect(bench.run(["vaults", "accept", "--yes"], as: "bob").code == 0)
    let removed = bench.run(["key", "remove", "ada", "--everywhere", "--yes"], as: "bob")
    #expect(removed.status == .partlyDone, "\(removed.errors)")
    #expect(removed.errorLines.contains { $0.hasPrefix("vault: finance: ") }, "\(removed.errors)")
    #expect(removed.errors.contains("note: ops: the slot \"ada\""))
    try expectMatrix(bench, ["ops": ["bob"], "contractors": ["bob", "cleo"], "finance": ["ada"]], "without Ada")
    #expect(bench.run(["key", "remove", "nobody", "--everywhere", "--yes"], as: "bob").status == .notFound)
  }

  @Test("a reseal that was killed in one of the vaults is finished by the same command")
  func killed() throws {
    let bench = try SetBench()
    let many = (0..<400).map { #"{"title":"n\#($0)","password":"p"}"# }.joined(separator: ",")
    let file = bench.workspace.write("[\(many)]", to: "many.json")
    #expect(bench.run(["import", "json", file, "--kind", "login", "--in", "ops"]).code == 0)
    let bob = try bench.recipient("bob")
    let state = bench.path + "/state-ada"
    bench.workspace.prepare(
      """
      export CVAULT_IDENTITY_FILE=ada.txt CVAULT_STATE_DIR=\(state)
      \(Binary.path) rekey --reseal --everywhere --drop-key \(bob) --yes >out.txt 2>err.txt & p=$!
      for i in $(seq 2000); do grep -q open-only ops/vault.json && break; kill -0 $p || break; done
      kill -9 $p; wait $p || true
      """)
    let next = bench.run(["rekey", "--reseal", "--everywhere", "--drop-key", bob, "--yes"])
    #expect([0, 10].contains(next.code), "\(next.errors)")
    #expect(bench.run(["verify", "--everywhere"]).code == 0)
    try expectMatrix(
      bench, ["ops": ["ada"], "contractors": ["ada", "cleo"], "finance": ["ada"]], "after it was killed")
    #expect(bench.names(in: "ops").count == 401)
  }
}
