internal import VaultCrypto
internal import VaultSealing

/// Values to search for in other bytes, in the forms that programs write. Only keyed hashes are kept, no values.
///
/// A value is found as a whole, without spaces at its end, by its lines of 16 bytes or more, and by the texts in it if
/// it is a JSON document. Each of these is also found in base64 (both alphabets, at every offset in a group), hex and
/// UTF-16, and wrapped into lines. Each byte may be escaped as in addresses, JSON, programming languages, XML, HTML,
/// SQL and shells, with up to three nested escapes. This is a guard against accidents: other forms of a value are not
/// found.
package struct NeedleSet: Sendable {
  /// One form of a value. Its hash gives a false match with a probability of 2⁻⁶⁴.
  private struct Needle {
    let count: Int
    let hash: Int
    var label: Int
  }

  enum Match {
    case none
    /// A value may begin there, and more bytes are needed.
    case undecided
    case needle(count: Int, label: Int)

    fileprivate func longer(_ other: Match) -> Match {
      guard case .needle(let count, _) = self, case .needle(let next, _) = other else { return other }
      return count < next ? other : self
    }
  }

  private static let headCount = NeedleForms.shortest
  /// The needles by the hash of their first bytes, the longest first.
  private var needles: [Int: [Needle]] = [:]
  /// Values that are only searched as they are: the labels by hash, for each number of bytes, the greatest first.
  private var short: [(count: Int, labels: [Int: Int])] = []
  /// Hashes of the first one to seven bytes.
  private var beginnings: Set<Int> = []
  /// A Bloom filter for the first eight bytes, which rules out most indexes of a text at once.
  private var filter = [UInt64](repeating: 0, count: Self.filterWords)
  private static let filterWords = 1 << 14
  private let multiplier = UInt64.random(in: .min ... .max) | 1
  /// The bytes that occur in any needle.
  private var bytes = [Bool](repeating: false, count: 256)

  package init() {}

  /// Whether there is nothing to search for, because no value was added or all were too short.
  package var isEmpty: Bool { needles.isEmpty && short.isEmpty }

  /// Adds a value. Returns whether it will be found.
  ///
  /// A value of fewer than 8 bytes, or a number of fewer than 12 digits, occurs in any text by chance and is not
  /// searched, unless the caller wants that too.
  ///
  /// - Parameters:
  ///   - label: identifies the value in a match; of equal values the least label counts.
  ///   - includingShort: whether a value from 3 bytes on is searched nevertheless, only as it is.
  @discardableResult
  package mutating func add(_ value: RawSpan, label: Int, includingShort: Bool = false) -> Bool {
    let forms = NeedleForms.all(of: value.copiedBytes())
    for form in forms { insert(form, label) }
    guard forms.isEmpty, includingShort, value.byteCount >= Self.shortestAsIs else { return !forms.isEmpty }
    insertAsIs(value, label)
    return true
  }

  private static let shortestAsIs = 3

  private mutating func insertAsIs(_ value: RawSpan, _ label: Int) {
    let count = value.byteCount
    for byte in value.copiedBytes() { bytes[Int(byte)] = true }
    for prefix in 1..<count { beginnings.insert(Self.hash(value, 0..<prefix)) }
    if !short.contains(where: { $0.count == count }) {
      short.insert((count, [:]), at: short.firstIndex { $0.count < count } ?? short.endIndex)
    }
    for index in short.indices where short[index].count == count {
      short[index].labels.merge([Self.hash(value, 0..<count): label], uniquingKeysWith: min)
    }
  }

  /// The number of lines that are not searched separately, because they are words or too short.
  package static func leftOutLineCount(of value: RawSpan) -> Int {
    NeedleForms.leftOutLineCount(of: value.copiedBytes())
  }

  private mutating func insert(_ form: [UInt8], _ label: Int) {
    for byte in form { bytes[Int(byte)] = true }
    let span = unsafe form.span.bytes
    let head = Self.hash(span, 0..<Self.headCount)
    let needle = Needle(count: form.count, hash: Self.hash(span, 0..<form.count), label: label)
    var others = needles[head] ?? []
    if let index = others.firstIndex(where: { $0.count == needle.count && $0.hash == needle.hash }) {
      others[index].label = min(others[index].label, label)
      needles[head] = others
      return
    }
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

  /// The longest value that begins at an index. A short one counts if no other does.
  ///
  /// - Parameters:
  ///   - isWhole: whether `bytes` is the end of the input.
  ///   - reading: shared by all indexes of `bytes`.
  ///   - folding: has passed all bytes before the index.
  func match(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ reading: inout EscapeReading, _ folding: LineFolding
  ) -> Match {
    let match = distinctive(in: bytes, at: index, isWhole: isWhole, &reading, folding)
    guard case .none = match else { return match }
    let rest = bytes.byteCount - index
    for (count, labels) in short {
      if count <= rest {
        if let label = labels[Self.hash(bytes, index..<(index + count))] { return .needle(count: count, label: label) }
      } else if !isWhole, beginnings.contains(Self.hash(bytes, index..<bytes.byteCount)) {
        return .undecided
      }
    }
    return .none
  }

  private func distinctive(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ reading: inout EscapeReading, _ folding: LineFolding
  ) -> Match {
    let rest = bytes.byteCount - index
    var (best, hasCandidates): (Match, Bool) = (.none, false)
    if rest < Self.headCount {
      if !isWhole, beginnings.contains(Self.hash(bytes, index..<bytes.byteCount)) { return .undecided }
      // Unsafe because any eight bytes are read as a number.
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

  /// The longest value at an index, wrapped or not; nil if more bytes are needed.
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

  /// The longest value at an index, with or without escapes.
  private func escaped(
    in bytes: RawSpan, at index: Int, isWhole: Bool, _ reading: inout EscapeReading, _ plain: Match
  ) -> Match {
    var best = plain
    reading.begin(at: index)
    for level in 0..<EscapeReading.depth {
      let count = reading.read(level, to: Self.headCount, of: bytes, isWhole: isWhole)
      if count < Self.headCount {
        // Without a byte, the input ends within the first escape.
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

  /// Whether a needle may begin with these eight bytes.
  private func passes(_ head: UInt64) -> Bool {
    let place = place(head)
    return filter[place >> 6] >> UInt64(place & 63) & 1 == 1
  }

  /// Whether text can be beside any other text without becoming part of a value.
  func isApart(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    let bytes = Array(text.utf8)
    return !self.bytes[Int(first)] && !self.bytes[Int(last)] && occurrences(in: bytes).isEmpty
  }

  /// The values in the bytes, in order.
  ///
  /// - Returns: the start and label of each value, including overlapping ones.
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
