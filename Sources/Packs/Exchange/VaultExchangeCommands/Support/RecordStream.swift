import VaultCLI
import VaultDocument
import VaultExchange
import VaultSealing
import VaultTerminal

/// Records that are written one by one as one text.
struct RecordStream: ~Copyable {
  enum Shape {
    case document
    case array
    case lines
    /// An array of dictionaries, which is encoded as a whole at the end.
    case propertyList(DocumentForm)
    /// A format of another tool, which has surveyed all records. `check` surveys them again, so that no loss is
    /// unannounced.
    case foreign(any Exporter, check: any Exporter)

    /// Whether the format names the kind of each record anyway.
    var saysKinds: Bool {
      switch self {
      case .document, .foreign: true
      case .array, .lines, .propertyList: false
      }
    }
  }

  private var shape: Shape
  private let form: RecordForm
  private var kept: [JSONValue] = []
  private var output: OutputBuffer
  private var isFirst = true
  private(set) var leftOutCount = 0

  init(shape: Shape, form: RecordForm, _ output: consuming OutputBuffer) {
    self.shape = shape
    self.form = form
    self.output = output
  }

  mutating func begin() throws {
    switch shape {
    case .document: try output.append("{\n  \"records\" : [")
    case .array: try output.append("[")
    case .lines, .propertyList: break
    case .foreign(var exporter, let check):
      try output.append(CommandError.naming { () throws(ExportError) in try exporter.begin() })
      shape = .foreign(exporter, check: check)
    }
  }

  var printer: RecordPrinter {
    switch shape {
    case .document: RecordPrinter(layout: .document, form: form)
    case .array: RecordPrinter(layout: .array, form: form)
    case .lines: RecordPrinter(layout: .lines, form: form)
    case .propertyList, .foreign: RecordPrinter(layout: .none, form: form)
    }
  }

  mutating func append(_ piece: RecordPrinter.Piece) throws {
    switch piece {
    case .view(let view): try append(view)
    case .item(let bytes, let count):
      try output.append(isFirst ? "\n" : ",\n")
      isFirst = false
      try output.append(bytes)
      leftOutCount += count
    case .line(let bytes, let count):
      try output.append(bytes)
      leftOutCount += count
    }
  }

  private mutating func append(_ view: RecordView) throws {
    switch shape {
    case .document, .array, .lines: preconditionFailure("these forms are printed piece by piece")
    case .propertyList(let form):
      let members = try members(of: view)
      kept.append(try PropertyListTree(record: view.id, isXML: form.isXML).tree(members))
    case .foreign(var exporter, var check):
      let (record, count) = try form.exported(view)
      leftOutCount += count
      shape = .array  // leaves the only references, so that the exporters are not copied
      try output.append(
        CommandError.naming { () throws(ExportError) in
          try check.survey(record)
          return try exporter.bytes(of: record)
        })
      shape = .foreign(exporter, check: check)
    }
  }

  private mutating func members(of view: RecordView) throws -> JSONValue {
    let (members, count) = try form.members(of: view)
    leftOutCount += count
    return .object(members)
  }

  mutating func end(isVerified: Bool) throws {
    switch shape {
    case .lines: break
    case .propertyList(let form): try output.append(form.encode(.array(kept)))
    case .foreign(var exporter, let check):
      guard check.notes == exporter.notes else { throw CommandError.exportChanged }
      try output.append(CommandError.naming { () throws(ExportError) in try exporter.end() })
    case .array: try output.append(isFirst ? "\n\n]\n" : "\n]\n")
    case .document:
      try output.append(isFirst ? "\n\n  ],\n" : "\n  ],\n")
      try output.append("  \"schema\" : 1,\n  \"sealed_count\" : \(leftOutCount),\n  \"verified\" : \(isVerified)\n}\n")
    }
    try output.flush()
  }
}

/// Prints single records: the part of an export that can run on all cores.
struct RecordPrinter: Sendable {
  enum Layout {
    case document, array, lines
    /// No output: the stream takes the records themselves.
    case none
  }

  enum Piece {
    /// An item of an array, and how many sealed fields were left out.
    case item([UInt8], leftOutCount: Int)
    case line([UInt8], leftOutCount: Int)
    case view(RecordView)
  }

  let layout: Layout
  let form: RecordForm

  func piece(_ view: RecordView) throws -> Piece {
    do {
      return try printed(view)
    } catch let error as DocumentError {
      throw CommandError.notExported(view.id.text, path: error.path, reason: error.reason)
    }
  }

  private func printed(_ view: RecordView) throws -> Piece {
    switch layout {
    case .document:
      let (document, count) = try form.document(of: view)
      return .item(try document.item(indent: 4), leftOutCount: count)
    case .array:
      let (members, count) = try form.members(of: view)
      return .item(try JSONValue.object(members).item(indent: 2), leftOutCount: count)
    case .lines:
      let (members, count) = try form.members(of: view)
      return .line(
        try JSONValue.object(members).compactBytes(limits: .exchange) + [UInt8(ascii: "\n")], leftOutCount: count)
    case .none: return .view(view)
    }
  }
}

extension CommandError {
  /// The error if the announced losses have changed.
  static var exportChanged: CommandError {
    CommandError(
      .changedUnderneath, "changed_underneath", subject: "export", "the records were changed while they were written",
      hints: ["try again"])
  }

  /// Runs a step of an export. The record and member that a format cannot hold are named.
  static func naming<Result>(_ body: () throws(ExportError) -> Result) throws(CommandError) -> Result {
    do throws(ExportError) {
      return try body()
    } catch {
      if error.isChange { throw exportChanged }
      guard error.record == nil else {
        var refused = CommandError.notExported(error.record, path: error.path, reason: error.reason)
        refused.hints = ["use --format json, or export the other kinds with --kind"]
        throw refused
      }
      throw CommandError(.failed, "internal_failure", subject: "export", error.reason)
    }
  }
}
