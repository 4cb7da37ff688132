internal import Synchronization
internal import VaultSystem

/// Applies a function to many elements on all cores and hands the results on in the order of the elements.
///
/// Elements are taken and results handed on, one after the other, in the caller's isolation, while the ``Workers``
/// process others. At most ``window`` elements are in progress, so memory is bounded for any length of the input.
package struct ParallelMap: Sendable {
  /// How many elements one task works on: enough to make the task's own cost small.
  package let chunkSize: Int
  /// How many chunks are processed, or wait for an earlier one, at a time.
  package let chunkCount: Int

  /// The most elements that are taken and not handed on yet.
  package var window: Int { chunkSize * chunkCount }

  /// - Precondition: both are positive.
  package init(chunkSize: Int = 64, chunkCount: Int = 2 * Self.coreCount + 2) {
    precondition(chunkSize > 0 && chunkCount > 0, "a chunk holds something")
    self.chunkSize = chunkSize
    self.chunkCount = chunkCount
  }

  package static let coreCount = ProcessEnvironment.coreCount

  /// Applies `transform` to each of `elements`, and gives each result to `consume`, in order.
  ///
  /// The first error in the order of the elements ends it, from `transform` or `consume`: all elements before it were
  /// consumed, and none after it. Work in progress is awaited and dropped. A cancelled task stops between two results
  /// with the error that `cancellation` makes. Without an error, every element was consumed, even if the task was
  /// cancelled.
  package func callAsFunction<Input: Sequence, Output: Sendable, Failure: Error>(
    _ elements: Input, isolation: isolated (any Actor)? = #isolation, cancellation: () -> Failure,
    _ transform: @escaping @Sendable (Input.Element) throws(Failure) -> Output,
    consume: (Output) throws(Failure) -> Void
  ) async throws(Failure) where Input.Element: Sendable {
    var input = elements.makeIterator()
    var failure: Failure?
    await withTaskGroup(of: Chunk<Output, Failure>.self) { group in
      // A closure has the isolation of its function only if it refers to it.
      _ = isolation
      var order = ChunkOrder<Output, Failure>()
      func begin() {
        let elements = next(of: &input)
        guard !elements.isEmpty else { return }
        let number = order.begin()
        group.addTask(executorPreference: Workers.shared) { Chunk(number: number, elements, transform) }
      }
      for _ in 0..<chunkCount { begin() }
      while let finished = await group.next() {
        order.finished(finished)
        while failure == nil, let chunk = order.next() {
          // The next piece of work is handed out first, so that no core waits for `consume`.
          begin()
          do throws(Failure) {
            for result in chunk.results {
              guard !Task.isCancelled else { throw cancellation() }
              try consume(try result.get())
            }
            guard chunk.isWhole else { throw cancellation() }
          } catch {
            failure = error
            group.cancelAll()
          }
        }
      }
    }
    if let failure { throw failure }
  }

  private func next<Iterator: IteratorProtocol>(of input: inout Iterator) -> [Iterator.Element] {
    var elements: [Iterator.Element] = []
    while elements.count < chunkSize, let element = input.next() { elements.append(element) }
    return elements
  }
}

/// The elements of a sequence in pieces, if the pieces matter for the work of a task.
package struct Chunks<Base: Sequence>: Sequence, IteratorProtocol {
  package static var size: Int { 64 }

  private var base: Base.Iterator

  package init(_ base: Base) { self.base = base.makeIterator() }

  package mutating func next() -> [Base.Element]? {
    var chunk: [Base.Element] = []
    while chunk.count < Self.size, let element = base.next() { chunk.append(element) }
    return chunk.isEmpty ? nil : chunk
  }
}

extension Chunks: Sendable where Base.Iterator: Sendable {}

/// The results of some elements, up to the first failure or to the cancellation of the task.
private struct Chunk<Output: Sendable, Failure: Error>: Sendable {
  let number: Int
  let results: [Result<Output, Failure>]
  /// Whether each element has a result; a cancelled task skips some.
  let isWhole: Bool

  init<Element>(number: Int, _ elements: [Element], _ transform: (Element) throws(Failure) -> Output) {
    self.number = number
    var results: [Result<Output, Failure>] = []
    results.reserveCapacity(elements.count)
    for element in elements where !Task.isCancelled {
      results.append(Result { () throws(Failure) in try transform(element) })
      if case .failure? = results.last { break }
    }
    self.results = results
    isWhole = results.count == elements.count
  }
}

/// Puts chunks that finish in any order back into their order.
private struct ChunkOrder<Output: Sendable, Failure: Error> {
  private var waiting: [Int: Chunk<Output, Failure>] = [:]
  private var begunCount = 0
  private var nextNumber = 0

  mutating func begin() -> Int {
    defer { begunCount += 1 }
    return begunCount
  }

  mutating func finished(_ chunk: Chunk<Output, Failure>) { waiting[chunk.number] = chunk }

  mutating func next() -> Chunk<Output, Failure>? {
    guard let chunk = waiting.removeValue(forKey: nextNumber) else { return nil }
    nextNumber += 1
    return chunk
  }
}
