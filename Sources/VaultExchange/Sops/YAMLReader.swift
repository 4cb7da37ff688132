internal import CDynamicLibraries
internal import VaultCrypto
internal import VaultDocument

/// Reads the YAML that sops writes, with libyaml, which is opened when the first file is met.
///
/// One document of maps with text for names, lists and scalars. Anchors are refused, and with them every way to make a
/// small file a large one.
struct YAMLReader {
  private static let maximumDepth = 64
  private var count = 0
  private let events: YAMLEvents

  /// The only document as a tree.
  ///
  /// - Throws: ``ExchangeError`` `.malformed`, `.unsupported`, `.tooLarge`, with the line.
  static func node(of text: [UInt8]) throws(ExchangeError) -> SopsNode {
    let nodes = try nodes(of: text)
    guard nodes.count <= 1 else { throw ExchangeError(.unsupported, "has more than one document") }
    guard let node = nodes.first else { throw ExchangeError(.malformed, "has no document") }
    return node
  }

  /// All documents.
  ///
  /// - Throws: as ``node(of:)``.
  static func nodes(of text: [UInt8]) throws(ExchangeError) -> [SopsNode] {
    var reader = YAMLReader(events: try YAMLEvents(text))
    guard try reader.events.next().kind == .streamStart else { throw ExchangeError(.malformed, "has no document") }
    var nodes: [SopsNode] = []
    while try reader.events.next().kind == .documentStart {
      nodes.append(try reader.node(try reader.events.next(), depth: 0))
      guard try reader.events.next().kind == .documentEnd else { throw ExchangeError(.malformed, "is no YAML") }
    }
    return nodes
  }

  private init(events: YAMLEvents) { self.events = events }

  private mutating func node(_ event: YAMLEvents.Event, depth: Int) throws(ExchangeError) -> SopsNode {
    let place = SourcePlace(line: event.line)
    guard depth < Self.maximumDepth else {
      throw ExchangeError(.tooLarge, "is nested deeper than any file of its kind", at: place)
    }
    guard !event.hasAnchor else { throw ExchangeError(.unsupported, "uses anchors, which are not read", at: place) }
    switch event.kind {
    case .scalar: return .leaf(try YAMLScalar.value(of: event), line: event.line)
    case .sequenceStart:
      var items: [SopsNode] = []
      var next = try events.next()
      while next.kind != .sequenceEnd {
        items.append(try node(next, depth: depth + 1))
        next = try events.next()
      }
      return .list(items)
    case .mappingStart: return .map(try members(depth: depth))
    default: throw ExchangeError(.unsupported, "uses aliases, which are not read", at: place)
    }
  }

  private mutating func members(depth: Int) throws(ExchangeError) -> [(name: String, node: SopsNode)] {
    var members: [(name: String, node: SopsNode)] = []
    var names: Set<[UInt8]> = []
    var next = try events.next()
    while next.kind != .mappingEnd {
      let place = SourcePlace(line: next.line)
      guard next.kind == .scalar, !next.hasAnchor else {
        throw ExchangeError(.unsupported, "has a name that is no text", at: place)
      }
      guard names.insert(Array(next.text.utf8)).inserted else {
        throw ExchangeError(.malformed, "has a member twice in one object", at: place)
      }
      let name = next.text
      members.append((name, try node(try events.next(), depth: depth + 1)))
      next = try events.next()
    }
    return members
  }
}

/// What a scalar without quotes stands for (YAML 1.2.2, section 10.3.2, and the words that sops takes beside).
private enum YAMLScalar {
  static func value(of event: YAMLEvents.Event) throws(ExchangeError) -> JSONValue {
    let place = SourcePlace(line: event.line)
    if let tag = event.tag {
      guard tag == "tag:yaml.org,2002:str" || tag == "!" else {
        throw ExchangeError(.unsupported, "uses tags, which are not read", at: place)
      }
      return .string(event.text)
    }
    guard event.isPlain else { return .string(event.text) }
    switch event.text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF", "+.inf":
      throw ExchangeError(.unsupported, "holds a number that is none", at: place)
    default: return number(event.text).map { .number($0) } ?? .string(event.text)
    }
  }

  private static func number(_ text: String) -> JSONNumber? {
    let digits = text.filter { $0 != "_" }
    guard let first = digits.utf8.first, (0x30...0x39).contains(first) || "+-.".utf8.contains(first) else { return nil }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      return Int(digits.dropFirst(2), radix: radix).map { JSONNumber($0) }
    }
    if let int = Int(digits) {
      // A leading zero makes it octal.
      let isOctal = digits.hasPrefix("0") && digits.utf8.count > 1
      return isOctal ? Int(digits, radix: 8).map { JSONNumber($0) } : JSONNumber(int)
    }
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let double = Double(digits) else {
      return nil
    }
    return JSONNumber(literal: SopsValueText.decimal(double))
  }
}
