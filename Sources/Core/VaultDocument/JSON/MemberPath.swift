/// The way from the top of a document to a value: `contact_info.email`, `tags[0]`, `["odd.name"][2].text`.
///
/// A name is written plainly if it is not empty and has no `.`, `[`, `]`, `"`, backslash or control character.
/// Otherwise it is a JSON string in brackets, directly after the previous step. An index is a plain decimal in
/// brackets. The document itself is `.`. Every printed path can be parsed to an equal path.
public struct MemberPath: Hashable, Sendable, CustomStringConvertible {
  /// One step.
  public enum Component: Hashable, Sendable {
    /// Into the member of an object; compared by UTF-8 bytes.
    case member(String)
    /// To an item of an array, from 0.
    case index(Int)

    /// Whether two steps are the same, names by bytes.
    public static func == (left: Component, right: Component) -> Bool {
      switch (left, right) {
      case (.member(let one), .member(let other)): sameBytes(one, other)
      case (.index(let one), .index(let other)): one == other
      default: false
      }
    }

    /// Hashes the name's bytes or the index.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .member(let name):
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(-1)
      case .index(let index): hasher.combine(index)
      }
    }
  }

  /// The steps, from the top.
  public var components: [Component]

  /// Takes steps from the top; an empty list means the document itself.
  public init(_ components: [Component] = []) { self.components = components }

  /// The document itself.
  public static let root = MemberPath()

  /// Reads the written form.
  /// - Throws: `.invalidPath` for an empty or malformed text, with its column.
  public init(parsing text: String) throws(DocumentError) {
    let bytes = text.utf8Span.span
    var reader = MemberPathReader()
    do throws(DocumentError) {
      components = try reader.components(in: bytes)
    } catch {
      throw error.located(in: bytes)
    }
  }

  /// This path with one more step into a member.
  public func appending(_ name: String) -> MemberPath { MemberPath(components + [.member(name)]) }

  /// This path with one more step to an item.
  public func appending(_ index: Int) -> MemberPath { MemberPath(components + [.index(index)]) }

  /// The written form.
  public var description: String {
    guard !components.isEmpty else { return "." }
    var text = ""
    for component in components {
      switch component {
      case .index(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
      case .member(let name): text += "[\(Self.quoted(name))]"
      }
    }
    return text
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.unicodeScalars.allSatisfy { !isSpecial($0) }
  }

  /// Whether a plain name cannot have this character; control characters would otherwise reach a terminal.
  static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", "[", "]", "\"", "\\", "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": true
    default: false
    }
  }

  private static func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += "\\u00" + Hex.encode([UInt8(scalar.value)])
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

/// Reads the written form of a path.
private struct MemberPathReader {
  private var scanner = JSONScanner(limits: .record)

  mutating func components(in bytes: Span<UInt8>) throws(DocumentError) -> [MemberPath.Component] {
    if bytes.count == 1, bytes[0] == UInt8(ascii: ".") { return [] }
    var components: [MemberPath.Component] = []
    repeat {
      if scanner.take(UInt8(ascii: "["), in: bytes) {
        components.append(try bracketed(in: bytes))
      } else {
        if !components.isEmpty { try require(UInt8(ascii: "."), in: bytes) }
        components.append(.member(try plainName(in: bytes)))
      }
    } while scanner.position < bytes.count
    return components
  }

  private mutating func bracketed(in bytes: Span<UInt8>) throws(DocumentError) -> MemberPath.Component {
    guard scanner.position < bytes.count else { throw malformed() }
    let component: MemberPath.Component
    if bytes[scanner.position] == UInt8(ascii: "\"") {
      let start = scanner.position
      do throws(DocumentError) {
        component = .member(try scanner.string(in: bytes))
      } catch { throw DocumentError(.invalidPath, at: start) }
    } else {
      component = .index(try index(in: bytes))
    }
    try require(UInt8(ascii: "]"), in: bytes)
    return component
  }

  /// A plain decimal of at most nine digits, because no array within the limits has more items.
  private mutating func index(in bytes: Span<UInt8>) throws(DocumentError) -> Int {
    let start = scanner.position
    var index = 0
    while scanner.position < bytes.count, bytes[scanner.position] &- UInt8(ascii: "0") < 10 {
      index = index * 10 + Int(bytes[scanner.position] - UInt8(ascii: "0"))
      scanner.position += 1
      guard scanner.position - start <= 9 else { throw malformed() }
    }
    let digitCount = scanner.position - start
    guard digitCount > 0, digitCount == 1 || bytes[start] != UInt8(ascii: "0") else { throw malformed() }
    return index
  }

  private mutating func plainName(in bytes: Span<UInt8>) throws(DocumentError) -> String {
    let start = scanner.position
    while scanner.position < bytes.count {
      let byte = bytes[scanner.position]
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") { break }
      scanner.position += 1
    }
    let name = try scanner.text(of: start..<scanner.position, in: bytes)
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ !MemberPath.isSpecial($0) }) else {
      throw DocumentError(.invalidPath, at: start)
    }
    return name
  }

  private mutating func require(_ byte: UInt8, in bytes: Span<UInt8>) throws(DocumentError) {
    guard scanner.take(byte, in: bytes) else { throw malformed() }
  }

  private func malformed() -> DocumentError { DocumentError(.invalidPath, at: scanner.position) }
}
