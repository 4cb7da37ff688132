import VaultDocument
import VaultSealing

/// Records written one after the other as one text.
struct RecordStream: ~Copyable {
  enum Shape {
    /// The document of `--json`.
    case document
    case array
    case lines
    /// An array of dictionaries, which is encoded as a whole at the end.
    case propertyList(DocumentForm)
  }

  private let shape: Shape
  private let keys: KeyStyle?
  private var kept: [JSONValue] = []
  private var output: OutputBuffer
  private var isFirst = true
  private(set) var leftOutCount = 0

  init(shape: Shape, keys: KeyStyle?, _ output: consuming OutputBuffer) {
    self.shape = shape
    self.keys = keys
    self.output = output
  }

  mutating func begin() throws {
    switch shape {
    case .document: try output.append("{\n  \"records\" : [")
    case .array: try output.append("[")
    case .lines, .propertyList: break
    }
  }

  mutating func append(_ view: RecordView, reveal: Bool, sealed: Bool) throws {
    switch shape {
    case .document: try appendItem(document(of: view, reveal: reveal, sealed: sealed), indent: 4)
    case .array: try appendItem(members(of: view, reveal: reveal, sealed: sealed), indent: 2)
    case .lines:
      try output.append(members(of: view, reveal: reveal, sealed: sealed).compactBytes() + [UInt8(ascii: "\n")])
    case .propertyList(let form):
      let members = try members(of: view, reveal: reveal, sealed: sealed)
      kept.append(try PropertyListTree(record: view.id, isXML: form.isXML).tree(members))
    }
  }

  private mutating func document(of view: RecordView, reveal: Bool, sealed: Bool) throws -> JSONValue {
    if !reveal, !sealed { leftOutCount += try view.sealedCount() }
    let shown = JSONValue.object(sealed ? view.fields : try view.markedFields())
    return view.document(record: try named(shown, of: view).object ?? JSONObject())
  }

  private mutating func members(of view: RecordView, reveal: Bool, sealed: Bool) throws -> JSONValue {
    try named(.object(fields(of: view, reveal: reveal, sealed: sealed)), of: view)
  }

  private func named(_ tree: JSONValue, of view: RecordView) throws -> JSONValue {
    guard let keys else { return tree }
    do throws(DocumentError) {
      return try tree.names(in: keys, except: RecordView.isMark)
    } catch {
      throw CommandError.notExported(view.id, error.path, "\(error.reason) with --keys \(keys.rawValue)")
    }
  }

  private mutating func fields(of view: RecordView, reveal: Bool, sealed: Bool) throws -> JSONObject {
    if reveal || sealed { return view.fields }
    let (fields, count) = try view.readableFields()
    leftOutCount += count
    return fields
  }

  /// One item as our writer lays it out within an array. Strings hold no line feed, so lines can be moved to the right.
  private mutating func appendItem(_ value: JSONValue, indent: Int) throws {
    let margin = [UInt8](repeating: UInt8(ascii: " "), count: indent)
    var bytes: [UInt8] = Array((isFirst ? "\n" : ",\n").utf8) + margin
    isFirst = false
    bytes.reserveCapacity(2048)
    for byte in try value.prettyBytes(finalNewline: false) {
      bytes.append(byte)
      if byte == UInt8(ascii: "\n") { bytes += margin }
    }
    try output.append(bytes)
  }

  mutating func end(isVerified: Bool) throws {
    switch shape {
    case .lines: break
    case .propertyList(let form): try output.append(form.encode(kept))
    case .array: try output.append(isFirst ? "\n\n]\n" : "\n]\n")
    case .document:
      try output.append(isFirst ? "\n\n  ],\n" : "\n  ],\n")
      try output.append("  \"schema\" : 1,\n  \"sealed_count\" : \(leftOutCount),\n  \"verified\" : \(isVerified)\n}\n")
    }
    try output.flush()
  }
}
