public import VaultDocument
public import VaultKit

/// A text with places for values: `{{ cvault://… }}`, blanks around the reference optional, all on one line.
///
/// Nothing else is replaced but `{{{{`, which stands for `{{`.
public struct Template: Sendable {
  /// A place for a value.
  public struct Placeholder: Sendable {
    /// From 1.
    public let line: Int
    /// The value that belongs there.
    public let reference: SecretReference
  }

  /// In the order of the text.
  public let placeholders: [Placeholder]
  /// What stands before, between and behind them: one more than they are.
  let texts: [[UInt8]]

  /// - Throws: ``TemplateFault`` with the line of a place that is not closed, or whose reference is none.
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
          throw TemplateFault(line: line, "has a reference that is not followed by }}")
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

  /// The reference of a place that begins here; nil where none does.
  private static func reference(in bytes: [UInt8], from start: Int) -> (start: Int, end: Int)? {
    let brace = UInt8(ascii: "{")
    guard bytes[start] == brace, start + 1 < bytes.count, bytes[start + 1] == brace else { return nil }
    let begin = bytes[(start + 2)...].firstIndex { !isBlank($0) } ?? bytes.count
    let head = bytes[begin..<min(bytes.count, begin + SecretReference.prefix.utf8.count)]
    guard SecretReference.isMeant(by: String(decoding: head, as: UTF8.self)) else { return nil }
    let end = bytes[begin...].firstIndex { isBlank($0) || $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "\n") }
    return (begin, end ?? bytes.count)
  }

  /// What comes behind the braces that close a place.
  private static func closing(in bytes: [UInt8], from start: Int) -> Int? {
    let index = bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count
    return bytes[index...].starts(with: "}}".utf8) ? index + 2 : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// The text with something in each place, by its number.
  func filled<Failure: Error>(_ fill: (Int) throws(Failure) -> [UInt8]) throws(Failure) -> [UInt8] {
    var result = texts[0]
    for index in placeholders.indices {
      result += try fill(index)
      result += texts[index + 1]
    }
    return result
  }
}

/// What is wrong with a template, or with a value in its place: never the value.
public typealias TemplateFault = TextFault

/// A value for a place.
public struct TemplateValue: Sendable {
  let text: String
  /// Whether it is a text, and no number or truth value.
  let isText: Bool

  /// A value for a place, as it is before the format escapes it.
  public init(_ text: String, isText: Bool = true) { (self.text, self.isText) = (text, isText) }
}

/// What a text is read as once it is made.
public enum TemplateFormat: String, Sendable, CaseIterable {
  /// Anything: values go in as they are.
  case raw
  /// JSON; values stand within its strings or in place of them.
  case json
  /// YAML 1.2.
  case yaml
  /// TOML 1.0.
  case toml
  /// Sections and lines of `NAME = VALUE`.
  case ini
  /// Lines of `NAME=VALUE`, quoted as shells do.
  case env
  /// Words of a POSIX shell.
  case shell
  /// XML 1.0, content and attributes.
  case xml
  /// An address: values are percent-encoded.
  case url

  /// The format that the name of a file tells; nil for none. What marks a template, such as `.tmpl`, is not looked at.
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

  /// The format that the first line of a text tells: `#!` and a shell. Nil for any other line.
  package init?(ofText bytes: [UInt8]) {
    guard bytes.starts(with: "#!".utf8) else { return nil }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    let words = line.dropFirst(2).split { " \t/=".contains($0) }.map(String.init)
    guard words.contains(where: ShellWords.shells.contains) else { return nil }
    self = .shell
  }
}
