/// The state of one parse: a position, which each production of the grammar moves forward.
///
/// The bytes are passed to each function, because a stored span needs lifetime annotations that are still experimental.
struct JSONScanner {
  var position = 0
  private let maximumDepth: Int
  private let maximumNumberByteCount: Int

  init(limits: JSONLimits) {
    maximumDepth = min(limits.depth, JSONLimits.maximumDepth)
    maximumNumberByteCount = limits.numberByteCount
  }

  mutating func document(in bytes: Span<UInt8>) throws(DocumentError) -> JSONValue {
    try begin(bytes)
    let value = try value(in: bytes, depth: 1)
    try end(bytes)
    return value
  }

  mutating func begin(_ bytes: Span<UInt8>) throws(DocumentError) {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw DocumentError(.byteOrderMark, at: 0)
    }
    skipWhiteSpace(in: bytes)
  }

  mutating func end(_ bytes: Span<UInt8>) throws(DocumentError) {
    skipWhiteSpace(in: bytes)
    guard position == bytes.count else {
      throw DocumentError(.invalidJSON, "there is text after the document", at: position)
    }
  }

  /// Reads the value at the position, after white space. After an error the scanner must not be used again.
  mutating func value(in bytes: Span<UInt8>, depth: Int) throws(DocumentError) -> JSONValue {
    guard position < bytes.count else { throw endOfInput(bytes) }
    guard depth <= maximumDepth else { throw DocumentError(.tooDeep, at: position) }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try string(in: bytes))
    case UInt8(ascii: "{"): return .object(try object(in: bytes, depth: depth))
    case UInt8(ascii: "["): return .array(try array(in: bytes, depth: depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(in: bytes))
    case UInt8(ascii: "t"): return try literal("true", as: .bool(true), in: bytes)
    case UInt8(ascii: "f"): return try literal("false", as: .bool(false), in: bytes)
    case UInt8(ascii: "n"): return try literal("null", as: .null, in: bytes)
    default: throw DocumentError(.invalidJSON, "a value was expected", at: position)
    }
  }

  /// Its bracket is at the position.
  private mutating func array(in bytes: Span<UInt8>, depth: Int) throws(DocumentError) -> [JSONValue] {
    position += 1
    skipWhiteSpace(in: bytes)
    var items: [JSONValue] = []
    if take(UInt8(ascii: "]"), in: bytes) { return items }
    while true {
      items.append(try value(in: bytes, depth: depth + 1))
      skipWhiteSpace(in: bytes)
      if take(UInt8(ascii: ","), in: bytes) {
        skipWhiteSpace(in: bytes)
      } else if take(UInt8(ascii: "]"), in: bytes) {
        return items
      } else {
        throw position < bytes.count
          ? DocumentError(.invalidJSON, "',' or ']' was expected", at: position) : endOfInput(bytes)
      }
    }
  }

  /// Room for the members of most objects, so that the array need not grow.
  private static let usualMemberCount = 12

  /// Its brace is at the position. Repeated and canonically equivalent names are refused.
  private mutating func object(in bytes: Span<UInt8>, depth: Int) throws(DocumentError) -> JSONObject {
    let start = position
    var members: [JSONObject.Element] = []
    var isSorted = true
    var isASCII = true
    try forEachMember(in: bytes, isASCII: &isASCII) { scanner, name throws(DocumentError) in
      if let last = members.last {
        if isSorted { isSorted = precedesInBytes(last.name, name) }
      } else {
        members.reserveCapacity(Self.usualMemberCount)
      }
      members.append((name, try scanner.value(in: bytes, depth: depth + 1)))
    }
    if !isSorted { members.sort { precedesInBytes($0.name, $1.name) } }
    guard areDistinct(members, isSorted: isSorted, isASCII: isASCII) else {
      throw repeatedName(inObjectAt: start, of: bytes, depth: depth)
    }
    return JSONObject(sorted: members)
  }

  /// Reads an object, whose brace is at the position; `body` reads the value of each member. Repeated names are not
  /// noticed here. `isASCII` becomes false with the first name that is not ASCII.
  @inline(__always)
  mutating func forEachMember(
    in bytes: Span<UInt8>, isASCII: inout Bool, _ body: (inout JSONScanner, String) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    position += 1
    skipWhiteSpace(in: bytes)
    if take(UInt8(ascii: "}"), in: bytes) { return }
    repeat {
      skipWhiteSpace(in: bytes)
      let name = try memberName(in: bytes, isASCII: &isASCII)
      try body(&self, name)
      skipWhiteSpace(in: bytes)
    } while take(UInt8(ascii: ","), in: bytes)
    guard take(UInt8(ascii: "}"), in: bytes) else {
      throw position < bytes.count
        ? DocumentError(.invalidJSON, "',' or '}' was expected", at: position) : endOfInput(bytes)
    }
  }

  /// Reads a member's name and the colon after it.
  mutating func memberName(in bytes: Span<UInt8>, isASCII: inout Bool) throws(DocumentError) -> String {
    guard position < bytes.count else { throw endOfInput(bytes) }
    guard bytes[position] == UInt8(ascii: "\"") else {
      throw DocumentError(.invalidJSON, "a member name in quotes was expected", at: position)
    }
    let name = try string(in: bytes)
    isASCII = isASCII && name.utf8Span.isKnownASCII
    skipWhiteSpace(in: bytes)
    guard take(UInt8(ascii: ":"), in: bytes) else {
      throw position < bytes.count ? DocumentError(.invalidJSON, "':' was expected", at: position) : endOfInput(bytes)
    }
    skipWhiteSpace(in: bytes)
    return name
  }

  /// The members are sorted. `isSorted` says that they were read in ascending order, so that no name is repeated.
  private func areDistinct(_ members: [JSONObject.Element], isSorted: Bool, isASCII: Bool) -> Bool {
    if !isSorted {
      for index in members.indices.dropFirst() where sameBytes(members[index - 1].name, members[index].name) {
        return false
      }
    }
    return isASCII || !CanonicalNames.collide(members)
  }

  /// Reads an object a second time to find the first repeated name; only used on failure.
  private func repeatedName(inObjectAt start: Int, of bytes: Span<UInt8>, depth: Int) -> DocumentError {
    var again = self
    again.position = start + 1
    var seen = Set<String>()
    var isASCII = true
    do throws(DocumentError) {
      repeat {
        again.skipWhiteSpace(in: bytes)
        let offset = again.position
        let name = try again.memberName(in: bytes, isASCII: &isASCII)
        if !seen.insert(CanonicalNames.key(for: name)).inserted { return DocumentError(.duplicateMember, at: offset) }
        _ = try again.value(in: bytes, depth: depth + 1)
        again.skipWhiteSpace(in: bytes)
      } while again.take(UInt8(ascii: ","), in: bytes)
    } catch { return error }
    return DocumentError(.duplicateMember, at: start)
  }

  private mutating func number(in bytes: Span<UInt8>) throws(DocumentError) -> JSONNumber {
    let start = position
    guard let end = JSONNumberGrammar.end(in: bytes, from: start) else {
      throw DocumentError(.invalidJSON, "a number is malformed", at: start)
    }
    guard end - start <= maximumNumberByteCount else { throw DocumentError(.numberTooLong, at: start) }
    position = end
    return JSONNumber(checked: try text(of: start..<end, in: bytes))
  }

  private mutating func literal(
    _ word: StaticString, as value: JSONValue, in bytes: Span<UInt8>
  ) throws(DocumentError) -> JSONValue {
    let start = position
    for expected in "\(word)".utf8 where !take(expected, in: bytes) {
      throw DocumentError(.invalidJSON, "a value was expected", at: start)
    }
    return value
  }

  @inline(__always)
  mutating func take(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  func endOfInput(_ bytes: Span<UInt8>) -> DocumentError {
    DocumentError(.invalidJSON, "the document ends too early", at: bytes.count)
  }
}
