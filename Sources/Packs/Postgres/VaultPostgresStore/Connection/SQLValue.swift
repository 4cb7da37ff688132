internal import VaultDocument

/// A statement with its values.
struct SQLStatement {
  let text: String
  var values: [SQLValue] = []

  init(_ text: String, _ values: [SQLValue] = []) { (self.text, self.values) = (text, values) }
}

/// A value of a statement: the number of its type in PostgreSQL, and its binary form.
package struct SQLValue {
  let type: UInt32
  /// Nil for SQL's NULL.
  let bytes: [UInt8]?

  static func number(_ value: Int64?) -> SQLValue { SQLValue(type: 20, bytes: value?.bigEndianBytes) }
  static func text(_ value: String) -> SQLValue { SQLValue(type: 25, bytes: Array(value.utf8)) }
  static func id(_ value: Identifier) -> SQLValue { SQLValue(type: 2950, bytes: value.bytes) }
  static func integer(_ value: Int32) -> SQLValue { SQLValue(type: 23, bytes: value.bigEndianBytes) }
  static func document(_ value: [UInt8]?) -> SQLValue { SQLValue(type: 17, bytes: value) }
  static func place(_ value: Int16) -> SQLValue { SQLValue(type: 21, bytes: value.bigEndianBytes) }

  static func numbers(_ values: [Int64?]) -> SQLValue { array(1016, of: 20, values.map { $0?.bigEndianBytes }) }
  static func integers(_ values: [Int32]) -> SQLValue { array(1007, of: 23, values.map(\.bigEndianBytes)) }
  static func places(_ values: [Int16]) -> SQLValue { array(1005, of: 21, values.map(\.bigEndianBytes)) }
  static func ids(_ values: [Identifier]) -> SQLValue { array(2951, of: 2950, values.map(\.bytes)) }
  static func documents(_ values: [[UInt8]?]) -> SQLValue { array(1001, of: 17, values) }

  /// The binary form of an array of one dimension (PostgreSQL's `array_recv`).
  private static func array(_ type: UInt32, of element: UInt32, _ values: [[UInt8]?]) -> SQLValue {
    var bytes: [UInt8] = []
    for number in [values.isEmpty ? 0 : 1, 1, Int32(bitPattern: element)] { bytes += number.bigEndianBytes }
    if !values.isEmpty { bytes += Int32(values.count).bigEndianBytes + Int32(1).bigEndianBytes }
    for value in values { bytes.appendField(value) }
    return SQLValue(type: type, bytes: bytes)
  }
}

extension [UInt8] {
  /// Appends a field after its length, as in arrays and COPY; nil is NULL.
  mutating func appendField(_ value: [UInt8]?) {
    self += Int32(value?.count ?? -1).bigEndianBytes
    if let value { self += value }
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }

  /// Nil for a wrong number of bytes.
  init?(bigEndianBytes bytes: [UInt8]) {
    guard bytes.count == Self.bitWidth / 8 else { return nil }
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}

/// One row of an answer. Values from the server are checked by their type, or refused.
package struct SQLRow {
  let cells: [[UInt8]?]

  func number(_ column: Int) throws(ServerFault) -> Int64 {
    guard let value = Int64(bigEndianBytes: try bytes(column)) else { throw .malformed }
    return value
  }

  func integer(_ column: Int) throws(ServerFault) -> Int {
    guard let value = Int32(bigEndianBytes: try bytes(column)) else { throw .malformed }
    return Int(value)
  }

  func place(_ column: Int) throws(ServerFault) -> Int16 {
    guard let value = Int16(bigEndianBytes: try bytes(column)) else { throw .malformed }
    return value
  }

  func id(_ column: Int) throws(ServerFault) -> Identifier {
    let bytes = try bytes(column)
    guard bytes.count == Identifier.byteCount else { throw .malformed }
    return Identifier(bytes: bytes)
  }

  func isTrue(_ column: Int) throws(ServerFault) -> Bool {
    switch try bytes(column) {
    case [0]: false
    case [1]: true
    default: throw .malformed
    }
  }

  /// At most 200 characters without terminal controls.
  package func text(_ column: Int) throws(ServerFault) -> String? {
    try optionalBytes(column).map(ServerFault.printable)
  }

  func bytes(_ column: Int) throws(ServerFault) -> [UInt8] {
    guard let bytes = try optionalBytes(column) else { throw .malformed }
    return bytes
  }

  func optionalBytes(_ column: Int) throws(ServerFault) -> [UInt8]? {
    guard cells.indices.contains(column) else { throw .malformed }
    return cells[column]
  }
}
