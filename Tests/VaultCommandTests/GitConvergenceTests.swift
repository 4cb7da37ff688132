import Testing
import VaultTestSupport

@Suite("Clones that merge with each other", .enabled(if: GitBench.isThere))
struct GitConvergenceTests {
  @Test(
    "whatever the order, all come to the same records, nothing is lost, and no secret is in git",
    arguments: [(1, 2), (2, 3), (3, 4), (4, 5)])
  func converge(_ seed: UInt64, _ count: Int) throws {
    let bench = try GitBench()
    let clones = ["v", "b", "c", "d", "e"].prefix(count).map { GitBench.Clone(bench: bench, name: $0) }
    for clone in clones.dropFirst(2) {
      bench.workspace.prepare("git clone -q v \(clone.name)")
      clone.shell("vault git setup -q; vault verify")
    }
    var random = SeededGenerator(seed: seed)
    var last: [String: String] = [:]
    func pull(_ clone: GitBench.Clone, from other: GitBench.Clone) {
      let pulled = clone.shell("git pull -q --no-rebase --no-edit ../\(other.name) master")
      #expect(pulled.code == 0, "seed \(seed): \(pulled.output)\(pulled.errors)")
    }
    for step in 1...8 {
      // Each has a field of its own, so that nobody has to be asked.
      let writer = Int.random(in: 0..<count, using: &random)
      let value = "value-\(seed)-\(step)"
      let field = ["password", "username", "title", "fields.a", "fields.b"][writer]
      try field == "password" ? clones[writer].seal(field, value) : clones[writer].change(field, value)
      last[field] = value
      let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
      if one != other { pull(clones[one], from: clones[other]) }
    }
    for other in clones.dropFirst() { pull(clones[0], from: other) }
    for clone in clones.dropFirst() { pull(clone, from: clones[0]) }
    for clone in clones {
      #expect(clone.file == clones[0].file && clone.vault("verify").code == 0, "seed \(seed): \(clone.name)")
      for (field, value) in last { #expect(clone.value(field) == value, "seed \(seed): \(field)") }
    }
    guard let secret = last["password"] else { return }
    let objects = clones[0].shell("git cat-file --batch-all-objects --batch --buffer | grep -ac '\(secret)'")
    #expect(objects.output == "0\n")
  }
}
