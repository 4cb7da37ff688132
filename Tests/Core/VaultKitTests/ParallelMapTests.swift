import Synchronization
import Testing
import VaultKit

@Suite("Work on all cores, in order") struct ParallelMapTests {
  private struct Stop: Error, Equatable { let number: Int }

  /// Numbers up to `count`, with a tally of how many were taken.
  private final class Source: Sendable {
    private let taken = Atomic<Int>(0)
    let count: Int

    init(count: Int) { self.count = count }

    var takenCount: Int { taken.load(ordering: .relaxed) }

    var numbers: some Sequence<Int> {
      sequence(state: 0) { next -> Int? in
        guard next < self.count else { return nil }
        defer { next += 1 }
        self.taken.add(1, ordering: .relaxed)
        return next
      }
    }
  }

  private func mapped(
    _ map: ParallelMap, _ source: Source, _ transform: @escaping @Sendable (Int) throws(Stop) -> Int,
    consume: (Int) throws(Stop) -> Void = { _ in }
  ) async -> (results: [Int], failure: Stop?) {
    var results: [Int] = []
    do throws(Stop) {
      try await map(source.numbers, cancellation: { Stop(number: -1) }, transform) { result throws(Stop) in
        try consume(result)
        results.append(result)
      }
      return (results, nil)
    } catch {
      return (results, error)
    }
  }

  @Test("results come in the order of the input", arguments: [0, 1, 6, 7, 8, 1000])
  func order(count: Int) async {
    let map = ParallelMap(chunkSize: 7, chunkCount: 3)
    let (results, failure) = await mapped(map, Source(count: count)) { number in
      // Early ones take longest, so that they finish out of order.
      for _ in 0..<((number % 7) * 1000) where Task.isCancelled { break }
      return number * 2
    }
    #expect(results == (0..<count).map { $0 * 2 })
    #expect(failure == nil)
  }

  @Test("no more than the window is taken ahead of what was handed on")
  func bounds() async {
    let map = ParallelMap(chunkSize: 5, chunkCount: 4)
    #expect(map.window == 20)
    let source = Source(count: 500)
    var handedOn = 0
    var furthest = 0
    _ = await mapped(map, source, { $0 }) { _ in
      furthest = max(furthest, source.takenCount - handedOn)
      handedOn += 1
    }
    #expect(handedOn == 500)
    // A chunk's place is taken again as its first result is handed on.
    #expect(furthest <= map.window + map.chunkSize)
  }

  @Test("the first error in the order of the input ends it, after all results before it")
  func firstError() async {
    let map = ParallelMap(chunkSize: 4, chunkCount: 6)
    let source = Source(count: 10_000)
    let (results, failure) = await mapped(map, source) { number throws(Stop) in
      if number == 41 || number == 42 { throw Stop(number: number) }
      return number
    }
    #expect(failure == Stop(number: 41))
    #expect(results == Array(0..<41))
    #expect(source.takenCount < 100)
  }

  @Test("an error of who takes the results ends it")
  func errorOfTheConsumer() async {
    let source = Source(count: 10_000)
    let (results, failure) = await mapped(ParallelMap(chunkSize: 4, chunkCount: 2), source, { $0 }) {
      result throws(Stop) in
      if result == 9 { throw Stop(number: result) }
    }
    #expect(failure == Stop(number: 9))
    #expect(results == Array(0..<9))
    #expect(source.takenCount < 40)
  }

  @Test("a cancelled task stops with the error for that")
  func cancellation() async {
    let source = Source(count: 1_000_000)
    let task = Task {
      await mapped(ParallelMap(chunkSize: 2, chunkCount: 2), source, { $0 }) { result in
        if result == 5 { unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() } }
      }
    }
    let (results, failure) = await task.value
    #expect(failure == Stop(number: -1))
    #expect(results == Array(0...5))
  }

  @Test("how the work is divided changes nothing")
  func division() async {
    let work: @Sendable (Int) throws(Stop) -> Int = { number in (0..<200).reduce(number) { ($0 &* 31) &+ $1 } }
    let many = await mapped(ParallelMap(chunkSize: 1, chunkCount: 64), Source(count: 3000), work)
    let one = await mapped(ParallelMap(chunkSize: 3000, chunkCount: 1), Source(count: 3000), work)
    #expect(many.results == one.results)
  }
}
