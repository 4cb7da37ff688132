import VaultDocument
import VaultKit

/// The forms that can be imported.
enum ImportFormat: String {
  case json, jsonl

  private static let blanks = Array(" \t\r".utf8)
  private static let limits = JSONLimits(byteCount: 128 << 20)

  /// What a file holds, each element by itself; of lines, none is parsed yet.
  func elements(of path: String) throws -> [ImportElement] {
    let name = path == "-" ? "stdin" : path
    let bytes = try TextInput.file(path, limit: Self.limits.byteCount)
    let elements = self == .json ? try Self.items(bytes, in: name) : Self.lines(bytes)
    guard elements.count <= Vault.maximumAdditionCount else {
      throw CommandError(
        .inputRefused, "input_refused", subject: name, "has too many records for one batch",
        hints: ["divide it: at most \(Vault.maximumAdditionCount) at a time"])
    }
    // Else every line of an array that spans many would be reported.
    if self == .jsonl, let first = elements.first, first.bytes.first == UInt8(ascii: "["), first.value == nil {
      throw CommandError(
        .inputRefused, "input_refused", subject: name,
        "begins with an array that goes on after its line: that is json, not jsonl", hints: ["`vault import json`"])
    }
    return elements
  }

  private static func items(_ bytes: [UInt8], in file: String) throws -> [ImportElement] {
    do throws(DocumentError) {
      switch try JSONParser.parse(bytes, limits: limits) {
      case .array(let items): return items.map { ImportElement($0) }
      case let value where value.object != nil: return [ImportElement(value)]
      default: throw DocumentError(code: .wrongType, reason: "must be an array of objects", line: 1, column: 1)
      }
    } catch {
      throw CommandError(error, in: file)
    }
  }

  /// One element for each line that is not blank, one more than are taken at the most.
  private static func lines(_ bytes: [UInt8]) -> [ImportElement] {
    var elements: [ImportElement] = []
    var rest = bytes[...]
    var number = 0
    while !rest.isEmpty, elements.count <= Vault.maximumAdditionCount {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      number += 1
      guard line.contains(where: { !blanks.contains($0) }) else { continue }
      elements.append(ImportElement(line, line: number))
    }
    return elements
  }

  /// Writes refused elements in the form they came in.
  func write(rejected: [ImportElement], to path: String) throws {
    let bytes: [UInt8] =
      switch self {
      case .json: try JSONValue.array(rejected.map { $0.value ?? .null }).prettyBytes(limits: .list)
      case .jsonl: rejected.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
      }
    let file = try AtomicFile.beginning(at: path)
    try file.write(bytes)
    try file.commit()
  }
}

/// One element of an imported file.
struct ImportElement: Sendable {
  /// The number of its line, for files of one element a line.
  let line: Int?
  /// Its line as it came in; empty where elements are no lines.
  let bytes: ArraySlice<UInt8>
  private let item: JSONValue?

  /// An element that was parsed.
  init(_ item: JSONValue) {
    (line, bytes) = (nil, [])
    self.item = item
  }

  /// A line of a file, from 1; it is parsed when it is needed.
  init(_ bytes: ArraySlice<UInt8>, line: Int) {
    self.line = line
    self.bytes = bytes
    item = nil
  }

  /// Its value; nil for a line that is not JSON.
  var value: JSONValue? { try? parsed() }

  /// The object it is.
  ///
  /// - Throws: ``VaultError`` `.inputRefused`, never with any of its content.
  func object() throws(VaultError) -> JSONObject {
    do throws(DocumentError) {
      guard let object = try parsed().object else {
        throw DocumentError(code: .wrongType, reason: "must be an object")
      }
      return object
    } catch {
      let column = error.column.map { "column \($0): " } ?? ""
      throw VaultError(.inputRefused, column + error.reason)
    }
  }

  private func parsed() throws(DocumentError) -> JSONValue {
    if let item { return item }
    return try JSONParser.parse(bytes.span)
  }
}
