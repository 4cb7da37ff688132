/// A regular expression of JSON Schema (ECMA-262) whose matching time is bounded by the lengths of pattern and text.
///
/// All possible matches are followed in parallel, so no pattern takes exponential time. Features that need backtracking
/// are refused: back references and look-around. Characters are Unicode scalars; a match may lie anywhere in the text.
public struct Pattern: Sendable, Equatable {
  /// The most instructions of a compiled pattern; counted repetitions are expanded.
  static let maximumSize = 1_000
  /// The longest text, in UTF-8 bytes, that a pattern is tried on.
  static let maximumTextByteCount = 65_536

  /// The original text of the pattern.
  public let text: String
  let program: [PatternStep]

  /// Compiles a pattern.
  ///
  /// - Throws: ``RecordError`` `.invalidSchema`, which names the malformed or unsupported part.
  public init(_ text: String) throws(RecordError) {
    self.text = text
    var compiler = PatternCompiler()
    var parser = PatternParser(text)
    do throws(TextFault) {
      try compiler.append(try parser.wholePattern())
    } catch {
      throw RecordError(.invalidSchema, "is not a pattern that can be used: \(error.reason)")
    }
    program = compiler.program + [.match]
  }

  public static func == (left: Pattern, right: Pattern) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  /// Whether the pattern matches somewhere in `text`, which may be of any length.
  public func matches(_ text: String) -> Bool {
    var threads = PatternThreads(count: program.count)
    var previous: Unicode.Scalar?
    var scalars = text.unicodeScalars.makeIterator()
    var current = scalars.next()
    while true {
      let place = PatternPlace(previous: previous, next: current)
      if threads.add(0, at: place, of: program) { return true }
      guard let scalar = current else { return false }
      previous = scalar
      current = scalars.next()
      if threads.advance(over: scalar, to: PatternPlace(previous: scalar, next: current), of: program) { return true }
    }
  }
}

/// One instruction of a compiled pattern.
enum PatternStep: Sendable {
  case take(PatternSet)
  case assert(PatternAssertion)
  case split(Int, Int)
  case jump(Int)
  case match
}

enum PatternAssertion: Sendable {
  case start, end, boundary, noBoundary
}

/// A position between two scalars of the text.
struct PatternPlace {
  let previous: Unicode.Scalar?
  let next: Unicode.Scalar?

  func holds(_ assertion: PatternAssertion) -> Bool {
    switch assertion {
    case .start: previous == nil
    case .end: next == nil
    case .boundary: isWord(previous) != isWord(next)
    case .noBoundary: isWord(previous) == isWord(next)
    }
  }

  private func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(PatternSet.word.contains) ?? false }
}

/// The instructions that wait for the next scalar, each once.
struct PatternThreads {
  private var waiting: [Int] = []
  private var marks: [Bool]

  init(count: Int) { marks = Array(repeating: false, count: count) }

  /// Follows all instructions that need no scalar; true if the match is found.
  mutating func add(_ start: Int, at place: PatternPlace, of program: [PatternStep]) -> Bool {
    var pending = [start]
    while let index = pending.popLast() {
      guard !marks[index] else { continue }
      marks[index] = true
      switch program[index] {
      case .match: return true
      case .take: waiting.append(index)
      case .jump(let target): pending.append(target)
      case .split(let one, let other): pending += [one, other]
      case .assert(let assertion): if place.holds(assertion) { pending.append(index + 1) }
      }
    }
    return false
  }

  /// Consumes one scalar; true if the match is found.
  mutating func advance(over scalar: Unicode.Scalar, to place: PatternPlace, of program: [PatternStep]) -> Bool {
    let before = waiting
    waiting.removeAll(keepingCapacity: true)
    for index in marks.indices { marks[index] = false }
    for index in before {
      guard case .take(let set) = program[index], set.contains(scalar) else { continue }
      if add(index + 1, at: place, of: program) { return true }
    }
    return false
  }
}
