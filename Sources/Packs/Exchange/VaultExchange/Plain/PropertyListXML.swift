internal import VaultDocument
internal import VaultMarkup

/// An XML property list as JSON. Numbers and dates keep their text.
enum PropertyListXML {
  static let twin = ExchangeError(.malformed, "has the same name twice in one dictionary")

  static func value(of bytes: [UInt8]) throws(ExchangeError) -> JSONValue {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      throw ExchangeError(.invalidText, "is not valid UTF-8")
    }
    let bytes = withoutDocumentType(bytes)
    let root = try ExchangeError.xmlRoot(of: bytes)
    guard root.name == "plist", root.children.count == 1 else { throw fault(root) }
    return try value(of: root.children[0])
  }

  /// Replaces the document type of a property list with spaces. The reader refuses a document type that defines
  /// entities.
  private static func withoutDocumentType(_ bytes: [UInt8]) -> [UInt8] {
    guard let start = bytes.firstRange(of: Array("<!DOCTYPE plist".utf8))?.lowerBound,
      let content = bytes.firstRange(of: Array("<plist".utf8))?.lowerBound, start < content,
      let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")), end < content,
      !bytes[start...end].contains(UInt8(ascii: "["))
    else { return bytes }
    var bytes = bytes
    for index in start...end where bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
    return bytes
  }

  private static func value(of element: XMLElement) throws(ExchangeError) -> JSONValue {
    let text = String(element.text.trimmingSpaces)
    guard element.children.isEmpty || text.isEmpty && ["dict", "array"].contains(element.name) else {
      throw fault(element)
    }
    switch element.name {
    case "string": return .string(element.text)
    case "integer", "real", "date":
      guard !text.isEmpty else { throw fault(element) }
      return .string(text)
    case "true": return true
    case "false": return false
    case "data":
      let data = text.filter { !$0.isWhitespace }
      guard (try? Base64.decode(data)) != nil else { throw fault(element) }
      return .string(data)
    case "array":
      var items: [JSONValue] = []
      for child in element.children { items.append(try value(of: child)) }
      return .array(items)
    case "dict": return .object(try members(of: element))
    default: throw fault(element)
    }
  }

  private static func members(of dictionary: XMLElement) throws(ExchangeError) -> JSONObject {
    var members: [(String, JSONValue)] = []
    var rest = dictionary.children[...]
    while let key = rest.popFirst() {
      guard key.name == "key", key.children.isEmpty, let child = rest.popFirst() else { throw fault(key) }
      members.append((key.text, try value(of: child)))
    }
    // Canonically equal names are refused as well, because most readers keep only one of them.
    guard let object = try? JSONObject(members) else { throw twin }
    return object
  }

  private static func fault(_ element: XMLElement) -> ExchangeError {
    ExchangeError(.malformed, "the element does not belong to a property list", at: SourcePlace(line: element.line))
  }
}
