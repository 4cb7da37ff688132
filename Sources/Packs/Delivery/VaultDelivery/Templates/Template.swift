public import VaultDocument
public import VaultKit

/// A text with places for values: `{{ cvault://… }}`, on one line, with optional spaces around the reference.
///
/// The only other replacement is `{{{{`, which stands for `{{`.
public struct Template: Sendable {
  /// A place for a value.
  public struct Placeholder: Sendable {
    /// The line, from 1.
    public let line: Int
    /// The reference for that place.
    public let reference: SecretReference
  }

  /// The placeholders, in the order of the text.
  public let placeholders: [Placeholder]
  /// The texts before, between and after the placeholders, so there is one more of them.
  let texts: [[UInt8]]

  /// Parses a template.
  ///
  /// - Throws: ``TemplateFault`` with the line of a place that is not closed, or whose reference is invalid.
  public init(parsing bytes: [UInt8]) throws(TemplateFault) {
    var (placeholders, texts): ([Placeholder], [[UInt8]]) = ([], [[]])
    var (index, line) = (0, 1)
    while index < bytes.count {
      if let end = Self.reference(in: bytes, from: index) {
        let reference: SecretReference
        do throws(ReferenceFault) {
          reference = try SecretReference(parsing: String(decoding: bytes[end.start..<end.end], as: UTF8.self))
        } catch {
          throw TemplateFault(line: line, error.reason)
        }
        guard let next = Self.closing(in: bytes, from: end.end) else {
          throw TemplateFault(line: line, "the reference is not followed by }}")
        }
        placeholders.append(Placeholder(line: line, reference: reference))
        texts.append([])
        index = next
      } else {
        let isDoubled = bytes[index...].starts(with: "{{{{".utf8)
        if bytes[index] == UInt8(ascii: "\n") { line += 1 }
        texts[texts.count - 1] += bytes[index..<(index + (isDoubled ? 2 : 1))]
        index += isDoubled ? 4 : 1
      }
    }
    (self.placeholders, self.texts) = (placeholders, texts)
  }

  /// The reference of a place that begins here; nil if there is no place.
  private static func reference(in bytes: [UInt8], from start: Int) -> (start: Int, end: Int)? {
    let brace = UInt8(ascii: "{")
    guard bytes[start] == brace, start + 1 < bytes.count, bytes[start + 1] == brace else { return nil }
    let begin = bytes[(start + 2)...].firstIndex { !isBlank($0) } ?? bytes.count
    let head = bytes[begin..<min(bytes.count, begin + SecretReference.prefix.utf8.count)]
    guard SecretReference.isMeant(by: String(decoding: head, as: UTF8.self)) else { return nil }
    let end = bytes[begin...].firstIndex { isBlank($0) || $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "\n") }
    return (begin, end ?? bytes.count)
  }

  /// The index after the closing braces of a place.
  private static func closing(in bytes: [UInt8], from start: Int) -> Int? {
    let index = bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count
    return bytes[index...].starts(with: "}}".utf8) ? index + 2 : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// The text with the bytes of `fill` in each place.
  func filled<Failure: Error>(_ fill: (Int) throws(Failure) -> [UInt8]) throws(Failure) -> [UInt8] {
    var result = texts[0]
    for index in placeholders.indices {
      result += try fill(index)
      result += texts[index + 1]
    }
    return result
  }
}

/// Why a template, or a value in its place, was refused. The fault never holds the value.
public typealias TemplateFault = TextFault

/// A value for a place.
public struct TemplateValue: Sendable {
  let text: String
  /// Whether the value is text rather than a number or boolean.
  let isText: Bool

  /// Makes a value, before the format escapes it.
  public init(_ text: String, isText: Bool = true) { (self.text, self.isText) = (text, isText) }
}

/// The format of a finished text.
public enum TemplateFormat: String, Sendable, CaseIterable {
  /// Any text. Values are inserted unchanged.
  case raw
  /// JSON, with places in strings or instead of values.
  case json
  /// YAML 1.2.
  case yaml
  /// TOML 1.0.
  case toml
  /// INI: sections and lines of `NAME = VALUE`.
  case ini
  /// Lines of `NAME=VALUE`, quoted as in shells.
  case env
  /// Words of a POSIX shell.
  case shell
  /// XML 1.0, content and attributes.
  case xml
  /// An address, with percent-encoded values.
  case url

  /// The format of a file name, without a template suffix such as `.tmpl`; nil for an unknown name.
  public init?(ofFileNamed path: String) {
    var words = path.split(separator: "/").last.map { $0.split(separator: ".", omittingEmptySubsequences: false) } ?? []
    while let last = words.last, ["tmpl", "tpl", "template", "in", "example", "dist"].contains(last) {
      words.removeLast()
    }
    if words.count > 1, words.last == "env" || words[0].isEmpty && words[1] == "env" {
      self = .env
      return
    }
    switch words.count > 1 ? words.last : nil {
    case "json": self = .json
    case "yaml", "yml": self = .yaml
    case "toml": self = .toml
    case "ini", "cfg": self = .ini
    case "sh", "bash", "dash", "ash", "zsh", "ksh", "profile", "zprofile", "bash_profile", "bash_login", "bash_logout",
      "zlogin", "zlogout", "zshenv", "bashrc", "zshrc", "kshrc", "envrc":
      self = .shell
    case "xml", "plist": self = .xml
    case "url": self = .url
    default: return nil
    }
  }

  /// The format of a first line with `#!` and a shell; nil for any other line.
  package init?(ofText bytes: [UInt8]) {
    guard bytes.starts(with: "#!".utf8) else { return nil }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    let words = line.dropFirst(2).split { " \t/=".contains($0) }.map(String.init)
    guard words.contains(where: ShellWords.shells.contains) else { return nil }
    self = .shell
  }
}
