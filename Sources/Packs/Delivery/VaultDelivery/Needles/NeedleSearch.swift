/// Finds values in bytes that come piece by piece, and the lines that they begin in.
package struct NeedleSearch: Sendable {
  /// A value that was found.
  package struct Finding: Hashable, Sendable {
    /// From 1; a line ends with LF.
    package let line: Int
    /// What the value was called as it was added: the `label` of ``NeedleSet/add(_:label:)``.
    package let label: Int
  }

  private let needles: NeedleSet
  private var held: [UInt8] = []
  private var line = 1
  /// How many of the next bytes belong to a value that was found: lines of it are not told again.
  private var covered: [Int: Int] = [:]
  private var place = 0
  private var folding = LineFolding()

  /// A search that has seen no byte yet.
  package init(_ needles: NeedleSet) { self.needles = needles }

  /// Takes the next piece.
  ///
  /// - Returns: what is decided, in order.
  package mutating func take(_ piece: [UInt8]) -> [Finding] { search(held + piece, isWhole: false) }

  /// Takes the end.
  package mutating func end() -> [Finding] { search(held, isWhole: true) }

  private mutating func search(_ bytes: [UInt8], isWhole: Bool) -> [Finding] {
    var (found, index): ([Finding], Int) = ([], 0)
    // Unsafe only in that padding could be read: bytes have none.
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
