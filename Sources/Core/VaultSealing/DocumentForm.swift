#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
public import VaultDocument

/// The forms of a document that every Codable type can take, with its sealed members sealed.
public enum DocumentForm: Sendable, CaseIterable {
  /// In the form of our own writer.
  case json
  /// A property list in XML; dates in it have whole seconds.
  case propertyList
  /// A binary property list. For Codable values, Foundation writes canonically equal strings only once, in the form of
  /// the first. Trees keep each string.
  case binaryPropertyList

  /// Writes a value and seals its sealed members with `context`. Without a context it must not have any.
  ///
  /// - Throws: `EncodingError` without any value, with a ``SealingError`` in it if a member was not sealed;
  ///   `DocumentError` beyond the limits; other errors of the value.
  public func encode(_ value: some Encodable, with context: SealingContext? = nil) throws -> [UInt8] {
    do {
      return try bytes(of: value, context)
    } catch {
      throw error.withoutValue
    }
  }

  /// Writes a tree, keeping every name and text byte by byte.
  ///
  /// - Throws: `EncodingError`, without any value, if the form cannot hold the tree; `DocumentError` beyond the limits.
  public func encode(_ tree: JSONValue) throws -> [UInt8] {
    switch self {
    case .json: try tree.prettyBytes(limits: .exchange)
    case .propertyList: try encode(tree, with: nil)
    case .binaryPropertyList: try BinaryPropertyListWriter.bytes(of: tree)
    }
  }

  private func bytes(of value: some Encodable, _ context: SealingContext?) throws -> [UInt8] {
    switch self {
    case .json:
      let encoder = JSONEncoder.plain(userInfo: context)
      return try JSONParser.parse([UInt8](encoder.encode(value)), limits: .exchange).prettyBytes(limits: .exchange)
    case .propertyList, .binaryPropertyList:
      let encoder = PropertyListEncoder()
      encoder.outputFormat = self == .propertyList ? .xml : .binary
      encoder.userInfo[SealingContext.userInfoKey] = context
      return [UInt8](try encoder.encode(value))
    }
  }

  /// Reads a value and opens its sealed members with `context`. Without a context it must not have any.
  ///
  /// Property lists are read in either form. JSON is read strictly.
  ///
  /// - Throws: `DecodingError`, with a ``SealingError`` in it if a member does not open; `DocumentError` if the text is
  ///   not JSON.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from bytes: [UInt8], with context: SealingContext? = nil
  ) throws -> Value {
    switch self {
    case .json:
      let tree = try JSONParser.parse(bytes, limits: .exchange)
      return try JSONDecoder.plain(userInfo: context).decode(type, from: Data(tree.compactBytes(limits: .exchange)))
    case .propertyList, .binaryPropertyList:
      let decoder = PropertyListDecoder()
      decoder.userInfo[SealingContext.userInfoKey] = context
      return try decoder.decode(type, from: Data(bytes))
    }
  }
}
