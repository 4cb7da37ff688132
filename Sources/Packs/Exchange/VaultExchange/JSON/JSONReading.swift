internal import VaultDocument

enum JSONReading {
  /// The whole source as JSON, in the encoding that it declares.
  static func value(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> JSONValue {
    try value(of: try text(of: source, options: options))
  }

  static func text(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> [UInt8] {
    text(of: try source.readAll(), options: options)
  }

  static func text(of bytes: [UInt8], options: ImportOptions) -> [UInt8] {
    var decoder = TextDecoder(options.encoding)
    return decoder.decode(bytes) + decoder.decode([])
  }

  /// Parses JSON; `line` is the line number of its beginning.
  static func value(of text: [UInt8], line: Int = 1) throws(ExchangeError) -> JSONValue {
    do throws(DocumentError) {
      return try JSONParser.parse(text, limits: .exchange)
    } catch {
      let place = SourcePlace(line: error.line.map { $0 + line - 1 }, column: error.column)
      switch error.code {
      case .invalidUTF8, .loneSurrogate, .byteOrderMark:
        throw ExchangeError.invalidText(at: place)
      case .tooDeep: throw ExchangeError.tooDeep(at: place)
      case .tooLarge, .numberTooLong:
        throw ExchangeError(.tooLarge, "the text is larger than the limit of its format", at: place)
      case .duplicateMember: throw ExchangeError.repeatedMember(at: place)
      default: throw ExchangeError(.malformed, "the text is not valid JSON", at: place)
      }
    }
  }
}

extension JSONValue {
  /// A text, number or boolean as text; empty for null, objects and lists.
  var leafText: String {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    case .bool(let flag): flag ? "true" : "false"
    case .null, .object, .array: ""
    }
  }

  /// Whether the value is a scalar, or an empty object or list.
  var isLeaf: Bool {
    switch self {
    case .object(let object): object.isEmpty
    case .array(let items): items.isEmpty
    default: true
    }
  }

  /// How many leaves are below the value. The count stops at `limit` + 1.
  func leafCount(limit: Int) -> Int {
    if isLeaf { return 1 }
    var count = 0
    for child in object.map({ $0.map(\.value) }) ?? array ?? [] where count <= limit {
      count += child.leafCount(limit: limit - count)
    }
    return count
  }

  var children: [(component: MemberPath.Component, value: JSONValue)] {
    switch self {
    case .object(let object): object.map { (.member($0.name), $0.value) }
    case .array(let items): items.enumerated().map { (.index($0.offset), $0.element) }
    default: []
    }
  }

  /// The leaves below `path`, in order.
  func leafPaths(at path: MemberPath) -> [(path: MemberPath, value: JSONValue)] {
    if isLeaf { return [(path, self)] }
    return children.flatMap { $0.value.leafPaths(at: MemberPath(path.components + [$0.component])) }
  }

  /// A ledger line for each leaf: `outcome`, or empty if the leaf is empty.
  func lines(at path: MemberPath, _ outcome: LedgerLine.Outcome) -> [LedgerLine] {
    leafPaths(at: path).map { leaf in
      LedgerLine(SourcePlace(path: leaf.path.description), leaf.value.leafText.isEmpty ? .empty : outcome)
    }
  }
}
