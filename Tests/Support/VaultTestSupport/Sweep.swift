#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The numbers at which a test tries something: every call, every byte, every statement.
///
/// `Scripts/test --all` sets `CVAULT_TEST_ALL` and gets all of them. Without that variable the numbers are a sample.
/// The gaps between them are drawn by the seed of the run, which is printed. So each run tries other places, and
/// `CVAULT_TEST_SEED` repeats one.
public struct Sweep: Sequence, IteratorProtocol {
  /// Whether tests go through all numbers.
  public static let isWhole = ProcessInfo.processInfo.environment["CVAULT_TEST_ALL"] != nil

  private static let announced: Void = print(
    isWhole ? "sweeps: all numbers" : "sweeps: samples, CVAULT_TEST_SEED=\(TestSeed.current)")

  private let stride: Int
  private let gap: Int
  private let end: Int
  private var number: Int
  private var random: SeededGenerator

  /// Numbers from `start` on, without an end: the test stops when a number was not reached.
  ///
  /// - Parameters:
  ///   - name: the test and its arguments; tests with different names draw different numbers.
  ///   - stride: from one number to the next in the whole sweep.
  ///   - gap: the mean number of strides between two numbers of a sample.
  public init(_ name: String, from start: Int = 1, to end: Int = .max, stride: Int = 1, oneOf gap: Int = 8) {
    _ = Self.announced
    let seed = name.utf8.reduce(TestSeed.current) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    (self.stride, self.gap, self.end, random) = (stride, Self.isWhole ? 1 : gap, end, SeededGenerator(seed: seed))
    number = start + stride * Int.random(in: 0..<self.gap, using: &random)
  }

  /// Offsets within `range`, at least one if the range has any.
  public init(_ name: String, in range: Range<Int>, oneOf gap: Int = 8) {
    self.init(name, from: range.lowerBound, to: range.upperBound, oneOf: Swift.min(gap, Swift.max(1, range.count)))
  }

  public mutating func next() -> Int? {
    guard number < end else { return nil }
    defer { number += stride * Int.random(in: 1...(2 * gap - 1), using: &random) }
    return number
  }

  /// How many repetitions of a random case run: `count`, and in a sample a fifth of them.
  public static func rounds(_ count: Int) -> Int { isWhole ? count : Swift.max(1, count / 5) }
}
