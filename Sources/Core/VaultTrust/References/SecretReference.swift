public import VaultDocument
internal import VaultRecords

/// The place of a value: `cvault://RECORD/FIELD[?view=VIEW][#LABEL]`, in the syntax of RFC 3986.
///
/// RECORD is a full id or an exact name, and FIELD a path such as `contact_info.email`. Both are percent-encoded except
/// for unreserved characters; brackets of a FIELD may stay. The reference does not name the vault.
public struct SecretReference: Hashable, Sendable, CustomStringConvertible {
  /// A derived form of the value.
  public enum View: String, Sendable, CaseIterable {
    /// The present one-time code of a field with its key.
    case otp
    /// The address of a `database`, with user and password; it takes no FIELD.
    case url
  }

  /// A full id or an exact name.
  public let record: String
  /// Nil if the view is of the whole record.
  public let path: MemberPath?
  /// A derived form of the value; nil for the value itself.
  public let view: View?
  /// The name of the record when the reference was written; only the id or name in it counts.
  public let label: String?

  package static let prefix = "cvault://"

  /// A reference of these parts, which are written percent-encoded.
  public init(record: String, path: MemberPath?, view: View? = nil, label: String? = nil) {
    (self.record, self.path, self.view, self.label) = (record, path, view, label)
  }

  /// Whether a text is meant as a reference, valid or not; the scheme may be in any case.
  public static func isMeant(by text: String) -> Bool {
    text.utf8.count >= prefix.utf8.count
      && zip(text.utf8, prefix.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && $1 >= UInt8(ascii: "a") }
  }

  /// - Throws: ``ReferenceFault``, with the reason.
  public init(parsing text: String) throws(ReferenceFault) {
    guard Self.isMeant(by: text) else {
      throw ReferenceFault("the text is not a reference: a reference begins with \(Self.prefix)")
    }
    let rest = String(decoding: text.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
    let (whole, label) = try Self.divided(rest, at: "#", "label")
    let (place, query) = try Self.divided(whole, at: "?", "view")
    let (record, field) = try Self.divided(place, at: "/", "field")
    guard !record.isEmpty else { throw ReferenceFault("the reference does not name a record") }
    guard !record.hasPrefix("@") else { throw ReferenceFault("the reference cannot name a vault yet") }
    view = try query.map { query throws(ReferenceFault) in try Self.view(query) }
    self.record = try Self.decoded(record)
    path = try field.map { field throws(ReferenceFault) in
      guard !field.contains("/") else {
        throw ReferenceFault("the reference has too many parts: write %2F for a / in a name, and a dot between fields")
      }
      guard let path = try? MemberPath(parsing: Self.decoded(field)), !path.components.isEmpty else {
        throw ReferenceFault("the reference must have a field such as contact_info.email or tags[0]")
      }
      return path
    }
    self.label = try label.map { label throws(ReferenceFault) in try Self.decoded(label) }
    if view == .url, path != nil {
      throw ReferenceFault("the reference cannot have a field with view=url, which is for a whole record")
    }
    if view != .url, path == nil { throw ReferenceFault("the reference does not name a field") }
  }

  /// The written form; the same for equal references.
  public var description: String {
    let field = path.map { path in
      "/" + PercentEncoding.encoded(path.description).replacing("%5B", with: "[").replacing("%5D", with: "]")
    }
    return Self.prefix + PercentEncoding.encoded(record) + (field ?? "") + (view.map { "?view=\($0.rawValue)" } ?? "")
      + (label.map { "#" + PercentEncoding.encoded($0) } ?? "")
  }

  private static func divided(
    _ text: String, at mark: Character, _ what: String
  ) throws(ReferenceFault) -> (before: String, after: String?) {
    guard let place = text.firstIndex(of: mark) else { return (text, nil) }
    let after = text[text.index(after: place)...]
    guard !after.isEmpty else { throw ReferenceFault("the reference has an empty \(what)") }
    return (String(text[..<place]), String(after))
  }

  private static func view(_ query: String) throws(ReferenceFault) -> View {
    let known = View.allCases.map { "view=\($0.rawValue)" }
    guard let index = known.firstIndex(of: query) else {
      throw ReferenceFault("the reference takes only \(known.joined(separator: " or ")) after the question mark")
    }
    return View.allCases[index]
  }

  private static func decoded(_ part: String) throws(ReferenceFault) -> String {
    let bytes = Array(part.utf8)
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      let digits = bytes[(index + 1)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy({ Hex.value(ofDigit: $0) != nil }) else {
        throw ReferenceFault("the reference has a % without two hex digits after it: write %25 for a percent sign")
      }
    }
    guard let text = PercentEncoding.text(of: part) else { throw ReferenceFault("the reference is not UTF-8") }
    return text
  }
}

/// Why a text is not a valid reference. A reference is not a secret, but the fault does not repeat the text.
public typealias ReferenceFault = TextFault

extension SecretReference {
  /// Every reference in a text, valid or not, with its line.
  ///
  /// A reference ends before the first byte that cannot stand in it, such as blanks, quotes or braces, and before a dot
  /// or comma that ends a sentence.
  ///
  /// - Parameter bytes: any text; bytes that are not UTF-8 are not part of a reference.
  public static func found(in bytes: [UInt8]) -> [(line: Int, text: String)] {
    var (found, line, index): ([(line: Int, text: String)], Int, Int) = ([], 1, 0)
    let mark = Array(prefix.utf8)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      guard bytes[index] | 0x20 == mark[0], bytes.count - index >= mark.count,
        isMeant(by: String(decoding: bytes[index..<(index + mark.count)], as: UTF8.self))
      else {
        index += 1
        continue
      }
      var end = index + mark.count
      while end < bytes.count, isPart(bytes[end]) { end += 1 }
      while end > index + mark.count, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
      found.append((line, String(decoding: bytes[index..<end], as: UTF8.self)))
      index = end
    }
    return found
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~%/?#=&[]@:+".utf8.contains(byte)
    }
  }
}
