internal import VaultDocument
internal import VaultSealing

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Any property list: an array of dictionaries, or one dictionary.
struct PropertyListImporter: Importer {
  let format = ImportFormat(
    "plist", title: "Any list of dictionaries, property list", versions: "XML and binary",
    keeps: "as plain-json; dates as ISO 8601, data as base64", isGeneral: true)

  static let maximumByteCount = 64 << 20
  static let maximumValueCount = 2_000_000

  func detects(_ sample: ImportSample) -> Bool {
    if sample.head.starts(with: Array("bplist".utf8)) { return true }
    return sample.head.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
      && !sample.head.ranges(of: Array("<plist".utf8)).isEmpty
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = try source.readAll(limit: Self.maximumByteCount)
    let rules = try FieldRules(options)
    let isBinary = bytes.starts(with: Array("bplist".utf8))
    let value = isBinary ? try Self.binary(bytes) : try PropertyListXML.value(of: bytes)
    return try rules.items(of: value, format, named: source.name)
  }

  private static func binary(_ bytes: [UInt8]) throws(ExchangeError) -> JSONValue {
    guard let expected = BinaryPropertyListSize.count(bytes, limit: maximumValueCount) else {
      throw ExchangeError(.tooLarge, "has too many or too deeply nested values, or is damaged")
    }
    let value: JSONValue
    do {
      value = try DocumentForm.binaryPropertyList.decode(PropertyListValue.self, from: bytes).value
    } catch {
      throw ExchangeError(.malformed, "is not a property list", underlying: error)
    }
    // Foundation silently keeps only one of two canonically equal names.
    guard value.count == expected else { throw PropertyListXML.twin }
    return value
  }
}

extension JSONValue {
  /// How many values it contains, with itself and the member names.
  fileprivate var count: Int {
    children.reduce(1 + (object?.count ?? 0)) { $0 + $1.value.count }
  }
}

private struct PropertyListValue: Decodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let value: JSONValue

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Name.self) {
      value = .object(
        try JSONObject(
          container.allKeys.map { ($0.stringValue, try container.decode(PropertyListValue.self, forKey: $0).value) }))
    } else if var container = try? decoder.unkeyedContainer() {
      var items: [JSONValue] = []
      while !container.isAtEnd { items.append(try container.decode(PropertyListValue.self).value) }
      value = .array(items)
    } else {
      value = try Self.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let number = try? container.decode(Int64.self) { return .number(JSONNumber(Int(number))) }
    if let number = try? container.decode(UInt64.self) {
      return JSONNumber(literal: "\(number)").map { .number($0) } ?? .string("\(number)")
    }
    if let text = try? container.decode(String.self) { return .string(text) }
    if let date = try? container.decode(Date.self) { return .string(try date.timestamp().text) }
    if let data = try? container.decode(Data.self) { return .string(Base64.encode([UInt8](data))) }
    let double = try container.decode(Double.self)
    return JSONNumber(literal: SopsValueText.decimal(double)).map { .number($0) } ?? .string("\(double)")
  }
}

extension Date {
  fileprivate func timestamp() throws -> Timestamp {
    let milliseconds = Int64((timeIntervalSince1970 * 1000).rounded())
    let rest = ((milliseconds % 1000) + 1000) % 1000
    return try Timestamp(secondsSinceEpoch: (milliseconds - rest) / 1000, nanoseconds: Int32(rest) * 1_000_000)
  }
}
