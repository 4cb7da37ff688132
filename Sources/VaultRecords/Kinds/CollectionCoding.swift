internal import VaultDocument

// Lists and maps of records are absent rather than empty in their JSON, so that a record has no lines that say nothing.

extension KeyedDecodingContainer {
  /// A list; empty where there is none.
  func decodeList<Item: Decodable>(forKey key: Key) throws -> [Item] {
    try decode(forKey: key, default: [])
  }

  /// A map; empty where there is none.
  func decodeMap<Value: Decodable>(forKey key: Key) throws -> [String: Value] {
    try decode(forKey: key, default: [:])
  }
}

extension KeyedEncodingContainer {
  mutating func encodeUnlessEmpty(_ value: some Encodable & Collection, forKey key: Key) throws {
    if !value.isEmpty { try encode(value, forKey: key) }
  }
}
