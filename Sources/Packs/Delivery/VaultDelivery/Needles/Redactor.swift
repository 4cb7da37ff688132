/// Replaces values in a stream of bytes by marks that name them.
///
/// Values are found across pieces. Only the possible beginning of a value is held back. If values overlap, all their
/// bytes are replaced. Other bytes pass unchanged.
package struct Redactor: Sendable {
  private let needles: NeedleSet
  private let marks: [[UInt8]]
  private var held: [UInt8] = []
  /// How many of the next bytes belong to a value that was already replaced.
  private var coveredCount = 0
  private var folding = LineFolding()
  /// How many values were replaced.
  package private(set) var count = 0

  /// - Parameter names: the names of the values, by label.
  package init(_ needles: NeedleSet, names: [String]) {
    self.needles = needles
    // A mark must not contain a value, or become part of one.
    let plain = ["«sealed»", "***", "###", "???"].first(where: needles.isApart) ?? ""
    marks = names.map { name in
      let mark = "«\(name)»"
      return Array((needles.isApart(mark) ? mark : plain).utf8)
    }
  }

  /// Processes the next piece. Returns the definite output.
  package mutating func take(_ piece: [UInt8]) -> [UInt8] { process(held + piece, isWhole: false) }

  package mutating func end() -> [UInt8] { process(held, isWhole: true) }

  private mutating func process(_ bytes: [UInt8], isWhole: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    // Unsafe because padding could be read; bytes have no padding.
    let span = unsafe bytes.span.bytes
    var reading = EscapeReading()
    // Bytes between `start` and `index` pass unchanged.
    var (start, index) = (0, 0)
    loop: while index < bytes.count {
      switch needles.match(in: span, at: index, isWhole: isWhole, &reading, folding) {
      case .undecided: break loop
      case .none: break
      case .needle(let length, let label):
        if coveredCount == 0 {
          output += bytes[start..<index]
          output += marks[label]
          count += 1
        }
        coveredCount = max(coveredCount, length)
      }
      folding.pass(bytes[index])
      index += 1
      if coveredCount > 0 {
        coveredCount -= 1
        start = index
      }
    }
    output += bytes[start..<index]
    held = Array(bytes[index...])
    return output
  }
}
