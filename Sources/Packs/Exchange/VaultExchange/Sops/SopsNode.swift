internal import VaultDocument

/// A document in file order, which the MAC of sops needs.
indirect enum SopsNode {
  case map([(name: String, node: SopsNode)])
  case list([SopsNode])
  case leaf(SopsLeaf)

  subscript(name: String) -> SopsNode? {
    guard case .map(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.node
  }

  /// The text of a leaf; empty for null.
  var text: String? {
    guard case .leaf(let leaf) = self else { return nil }
    return leaf.text
  }

  /// The document without the order of its members.
  var value: JSONValue {
    switch self {
    case .leaf(let leaf): leaf.value
    case .list(let items): .array(items.map(\.value))
    case .map(let members):
      .object(
        members.reduce(into: JSONObject()) { object, member in object[member.name] = member.node.value })
    }
  }

  var items: [SopsNode] {
    guard case .list(let items) = self else { return [] }
    return items
  }
}

/// A value of a document: in JSON a text, number, boolean or null; in YAML a text, or null if it is empty.
struct SopsLeaf {
  let value: JSONValue
  /// The line, if the format has meaningful lines.
  var line: Int?
  /// Whether it is an unquoted YAML scalar, which sops may read as a number or another type.
  var isPlain = false

  /// The value with the type that sops gives it.
  var typed: JSONValue { isPlain ? SopsScalar.value(of: value.leafText) : value }

  /// The text in the file; empty for null.
  var text: String { typed.isNull ? "" : value.leafText }
}

/// Reads JSON with the order of its members, which the usual parser does not keep.
struct SopsJSONReader {
  private let text: [UInt8]
  private var index = 0

  static func node(of text: [UInt8]) throws(ExchangeError) -> SopsNode {
    // The reader relies on this check: valid JSON, limited depth, no repeated names.
    _ = try JSONReading.value(of: text)
    var reader = SopsJSONReader(text: text)
    return try reader.value()
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func value() throws(ExchangeError) -> SopsNode {
    switch next() {
    case UInt8(ascii: "{"):
      var members: [(name: String, node: SopsNode)] = []
      try forEachItem(until: UInt8(ascii: "}")) { reader throws(ExchangeError) in
        let name = try reader.scalar().string ?? ""
        _ = reader.next()
        reader.index += 1
        members.append((name, try reader.value()))
      }
      return .map(members)
    case UInt8(ascii: "["):
      var items: [SopsNode] = []
      try forEachItem(until: UInt8(ascii: "]")) { reader throws(ExchangeError) in items.append(try reader.value()) }
      return .list(items)
    default: return .leaf(SopsLeaf(value: try scalar()))
    }
  }

  private mutating func forEachItem(
    until end: UInt8, _ body: (inout SopsJSONReader) throws(ExchangeError) -> Void
  ) throws(ExchangeError) {
    index += 1
    while next() != end {
      try body(&self)
      if next() == UInt8(ascii: ",") { index += 1 }
    }
    index += 1
  }

  private mutating func scalar() throws(ExchangeError) -> JSONValue {
    _ = next()
    let start = index
    if text[index] == UInt8(ascii: "\"") {
      index += 1
      while text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
      index += 1
    } else {
      let ends = Array(",:]} \t\r\n".utf8)
      while index < text.count, !ends.contains(text[index]) { index += 1 }
    }
    return try JSONReading.value(of: Array(text[start..<index]))
  }

  /// Moves to the next byte that is not white space, and returns it; 0 at the end.
  private mutating func next() -> UInt8 {
    while index < text.count, text[index] <= UInt8(ascii: " ") { index += 1 }
    return index < text.count ? text[index] : 0
  }
}
