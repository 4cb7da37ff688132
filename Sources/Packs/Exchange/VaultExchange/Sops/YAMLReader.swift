internal import CDynamicLibraries
internal import VaultCrypto
internal import VaultDocument
internal import VaultMarkup

/// Reads YAML with libyaml, which is loaded on first use.
///
/// Maps with text names, lists and scalars are read. Each scalar keeps its text. Anchors are refused, because they can
/// make a small file expand to a huge one.
struct YAMLReader {
  private static let maximumDepth = 64
  /// Tags of scalars, which declare a type and do not change the text.
  private static let scalarTags = Set(
    ["str", "int", "float", "bool", "null", "timestamp"].map { "tag:yaml.org,2002:\($0)" } + ["!", "!unsafe"])
  private var count = 0
  private let events: YAMLEvents

  /// The tree of the only document.
  static func node(of text: [UInt8]) throws(ExchangeError) -> SopsNode {
    let nodes = try nodes(of: text)
    guard nodes.count <= 1 else { throw ExchangeError(.unsupported, "has more than one document") }
    guard let node = nodes.first else { throw ExchangeError(.malformed, "has no document") }
    return node
  }

  static func nodes(of text: [UInt8]) throws(ExchangeError) -> [SopsNode] {
    var reader = YAMLReader(events: try ExchangeError.inMarkup { () throws(MarkupError) in try YAMLEvents(text) })
    guard try reader.next().kind == .streamStart else { throw ExchangeError(.malformed, "has no document") }
    var nodes: [SopsNode] = []
    while try reader.next().kind == .documentStart {
      nodes.append(try reader.node(try reader.next(), depth: 0))
      guard try reader.next().kind == .documentEnd else { throw ExchangeError(.malformed, "is not YAML") }
    }
    return nodes
  }

  private init(events: YAMLEvents) { self.events = events }

  private func next() throws(ExchangeError) -> YAMLEvents.Event {
    try ExchangeError.inMarkup { () throws(MarkupError) in try events.next() }
  }

  private mutating func node(_ event: YAMLEvents.Event, depth: Int) throws(ExchangeError) -> SopsNode {
    let place = SourcePlace(line: event.line)
    guard depth < Self.maximumDepth else {
      throw ExchangeError.tooDeep(at: place)
    }
    guard !event.hasAnchor else { throw ExchangeError(.unsupported, "YAML anchors are not supported", at: place) }
    switch event.kind {
    case .scalar:
      guard event.tag.map(Self.scalarTags.contains) ?? true else {
        throw ExchangeError(.unsupported, "YAML tags are not supported", at: place)
      }
      // The text is kept for every type: `007` is not 7. An empty plain scalar is null.
      let isPlain = event.isPlain && event.tag == nil
      let value: JSONValue = isPlain && event.text.isEmpty ? .null : .string(event.text)
      return .leaf(SopsLeaf(value: value, line: event.line, isPlain: isPlain))
    case .sequenceStart:
      var items: [SopsNode] = []
      var item = try next()
      while item.kind != .sequenceEnd {
        items.append(try node(item, depth: depth + 1))
        item = try next()
      }
      return .list(items)
    case .mappingStart: return .map(try members(depth: depth))
    default: throw ExchangeError(.unsupported, "YAML aliases are not supported", at: place)
    }
  }

  private mutating func members(depth: Int) throws(ExchangeError) -> [(name: String, node: SopsNode)] {
    var members: [(name: String, node: SopsNode)] = []
    var names: Set<[UInt8]> = []
    var name = try next()
    while name.kind != .mappingEnd {
      let place = SourcePlace(line: name.line)
      guard name.kind == .scalar, !name.hasAnchor else {
        throw ExchangeError(.unsupported, "a name is not text", at: place)
      }
      guard names.insert(Array(name.text.utf8)).inserted else {
        throw ExchangeError.repeatedMember(at: place)
      }
      members.append((name.text, try node(try next(), depth: depth + 1)))
      name = try next()
    }
    return members
  }
}
