import VaultDocument
import VaultExchange
import VaultKit
import VaultSystem
import VaultTerminal

enum ImportFormat: String, CaseIterable {
  case json, jsonl

  private static let byteLimit = 128 << 20

  /// The elements of a file. Lines are parsed later, and a file of lines is never in memory as a whole.
  func elements(of path: String) throws -> ImportElements {
    switch self {
    case .json:
      let bytes = try TextInput.file(path, limit: Self.byteLimit)
      return ImportElements(try Self.items(bytes, in: path == "-" ? "stdin" : path))
    case .jsonl:
      let elements = try Self.lines(of: path)
      // Otherwise every line of a multi-line array would be reported.
      if let first = elements.makeIterator().next(), first.bytes.first == UInt8(ascii: "["), first.value == nil {
        throw CommandError(
          .inputRefused, "input_refused", subject: path == "-" ? "stdin" : path,
          "the file begins with an array over several lines, which is json and not jsonl",
          hints: ["use `vault import json`"])
      }
      return elements
    }
  }

  private static func lines(of path: String) throws -> ImportElements {
    let bytes: [UInt8]
    if path == "-" {
      bytes = try TextInput.file(path, limit: byteLimit)
    } else {
      let file = try NamedFile.reading(path)
      if let state = System.state(of: file.descriptor) { return ImportElements(try LineFile(file, state)) }
      bytes = try TextInput.bytes(of: file, limit: byteLimit)
    }
    return ImportElements(Lines(of: bytes).map { ImportElement($0.bytes, line: $0.number) })
  }

  private static func items(_ bytes: [UInt8], in file: String) throws -> [ImportElement] {
    do throws(DocumentError) {
      switch try JSONParser.parse(bytes, limits: .exchange) {
      case .array(let items): return items.map { ImportElement($0) }
      case let value where VaultExport.records(of: value) != nil:
        return (VaultExport.records(of: value) ?? []).map { ImportElement(.object($0)) }
      case let value where value.object != nil: return [ImportElement(value)]
      default: throw DocumentError(code: .wrongType, reason: "the file must be an array of objects", line: 1, column: 1)
      }
    } catch {
      throw CommandError(error, in: file)
    }
  }

  /// Writes refused elements in their original form.
  func write(rejected: [ImportElement], to path: String) throws {
    let bytes: [UInt8] =
      switch self {
      case .json: try JSONValue.array(rejected.map { $0.value ?? .null }).prettyBytes(limits: .exchange)
      case .jsonl: rejected.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
      }
    let file = try OutputFile.replacing(path)
    try file.write(bytes)
    try file.commit()
  }
}

/// The elements of an imported file, in order. They can be iterated repeatedly.
struct ImportElements: Sequence {
  let count: Int
  private let make: () -> AnyIterator<ImportElement>

  init(_ elements: [ImportElement]) {
    count = elements.count
    make = { AnyIterator(elements.makeIterator()) }
  }

  init(_ file: LineFile) {
    count = file.count
    make = { AnyIterator(file.makeIterator()) }
  }

  func makeIterator() -> AnyIterator<ImportElement> { make() }
}

struct ImportElement: Sendable {
  private enum Content {
    /// A parsed element.
    case item(JSONValue)
    /// The original line, from 1. It is parsed on demand.
    case line([UInt8], number: Int)
    /// The element cannot be read any more.
    case gone(VaultError)
  }

  private let content: Content

  init(_ item: JSONValue) { content = .item(item) }

  init(_ bytes: [UInt8], line: Int) { content = .line(bytes, number: line) }

  init(gone error: VaultError) { content = .gone(error) }

  /// The element without its content, which keeps its place.
  var withoutContent: ImportElement { line.map { ImportElement([], line: $0) } ?? ImportElement(.null) }

  /// The line number, for files with one element on each line.
  var line: Int? { if case .line(_, let number) = content { number } else { nil } }

  /// The original line; empty if elements are not lines.
  var bytes: [UInt8] { if case .line(let bytes, _) = content { bytes } else { [] } }

  /// The value; nil for a line that is not JSON.
  var value: JSONValue? {
    switch content {
    case .item(let item): item
    case .line(let bytes, _): try? JSONParser.parse(bytes)
    case .gone: nil
    }
  }

  func object() throws(VaultError) -> JSONObject {
    if case .gone(let error) = content { throw error }
    do throws(DocumentError) {
      let value = if case .line(let bytes, _) = content { try JSONParser.parse(bytes) } else { value }
      guard let object = value?.object else {
        throw DocumentError(code: .wrongType, reason: "the element must be an object")
      }
      return object
    } catch {
      let column = error.column.map { "column \($0): " } ?? ""
      throw VaultError(.inputRefused, column + error.reason)
    }
  }
}
