import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

/// A task that is cancelled, at any moment, ends with `.cancelled` or has done all of it, and loses nothing.
@Suite("Cancelled tasks")
struct CancellationTests {
  typealias Place = CancellationBench.Place

  private let folder = TemporaryFolder()

  @Test(
    "a rotation that is cancelled at any moment loses no record, and the next one finishes it",
    arguments: [KeyringEntry.Reason.rewrap, .reseal], Place.allCases)
  func rotation(_ reason: KeyringEntry.Reason, _ place: Place) async throws {
    let bench = try await CancellationBench.make()
    let stepCount = try await rotate(bench, reason, place, at: nil).stepCount
    var (cancelled, unfinished) = (0, 0)
    let moments = Cancellation.moments(30, of: stepCount)
    for moment in moments {
      let comment: Comment = "\(reason), \(place), step \(moment) of \(stepCount)"
      let (result, vault, _) = try await rotate(bench, reason, place, at: moment)
      let isUnfinished = vault.header.unfinishedRotation != nil
      if result.isCancelled {
        cancelled += 1
        unfinished += isUnfinished ? 1 : 0
        let isTold = result.isCancelled { $0.remedies == [.finishRotation] }
        #expect(isTold == isUnfinished, comment)
      } else {
        #expect(try result.get() == bench.live.count, comment)
        #expect(!isUnfinished, comment)
        #expect(vault.header.keyring.map(\.state) == [.retired], comment)
      }
      try await bench.expectWhole(vault, bench.live.indices, removed: bench.removed.count, comment)
      try await bench.expectRotatable(vault, bench.live.indices, comment)
    }
    #expect(cancelled > 0, "\(reason), \(place)")
    guard Sweep.isWhole else { return }
    #expect(moments.count > 30, "\(reason), \(place)")
    #expect(cancelled > 5, "\(reason), \(place)")
    // In one step, next to nothing is left to do after the header.
    if place == .memoryWithoutReplacements || place == .folderWithStray {
      #expect(unfinished > 0, "\(reason), \(place)")
    }
  }

  /// Rotates a copy; gives how many records that was, the vault opened again, and how many steps it took.
  private func rotate(
    _ bench: CancellationBench, _ reason: KeyringEntry.Reason, _ place: Place, at moment: Int?
  ) async throws -> (result: Result<Int, any Error>, vault: Vault, stepCount: Int) {
    let cancellation = Cancellation()
    let store = try bench.copy(to: place, in: folder, cancellation)
    let vault = try await bench.open(store())
    let result = await cancellation.run(at: moment) { try await vault.rotate(reason).recordCount }
    let stepCount = cancellation.count
    return (result, try await bench.open(store()), stepCount)
  }

  @Test(
    "whatever is asked is answered whole or ends with that error", arguments: CancelledOperation.reading,
    [Place.memory, .folder])
  func reading(_ operation: CancelledOperation, _ place: Place) async throws {
    let cancellation = Cancellation()
    let subject = try await subject(place, cancellation)
    let work = try await operation.prepare(subject)
    let expected = try await cancellation.run(at: nil) { try await work() }.get()
    let stepCount = cancellation.count
    #expect(expected != "")
    #expect(stepCount > 0)
    for moment in Cancellation.moments(20, of: stepCount) {
      let result = await cancellation.run(at: moment) { try await work() }
      try expect(result, expected, operation, at: moment, "\(operation), \(place), step \(moment) of \(stepCount)")
    }
  }

  @Test(
    "whatever is done is done whole or ends with that error, and leaves a vault that verifies and rotates",
    arguments: CancelledOperation.writing, [Place.memory, .folder])
  func writing(_ operation: CancelledOperation, _ place: Place) async throws { try await sweep(operation, place) }

  @Test(
    "so is what replaces all records, where that cannot be done in one step",
    arguments: CancelledOperation.replacing, [Place.memoryWithoutReplacements, .folderWithStray])
  func inBatches(_ operation: CancelledOperation, _ place: Place) async throws { try await sweep(operation, place) }

  private func sweep(_ operation: CancelledOperation, _ place: Place) async throws {
    let (whole, stepCount, _) = try await run(operation, place, at: nil)
    let expected = try whole.get()
    #expect(expected != "")
    #expect(stepCount > 0)
    let moments = Cancellation.moments(place == .memory ? 20 : 12, of: stepCount)
    for moment in moments {
      let comment: Comment = "\(operation), \(place), step \(moment) of \(stepCount)"
      let (result, _, subject) = try await run(operation, place, at: moment)
      try expect(result, expected, operation, at: moment, comment)
      let vault = try await subject.bench.open(subject.store)
      try await subject.bench.expectWhole(vault, CancelledOperation.kept, comment)
      if moment == moments.last || moment == moments[moments.count / 2] {
        try await subject.bench.expectRotatable(vault, CancelledOperation.kept, comment)
      }
    }
  }

  private func subject(_ place: Place, _ cancellation: Cancellation) async throws -> CancelledOperation.Subject {
    let bench = try await CancellationBench.make()
    let store = try bench.copy(to: place, in: folder, cancellation)()
    return CancelledOperation.Subject(bench: bench, folder: folder, vault: try await bench.open(store), store: store)
  }

  private func run(
    _ operation: CancelledOperation, _ place: Place, at moment: Int?
  ) async throws -> (result: Result<String, any Error>, stepCount: Int, subject: CancelledOperation.Subject) {
    let cancellation = Cancellation()
    let subject = try await subject(place, cancellation)
    let work = try await operation.prepare(subject)
    let result = await cancellation.run(at: moment) { try await work() }
    return (result, cancellation.count, subject)
  }

  private func expect(
    _ result: Result<String, any Error>, _ expected: String, _ operation: CancelledOperation, at moment: Int,
    _ comment: Comment
  ) throws {
    guard !result.isCancelled else { return }
    #expect(try result.get() == expected, comment)
    #expect(!operation.locks || moment != Cancellation.beforeStart, comment)
  }

  @Test("a list with an index that is cancelled at once says so, and not that there is nothing")
  func index() async throws {
    let bench = try await IndexedVault()
    for number in 0..<5 { try bench.put("title \(number)") }
    let vault = try bench.indexed()
    for _ in 0..<2 {
      let listed = await Cancellation().run(at: Cancellation.beforeStart) { try await vault.listed().records.count }
      #expect(listed.isCancelled)
      let resolved = await Cancellation().run(at: Cancellation.beforeStart) { try await vault.resolve("title 3") }
      #expect(resolved.isCancelled)
      // The index is made, and used the second time.
      #expect(try await vault.listed().records.count == 5)
    }
  }

  @Test("canonical form is restored file by file, and a cancelled run says when it has begun")
  func lintFix() async throws {
    let bench = try await CancellationBench.make()
    let cancellation = Cancellation()
    let stepCount = try await fix(bench, at: nil, cancellation).stepCount
    var told = 0
    for moment in Cancellation.moments(20, of: stepCount) {
      let (result, changed, _) = try await fix(bench, at: moment, cancellation)
      if result.isCancelled {
        #expect(result.isCancelled { $0.reason.contains("nothing was changed") } == (changed == 0))
        told += changed > 0 ? 1 : 0
      } else {
        #expect(try result.get() == bench.live.count)
        #expect(changed == bench.live.count)
      }
    }
    #expect(told > 0)
  }

  /// Fixes a copy in which each record ends with a line too many; gives also how many of them are as they should be.
  private func fix(
    _ bench: CancellationBench, at moment: Int?, _ cancellation: Cancellation
  ) async throws -> (result: Result<Int, any Error>, changed: Int, stepCount: Int) {
    let store = try bench.copy(to: .memory, in: folder, cancellation)()
    for id in bench.live {
      let bytes = try #require(try store.read(.record(id)))
      try store.apply([StoreChange(.record(id), from: bytes, to: bytes + Array("\n".utf8))])
    }
    let result = await cancellation.run(at: moment) {
      try await VaultLint(store: store, options: RotationVault.options).fix().rewritten.count
    }
    let stepCount = cancellation.count
    let changed = try bench.live.count { try store.read(.record($0))?.suffix(2) != Array("\n\n".utf8)[...] }
    return (result, changed, stepCount)
  }
}
