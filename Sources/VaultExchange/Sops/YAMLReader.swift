internal import CDynamicLibraries
internal import VaultCrypto
internal import VaultDocument

/// Reads YAML with libyaml, which is opened when the first file is met.
///
/// Maps with text for names, lists and scalars, each of which keeps the text that the file has. Anchors are refused,
/// and with them every way to make a small file a large one.
struct YAMLReader {
  private static let maximumDepth = 64
  /// Tags of scalars, which say a type and change no text.
  private static let scalarTags = Set(
    ["str", "int", "float", "bool", "null", "timestamp"].map { "tag:yaml.org,2002:\($0)" } + ["!", "!unsafe"])
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
    case .scalar:
      guard event.tag.map(Self.scalarTags.contains) ?? true else {
        throw ExchangeError(.unsupported, "uses tags, which are not read", at: place)
      }
      // The text is kept whatever type it has: `007` is not 7. An empty plain scalar has no text.
      let isPlain = event.isPlain && event.tag == nil
      let value: JSONValue = isPlain && event.text.isEmpty ? .null : .string(event.text)
      return .leaf(SopsLeaf(value: value, line: event.line, isPlain: isPlain))
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
