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
      #expect(clone.file == clones[0].file, "seed \(seed): \(clone.name)")
      #expect(clone.vault("verify").code == 0, "seed \(seed): \(clone.name)")
      for (field, value) in last { #expect(clone.value(field) == value, "seed \(seed): \(field)") }
    }
    guard let secret = last["password"] else { return }
    let objects = clones[0].shell("git cat-file --batch-all-objects --batch --buffer | grep -ac '\(secret)'")
    #expect(objects.output == "0\n")
  }

  /// Clones in which the same fields are written, and what became of their values.
  private struct Disputed {
    static let fields = ["username", "title", "password"]
    let choice: String
    /// By field: written values, values that were deliberately overwritten, and values of a conflict.
    var written: [String: Set<String>] = [:]
    var replaced: [String: Set<String>] = [:]
    var conflicted: [String: Set<String>] = [:]

    private func values(_ clone: GitBench.Clone) -> [String: String] {
      Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, clone.value($0)) })
    }

    mutating func write(_ clone: GitBench.Clone, _ field: String, _ value: String) throws {
      replaced[field, default: []].insert(clone.value(field))
      try field == "password" ? clone.seal(field, value) : clone.change(field, value)
      written[field, default: []].insert(value)
    }

    /// Every field that has a choice to make is said; the result has a value of one of the sides.
    mutating func pull(_ clone: GitBench.Clone, from other: GitBench.Clone) {
      let sides = [values(clone), values(other)]
      var merged = clone.shell("git fetch -q ../\(other.name) master; vault merge FETCH_HEAD")
      if merged.status == .partlyDone {
        for field in Self.fields where merged.output.contains("\(field): both sides have ") {
          conflicted[field, default: []].formUnion(sides.compactMap { $0[field] })
        }
        merged = clone.vault("merge", "--continue", choice)
      }
      #expect(merged.code == 0, "\(clone.name) \(other.name): \(merged.output)\(merged.errors)")
      clone.shell("test -e .git/MERGE_HEAD && git commit -q --no-edit")
      for (field, value) in values(clone) {
        #expect(sides.contains { $0[field] == value }, "\(field) has a value of neither side")
      }
    }
  }

  @Test(
    "where they write the same fields a side is chosen, and each value that is lost was in a conflict that named it",
    arguments: [(11, 2, "--ours"), (12, 3, "--theirs"), (13, 4, "--newest")])
  func choose(_ seed: UInt64, _ count: Int, _ choice: String) throws {
    let bench = try GitBench()
    let clones = ["v", "b", "c", "d"].prefix(count).map { GitBench.Clone(bench: bench, name: $0) }
    for clone in clones.dropFirst(2) {
      bench.workspace.prepare("git clone -q v \(clone.name)")
      clone.shell("vault git setup -q; vault verify")
    }
    var random = SeededGenerator(seed: seed)
    var disputed = Disputed(choice: choice)
    for step in 1...8 {
      let writer = clones[Int.random(in: 0..<count, using: &random)]
      try disputed.write(writer, Disputed.fields[step % 3], "value-\(seed)-\(step)")
      let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
      if one != other { disputed.pull(clones[one], from: clones[other]) }
    }
    for other in clones.dropFirst() { disputed.pull(clones[0], from: other) }
    for clone in clones.dropFirst() { disputed.pull(clone, from: clones[0]) }
    for clone in clones {
      #expect(clone.file == clones[0].file, "seed \(seed): \(clone.name)")
      #expect(clone.vault("verify").code == 0, "seed \(seed): \(clone.name)")
    }
    for (field, all) in disputed.written {
      let lost = all.subtracting([clones[0].value(field)]).subtracting(disputed.replaced[field] ?? [])
      #expect(lost.isSubset(of: disputed.conflicted[field] ?? []), "seed \(seed): \(field) lost \(lost)")
    }
  }
}
