/// The readable values of one record in searchable form: lower case, one after the other.
///
/// In normal form C, which nearly all texts have, canonically equivalent texts are equal bytes. A value that may not be
/// in it is marked, and so is its record.
package struct RecordText: Sendable {
  /// Before each value. Like the next two, it is not a byte of UTF-8.
  private static let begin: UInt8 = 0xFF
  /// After `begin`: the value may not be in normal form C.
  private static let irregular: UInt8 = 0xFE
  /// After `begin`: the value is true or false, which only a condition finds.
  private static let flag: UInt8 = 0xFD

  package private(set) var bytes: [UInt8] = []
  private(set) var isIrregular = false

  package init() {}

  package mutating func add(_ value: String) {
    bytes.append(Self.begin)
    guard let key = Self.key(of: value) else {
      isIrregular = true
      bytes.append(Self.irregular)
      bytes += value.lowercased().utf8
      return
    }
    bytes += key
  }

  package mutating func add(_ value: Bool) {
    bytes += [Self.begin, Self.flag]
    bytes += String(value).utf8
  }

  /// Bytes that are equal and ordered exactly like the lower-case text; nil if that is not certain.
  package static func key(of text: String) -> [UInt8]? {
    let lowercased = text.lowercased()
    var span = lowercased.utf8Span
    // The full check would sort runs of combining marks, which can be endless in a hostile text.
    guard span.isKnownASCII || span.checkForNFC(quickCheck: true) else { return nil }
    return Array(lowercased.utf8)
  }

  /// Whether one of the values, in lower case, satisfies `matches`.
  ///
  /// - Parameter probe: bytes that a matching value in normal form C contains.
  package static func contains(
    _ bytes: UnsafeRawBufferPointer, probe: [UInt8], where matches: (String) -> Bool
  ) -> Bool {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      unsafe rest = rest.dropFirst()
      let value = unsafe rest.prefix { $0 != begin }
      unsafe rest = rest.dropFirst(value.count)
      let isIrregular = unsafe value.first == irregular
      if unsafe value.first == flag { continue }
      let text = unsafe isIrregular ? value.dropFirst() : value
      guard unsafe isIrregular || UnsafeRawBufferPointer(rebasing: text).firstOffset(of: probe) != nil else { continue }
      if unsafe matches(String(decoding: text, as: UTF8.self)) { return true }
    }
    return false
  }
}
