/// Replaces values in bytes that come piece by piece by marks that name them.
///
/// A value is found across all borders of pieces: what may be its beginning is held back until it is decided, and
/// nothing else. Where values overlap, all of what they cover is replaced. What holds no value passes as it is.
package struct Redactor: Sendable {
  private let needles: NeedleSet
  private let marks: [[UInt8]]
  private var held: [UInt8] = []
  /// How many of the next bytes belong to a value whose mark was given out.
  private var coveredCount = 0
  private var folding = LineFolding()
  /// How many values were replaced.
  package private(set) var count = 0

  /// - Parameter names: what the values are called, by their labels.
  package init(_ needles: NeedleSet, names: [String]) {
    self.needles = needles
    // A mark must not hold, or become part of, what it stands for.
    let plain = ["«sealed»", "***", "###", "???"].first(where: needles.isApart) ?? ""
    marks = names.map { name in
      let mark = "«\(name)»"
      return Array((needles.isApart(mark) ? mark : plain).utf8)
    }
  }

  /// Takes the next piece.
  ///
  /// - Returns: what is decided.
  package mutating func take(_ piece: [UInt8]) -> [UInt8] { process(held + piece, isWhole: false) }

  /// Takes the end.
  package mutating func end() -> [UInt8] { process(held, isWhole: true) }

  private mutating func process(_ bytes: [UInt8], isWhole: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    // Unsafe only in that padding could be read: bytes have none.
    let span = unsafe bytes.span.bytes
    var reading = EscapeReading()
    // What is between these two passes as it is.
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
