internal import VaultCrypto
internal import VaultSealing

/// Values to be looked for in other bytes, in the forms that programs give them. Only keyed hashes are held, no value.
///
/// A value is found as it is, without blanks behind it, by its lines of 16 bytes or more, and by the texts in it if it
/// is a JSON document; each as base64 (both alphabets, at every place within a group), hex and UTF-16, also wrapped
/// into lines. Each byte may stand as itself or as an escape of addresses, JSON, programming languages, XML, HTML, SQL
/// and shells, and an escape within another one, three deep. This is a guard against accidents: any other form of a
/// value is not found.
package struct NeedleSet: Sendable {
  /// One form of a value: its hash tells it from other bytes but for a chance of 2⁻⁶⁴.
  private struct Needle {
    let count: Int
    let hash: Int
    let label: Int
  }

  /// What stands at a place.
  enum Match {
    case none
    /// A value may begin there: more bytes tell.
    case undecided
    case needle(count: Int, label: Int)

    fileprivate func longer(_ other: Match) -> Match {
      guard case .needle(let count, _) = self, case .needle(let next, _) = other else { return other }
      return count < next ? other : self
    }
  }

  private static let headCount = NeedleForms.shortest
  /// By the hash of their first bytes; longer ones come first.
  private var needles: [Int: [Needle]] = [:]
  /// Hashes of the first bytes, one to seven of them.
  private var beginnings: Set<Int> = []
  /// Bits for the first eight bytes: most places in a text are passed by one look here.
  private var filter = [UInt64](repeating: 0, count: Self.filterWords)
  private static let filterWords = 1 << 14
  private let multiplier = UInt64.random(in: .min ... .max) | 1
  /// Which bytes stand in any needle.
  private var bytes = [Bool](repeating: false, count: 256)

  /// Nothing to look for.
  package init() {}

  /// Whether nothing is looked for, since no value was added or all of them were too short.
  package var isEmpty: Bool { needles.isEmpty }

  /// Adds a value.
  ///
  /// - Parameter label: what a match is told by.
  /// - Returns: whether it will be found: what is shorter than 8 bytes, or is a number of fewer than 12 digits, stands
  ///   in any text by chance, and is not looked for.
  @discardableResult
  package mutating func add(_ value: RawSpan, label: Int) -> Bool {
    let forms = NeedleForms.all(of: value.copiedBytes())
    for form in forms { insert(form, label) }
    return !forms.isEmpty
  }

  /// How many lines of a value of several are not looked for by themselves, because they are words or too short.
  package static func leftOutLineCount(of value: RawSpan) -> Int {
    NeedleForms.leftOutLineCount(of: value.copiedBytes())
  }

  private mutating func insert(_ form: [UInt8], _ label: Int) {
    for byte in form { bytes[Int(byte)] = true }
    let span = unsafe form.span.bytes
    let head = Self.hash(span, 0..<Self.headCount)
    let needle = Needle(count: form.count, hash: Self.hash(span, 0..<form.count), label: label)
    var others = needles[head] ?? []
    // Of equal values the first is named.
    if others.contains(where: { $0.count == needle.count && $0.hash == needle.hash }) { return }
    others.insert(needle, at: others.firstIndex { $0.count < needle.count } ?? others.endIndex)
    needles[head] = others
    for count in 1..<Self.headCount { beginnings.insert(Self.hash(span, 0..<count)) }
    mark(span, at: 0)
  }

  private func place(_ head: UInt64) -> Int {
    Int(truncatingIfNeeded: (head &* multiplier) >> UInt64(64 - 6 - Self.filterWords.trailingZeroBitCount))
  }

  private mutating func mark(_ bytes: RawSpan, at index: Int) {
    let place = place(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    filter[place >> 6] |= 1 << UInt64(place & 63)
  }

  private static func hash(_ bytes: RawSpan, _ range: Range<Int>) -> Int { keyedHash(of: bytes.extracting(range)) }

  /// The longest value that begins at a place.
  ///
  /// - Parameters:
  ///   - isWhole: whether nothing comes behind `bytes`.
  ///   - reading: one for all places of `bytes`.
  ///   - folding: it has passed all bytes before the place.
  func match(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ reading: inout EscapeReading, _ folding: LineFolding
  ) -> Match {
    let rest = bytes.byteCount - index
    var (best, hasCandidates): (Match, Bool) = (.none, false)
    if rest < Self.headCount {
      if !isWhole, beginnings.contains(Self.hash(bytes, index..<bytes.byteCount)) { return .undecided }
      // Unsafe only in that any eight bytes are taken for a number.
    } else if passes(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)) {
      let candidates = needles[Self.hash(bytes, index..<(index + Self.headCount))] ?? []
      hasCandidates = !candidates.isEmpty
      for needle in candidates {
        if needle.count > rest {
          if !isWhole { return .undecided }
        } else if Self.hash(bytes, index..<(index + needle.count)) == needle.hash {
          best = .needle(count: needle.count, label: needle.label)
          break
        }
      }
    }
    if hasCandidates || folding.run + Self.headCount > LineFolding.width {
      guard let longer = wrapped(in: bytes, at: index, isWhole: isWhole, folding, best) else { return .undecided }
      best = longer
    }
    guard hasCandidates || reading.hasEscape(in: bytes, at: index, within: Self.headCount) else { return best }
    if !hasCandidates, let head = reading.simpleHead(of: bytes, at: index, isWhole: isWhole), !passes(head) {
      return best
    }
    return escaped(in: bytes, at: index, isWhole: isWhole, &reading, best)
  }

  /// The longest value that begins at a place, whether or not it is wrapped; nil if only further bytes can tell.
  private func wrapped(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ folding: LineFolding, _ plain: Match
  ) -> Match? {
    let head = folding.text(in: bytes, at: index, count: Self.headCount)
    guard head.bytes.count == Self.headCount else {
      let mayBegin = head.isFolded && head.isOpen && !isWhole && !head.bytes.isEmpty
      return mayBegin && beginnings.contains(head.hash(of: head.bytes.count)) ? nil : plain
    }
    guard let candidates = needles[head.hash(of: Self.headCount)] else { return plain }
    let text = folding.text(in: bytes, at: index, count: candidates[0].count)
    guard text.isFolded else { return plain }
    for needle in candidates {
      if needle.count > text.bytes.count {
        if text.isOpen, !isWhole { return nil }
      } else if text.hash(of: needle.count) == needle.hash {
        return plain.longer(.needle(count: text.ends[needle.count - 1] - index, label: needle.label))
      }
    }
    return plain
  }

  /// The longest value that begins at a place, be it with escapes.
  private func escaped(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ reading: inout EscapeReading, _ plain: Match
  ) -> Match {
    var best = plain
    reading.begin(at: index)
    for level in 0..<EscapeReading.depth {
      let count = reading.read(level, to: Self.headCount, of: bytes, isWhole: isWhole)
      if count < Self.headCount {
        // Without a byte the bytes end within the first escape.
        if !isWhole, count == 0 || beginnings.contains(reading.hash(level, of: count)) { return .undecided }
      } else if passes(reading.head(level)) {
        for needle in needles[reading.hash(level, of: Self.headCount)] ?? [] {
          if reading.read(level, to: needle.count, of: bytes, isWhole: isWhole) < needle.count {
            if !isWhole { return .undecided }
          } else if reading.hash(level, of: needle.count) == needle.hash {
            best = best.longer(.needle(count: reading.end(level, of: needle.count) - index, label: needle.label))
            break
          }
        }
      }
      if !reading.hasEscapes(level) { break }
    }
    return best
  }

  /// Whether a needle may begin with eight bytes.
  private func passes(_ head: UInt64) -> Bool {
    let place = place(head)
    return filter[place >> 6] >> UInt64(place & 63) & 1 == 1
  }

  /// Whether text can stand beside any other without becoming part of a value.
  func isApart(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    let bytes = Array(text.utf8)
    return !self.bytes[Int(first)] && !self.bytes[Int(last)] && occurrences(in: bytes).isEmpty
  }

  /// The values that stand in bytes, in order.
  ///
  /// - Returns: where each begins, and its label; of those that overlap, all.
  package func occurrences(in bytes: [UInt8]) -> [(offset: Int, label: Int)] {
    var found: [(offset: Int, label: Int)] = []
    let span = unsafe bytes.span.bytes
    var (reading, folding) = (EscapeReading(), LineFolding())
    for index in span.byteOffsets {
      if case .needle(_, let label) = match(in: span, at: index, isWhole: true, &reading, folding) {
        found.append((index, label))
      }
      folding.pass(bytes[index])
    }
    return found
  }
}
