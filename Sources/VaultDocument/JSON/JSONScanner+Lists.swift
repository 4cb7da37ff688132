/// Reads a text that comes in pieces, of which only a window is in memory, and hands over the items of one long list in
/// it.
///
/// What was read of the window counts only if it ends before the window does, or the text does: else more is taken in,
/// and the same is read again.
struct JSONListReader {
  /// More is taken in when less than this is left.
  private static let reserveByteCount = 16 << 10

  private var scanner: JSONScanner
  private var window: [UInt8] = []
  private var isWhole = false
  /// How many bytes were taken in.
  private var byteCount = 0
  private let byteLimit: Int
  private var start = TextPlace()
  private let next: () -> [UInt8]

  /// - Parameter next: gives the next piece of the text; empty at its end.
  init(limits: JSONLimits, from next: @escaping () -> [UInt8]) {
    scanner = JSONScanner(limits: limits)
    byteLimit = limits.byteCount
    self.next = next
  }

  /// Reads a document whose member `list` is handed over if it is an object; see
  /// ``JSONParser/parse(_:limits:handingOver:to:)``.
  mutating func document(
    handingOver list: String, to body: (String, JSONValue) -> Void
  ) throws(DocumentError) -> JSONValue {
    guard try begins(with: UInt8(ascii: "{")) else { return try rest() }
    let start = start.after(window[..<scanner.position])
    var members: [(String, JSONValue)] = []
    var goesOn = try enters(before: UInt8(ascii: "}"))
    while goesOn {
      let (name, value) = try member(depth: 2, skipping: list)
      if value == nil {
        var hasNext = try enters(before: UInt8(ascii: "}"))
        while hasNext {
          let (name, value) = try member(depth: 3)
          if let value { body(name, value) }
          hasNext = try goesOnAfterMember()
        }
      }
      members.append((name, value ?? .object(JSONObject())))
      goesOn = try goesOnAfterMember()
    }
    try end()
    guard let object = try? JSONObject(members) else {
      throw DocumentError(code: .duplicateMember, reason: nil, line: start.line, column: start.column)
    }
    return .object(object)
  }
}

extension JSONListReader {
  private mutating func begins(with bracket: UInt8) throws(DocumentError) -> Bool {
    try step { scanner, bytes throws(JSONFailure) in
      try scanner.begin(bytes)
      return scanner.position < bytes.count && bytes[scanner.position] == bracket
    }
  }

  /// Goes past the opening bracket; returns whether anything stands before the closing one.
  private mutating func enters(before bracket: UInt8) throws(DocumentError) -> Bool {
    try step { scanner, bytes throws(JSONFailure) in
      scanner.position += 1
      scanner.skipWhiteSpace(in: bytes)
      return !scanner.take(bracket, in: bytes)
    }
  }

  /// A member's name and its value, which is left where it is and nil for an object of the name `list`.
  private mutating func member(depth: Int, skipping list: String? = nil) throws(DocumentError) -> (String, JSONValue?) {
    try step { scanner, bytes throws(JSONFailure) in
      scanner.skipWhiteSpace(in: bytes)
      var isASCII = true
      let name = try scanner.memberName(in: bytes, isASCII: &isASCII)
      if let list, sameBytes(name, list), scanner.position < bytes.count, bytes[scanner.position] == UInt8(ascii: "{") {
        return (name, nil)
      }
      return (name, try scanner.value(in: bytes, depth: depth))
    }
  }

  private mutating func goesOnAfterMember() throws(DocumentError) -> Bool {
    try step { scanner, bytes throws(JSONFailure) in
      try scanner.goesOn(in: bytes, before: UInt8(ascii: "}"), "',' or '}' was expected")
    }
  }

  /// The value that the document is, of which nothing is handed over.
  private mutating func rest() throws(DocumentError) -> JSONValue {
    let value = try step { scanner, bytes throws(JSONFailure) in try scanner.value(in: bytes, depth: 1) }
    try end()
    return value
  }

  private mutating func end() throws(DocumentError) {
    try step { scanner, bytes throws(JSONFailure) in try scanner.end(bytes) }
  }

  private mutating func step<Result>(
    _ read: (inout JSONScanner, Span<UInt8>) throws(JSONFailure) -> Result
  ) throws(DocumentError) -> Result {
    if !isWhole, window.count - scanner.position < Self.reserveByteCount { try takeMore() }
    while true {
      var attempt = scanner
      do throws(JSONFailure) {
        let result = try read(&attempt, window.span)
        if isWhole || attempt.position < window.count {
          scanner = attempt
          return result
        }
      } catch {
        if isWhole { throw error.located(in: window.span, from: start) }
      }
      try takeMore()
    }
  }

  /// Drops what was read and doubles what is left, at least.
  private mutating func takeMore() throws(DocumentError) {
    start = start.after(window[..<scanner.position])
    window.removeFirst(scanner.position)
    scanner.position = 0
    let wanted = max(2 * window.count, Self.reserveByteCount)
    while !isWhole, window.count < wanted {
      let piece = next()
      isWhole = piece.isEmpty
      byteCount += piece.count
      guard byteCount <= byteLimit else { throw DocumentError(code: .tooLarge) }
      if window.isEmpty { window = piece } else { window += piece }
    }
  }
}

extension JSONScanner {
  /// Goes past the comma, or the closing bracket, after an item; returns whether it was a comma.
  fileprivate mutating func goesOn(
    in bytes: Span<UInt8>, before bracket: UInt8, _ expectation: StaticString
  ) throws(JSONFailure) -> Bool {
    skipWhiteSpace(in: bytes)
    if take(UInt8(ascii: ","), in: bytes) {
      skipWhiteSpace(in: bytes)
      return true
    }
    if take(bracket, in: bytes) { return false }
    throw position < bytes.count ? JSONFailure(.invalidJSON, expectation, at: position) : endOfInput(bytes)
  }
}
