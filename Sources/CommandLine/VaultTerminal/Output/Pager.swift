import ArgumentParser
package import VaultDocument

/// How tables are shown.
package struct TableOptions: ParsableArguments {
  @Flag(help: "At a terminal, whole texts, ids and times, whatever the width of the screen.")
  package var wide = false

  @Flag(help: "Use no pager.")
  package var noPager = false

  package init() {}

  /// How wide a table may be; nil for as wide as its texts.
  package var width: Int? { wide ? nil : max(20, System.screen.columns) }

  /// Whether a list is a table.
  package func isShown(_ global: GlobalOptions) -> Bool { Output.isTerminal && !global.json }

  /// The beginning of an id, or all of it.
  package func shown(_ id: RecordID) -> String { wide ? id.text : String(id.text.prefix(8)) }

  /// How long ago something was, or when.
  package func shown(_ time: Timestamp) -> String { wide ? time.text : Elapsed.words(from: time, to: .now()) }

  /// Prints rows as a table to the terminal; nothing where there are none.
  package func print<Rows: RandomAccessCollection>(
    _ rows: Rows, columns: [TableColumn<Rows.Element>], global: GlobalOptions
  ) throws {
    if !rows.isEmpty { try print(Table(rows, columns, width: width), global) }
  }

  /// Prints a table to the terminal, through a pager when the screen does not hold it.
  package func print<Rows>(_ table: Table<Rows>, _ global: GlobalOptions) throws {
    try Pager.print(lineCount: table.lineCount, isWanted: !noPager && !global.noInput) { destination in
      var output = OutputBuffer(to: destination)
      try table.lines(global.style) { line in try output.append(line) }
      try output.flush()
    }
  }
}

/// What shows more lines than a screen holds.
package enum Pager {
  /// Options that pass on colors, end where all fits, and leave the text where it was, as git has them.
  private static let optionsOfLess = "FRX"

  /// Writes to the terminal, or to a pager when there are more lines than its screen has.
  ///
  /// - Parameter write: is given where to write; what it throws but for a pager that was left, is thrown.
  static func print(lineCount: Int, isWanted: Bool, _ write: (@escaping (RawSpan) throws -> Void) throws -> Void) throws
  {
    guard isWanted, Output.isTerminal, Output.part == nil, let rows = System.screen.rows, lineCount >= rows, let command
    else {
      return try write(Output.writePrintable)
    }
    guard try isShown(by: command, write) else { return try write(Output.writePrintable) }
  }

  /// Writes lines, at a terminal through a pager when the screen does not hold them.
  package static func lines(_ lines: [String], _ global: GlobalOptions) throws {
    try print(lineCount: lines.count, isWanted: !global.noInput && !global.json) { destination in
      var output = OutputBuffer(to: destination)
      for line in lines { try output.append(line + "\n") }
      try output.flush()
    }
  }

  /// A command line of the shell; nil where none is to be used.
  private static var command: String? {
    guard System.environment("TERM") != "dumb" else { return nil }
    if let chosen = System.variable("CVAULT_PAGER") ?? System.variable("PAGER") {
      let words = chosen.split(separator: " ")
      return words.isEmpty || words == ["cat"] ? nil : chosen
    }
    return System.hasTool("less") ? "less -\(optionsOfLess)" : nil
  }

  /// What a pager is told: nothing of keys.
  private static var variables: [String] {
    let kept = System.variablesForTools()
    // What is searched for in a list of records is not kept.
    return kept.filter { !$0.hasPrefix("LESSHISTFILE=") } + ["LESSHISTFILE=-"]
      + (kept.contains { $0.hasPrefix("LESS=") } ? [] : ["LESS=\(optionsOfLess)"])
  }

  /// Whether the shell could start it.
  private static func isShown(
    by command: String, _ write: (@escaping (RawSpan) throws -> Void) throws -> Void
  ) throws -> Bool {
    let status = try System.leavingInterrupts {
      try System.writeShell(command, variables: variables) { end in
        do {
          try write { bytes in try System.writeAll(bytes, to: end, path: "pager") }
        } catch let error as SystemError where error.isClosedPipe {
          // A reader who has seen enough leaves.
        }
      }
    }
    return status != 126 && status != 127
  }
}
