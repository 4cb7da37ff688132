/// Counts the cases of one vector file, so that none is skipped in silence.
public struct CaseTally {
  /// Cases that were carried out.
  public private(set) var runCount = 0
  private var reasons: [String: Int] = [:]
  private let suite: String

  /// A tally for the suite named in its report.
  public init(_ suite: String) { self.suite = suite }

  /// All cases seen so far.
  public var totalCount: Int { runCount + reasons.values.reduce(0, +) }

  /// Counts one case that was carried out.
  public mutating func ran() { runCount += 1 }

  /// Counts one case that asks for something this project does not do.
  public mutating func notApplicable(_ reason: String) { reasons[reason, default: 0] += 1 }

  /// Prints one line: the cases that ran, those that did not, and why.
  public func report() {
    let others = reasons.sorted { $0.key < $1.key }.map { ", \($0.value) not applicable (\($0.key))" }
    print("\(suite): \(runCount) run\(others.joined())")
  }
}
