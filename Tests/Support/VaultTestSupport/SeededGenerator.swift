#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The seed of this run: the environment's `CVAULT_TEST_SEED`, else a new one. Tests print it.
public enum TestSeed {
  public static let current =
    ProcessInfo.processInfo.environment["CVAULT_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)

  /// How many cases a test makes: the environment's `CVAULT_TEST_CASES`, else the usual count.
  public static func caseCount(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["CVAULT_TEST_CASES"].flatMap { Int($0) } ?? usual
  }
}

/// A repeatable random generator for tests (SplitMix64 by Sebastiano Vigna); never for keys.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// The same seed gives the same numbers on every platform.
  public init(seed: UInt64) { state = seed }

  /// A generator whose seed is printed, so that a failing run can be repeated; `CVAULT_TEST_SEED` sets it.
  public static func announced(for test: String) -> SeededGenerator {
    print("\(test): CVAULT_TEST_SEED=\(TestSeed.current)")
    return SeededGenerator(seed: TestSeed.current)
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// `count` bytes of it.
  public mutating func bytes(count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
