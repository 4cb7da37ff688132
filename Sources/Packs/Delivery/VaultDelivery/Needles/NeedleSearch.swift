/// Finds values in a stream of bytes, with the lines in which they begin.
package struct NeedleSearch: Sendable {
  package struct Finding: Hashable, Sendable {
    /// From 1; a line ends with LF.
    package let line: Int
    /// The `label` of ``NeedleSet/add(_:label:)``.
    package let label: Int
  }

  private let needles: NeedleSet
  private var held: [UInt8] = []
  private var line = 1
  /// How many of the next bytes belong to a reported value. Lines of that value are not reported again.
  private var covered: [Int: Int] = [:]
  private var place = 0
  private var folding = LineFolding()

  package init(_ needles: NeedleSet) { self.needles = needles }

  /// Searches the next piece. Returns the definite findings, in order.
  package mutating func take(_ piece: [UInt8]) -> [Finding] { search(held + piece, isWhole: false) }

  /// Searches to the end.
  package mutating func end() -> [Finding] { search(held, isWhole: true) }

  private mutating func search(_ bytes: [UInt8], isWhole: Bool) -> [Finding] {
    var (found, index): ([Finding], Int) = ([], 0)
    // Unsafe because padding could be read; bytes have no padding.
    let span = unsafe bytes.span.bytes
    var reading = EscapeReading()
    loop: while index < bytes.count {
      switch needles.match(in: span, at: index, isWhole: isWhole, &reading, folding) {
      case .undecided: break loop
      case .none: break
      case .needle(let count, let label):
        if covered[label, default: 0] <= place { found.append(Finding(line: line, label: label)) }
        covered[label] = max(covered[label, default: 0], place + count)
      }
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      folding.pass(bytes[index])
      index += 1
      place += 1
    }
    held = Array(bytes[index...])
    return found
  }
}
