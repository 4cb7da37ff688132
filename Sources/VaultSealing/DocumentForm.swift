#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import VaultDocument

/// The forms of a document that every Codable type can take, with its sealed members sealed.
public enum DocumentForm: Sendable, CaseIterable {
  /// As our own writer prints it.
  case json
  /// A property list in XML; dates in it have whole seconds.
  case propertyList
  case binaryPropertyList

  /// Writes a value whose sealed members are sealed with `context`; without one there must be none.
  ///
  /// - Throws: `EncodingError` without any value, with ``SealingError`` in it where a member was not sealed;
  ///   `DocumentError` beyond the limits; what else the value throws.
  public func encode(_ value: some Encodable, with context: SealingContext? = nil) throws -> [UInt8] {
    do {
      return try bytes(of: value, context)
    } catch {
      throw error.withoutValue
    }
  }

  private func bytes(of value: some Encodable, _ context: SealingContext?) throws -> [UInt8] {
    switch self {
    case .json:
      let encoder = JSONEncoder.plain(userInfo: context)
      return try JSONParser.parse([UInt8](encoder.encode(value)), limits: .list).prettyBytes(limits: .list)
    case .propertyList, .binaryPropertyList:
      let encoder = PropertyListEncoder()
      encoder.outputFormat = self == .propertyList ? .xml : .binary
      encoder.userInfo[SealingContext.userInfoKey] = context
      return [UInt8](try encoder.encode(value))
    }
  }

  /// Reads a value whose sealed members are opened with `context`; without one there must be none.
  ///
  /// Property lists are read in either form. JSON is read strictly.
  ///
  /// - Throws: `DecodingError`, with ``SealingError`` in it where a member does not open; `DocumentError` for text that
  ///   is no JSON.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from bytes: [UInt8], with context: SealingContext? = nil
  ) throws -> Value {
    switch self {
    case .json:
      let tree = try JSONParser.parse(bytes, limits: .list)
      return try JSONDecoder.plain(userInfo: context).decode(type, from: Data(tree.compactBytes(limits: .list)))
    case .propertyList, .binaryPropertyList:
      let decoder = PropertyListDecoder()
      decoder.userInfo[SealingContext.userInfoKey] = context
      return try decoder.decode(type, from: Data(bytes))
    }
  }
}
