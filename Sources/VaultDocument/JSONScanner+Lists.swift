extension JSONScanner {
  /// Reads a document as ``document(in:)`` does, but for the members of its member `list`, which `body` gets instead.
  mutating func document(
    in bytes: Span<UInt8>, handingOver list: String, to body: (String, JSONValue) -> Void
  ) throws(JSONFailure) -> JSONValue {
    try begin(bytes)
    guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return try rest(of: bytes) }
    let start = position
    var members: [(String, JSONValue)] = []
    var isASCII = true
    try forEachMember(in: bytes, isASCII: &isASCII) { scanner, name throws(JSONFailure) in
      let isList = scanner.position < bytes.count && bytes[scanner.position] == UInt8(ascii: "{")
      if isList, sameBytes(name, list) {
        var isListASCII = true
        try scanner.forEachMember(in: bytes, isASCII: &isListASCII) { scanner, name throws(JSONFailure) in
          body(name, try scanner.value(in: bytes, depth: 3))
        }
        members.append((name, .object(JSONObject())))
      } else {
        members.append((name, try scanner.value(in: bytes, depth: 2)))
      }
    }
    try end(bytes)
    guard let object = try? JSONObject(members) else { throw JSONFailure(.duplicateMember, at: start) }
    return .object(object)
  }

  private mutating func rest(of bytes: Span<UInt8>) throws(JSONFailure) -> JSONValue {
    let value = try value(in: bytes, depth: 1)
    try end(bytes)
    return value
  }
}
