import ArgumentParser
package import VaultDocument

package struct TableOptions: ParsableArguments {
  @Flag(help: "Show whole texts, ids and times, even if they do not fit.")
  package var wide = false

  @Flag(help: "Use no pager.")
  package var noPager = false

  package init() {}

  /// The width of a table; nil for the width of its texts.
  package var width: Int? { wide ? nil : max(20, System.screen.columns) }

  package func isShown(_ global: GlobalOptions) -> Bool { Output.isTerminal && !global.json }

  /// The beginning of an id, or the whole id.
  package func shown(_ id: RecordID) -> String { wide ? id.text : String(id.text.prefix(8)) }

  /// The time that has passed, or the time itself.
  package func shown(_ time: Timestamp) -> String { wide ? time.text : Elapsed.words(from: time, to: .now()) }

  /// Prints rows as a table to the terminal. Without rows nothing is printed.
  package func print<Rows: RandomAccessCollection>(
    _ rows: Rows, columns: [TableColumn<Rows.Element>], global: GlobalOptions
  ) throws {
    if !rows.isEmpty { try print(Table(rows, columns, width: width), global) }
  }

  /// Prints a table to the terminal, through a pager if the screen is too small.
  package func print<Rows>(_ table: Table<Rows>, _ global: GlobalOptions) throws {
    try Pager.print(lineCount: table.lineCount, isWanted: !noPager && !global.noInput) { destination in
      var output = OutputBuffer(to: destination)
      try table.lines(global.style) { line in try output.append(line) }
      try output.flush()
    }
  }
}

/// The program that shows more lines than a screen holds.
package enum Pager {
  /// Options that keep colors, end if all fits, and leave the text on the screen, as in git.
  private static let optionsOfLess = "FRX"

  /// Writes to the terminal, or to a pager if there are more lines than the screen has.
  ///
  /// - Parameter write: writes the text with the given function. Its errors are thrown, unless the user has left the
  ///   pager.
  static func print(lineCount: Int, isWanted: Bool, _ write: (@escaping (RawSpan) throws -> Void) throws -> Void) throws
  {
    guard isWanted, Output.isTerminal, Output.part == nil, let rows = System.screen.rows, lineCount >= rows, let command
    else {
      return try write(Output.writePrintable)
    }
    guard try isShown(by: command, write) else { return try write(Output.writePrintable) }
  }

  /// Writes lines. At a terminal they go through a pager if the screen is too small.
  package static func lines(_ lines: [String], _ global: GlobalOptions? = nil) throws {
    let isWanted = global.map { !$0.noInput && !$0.json } ?? true
    try print(lineCount: lines.count, isWanted: isWanted) { destination in
      var output = OutputBuffer(to: destination)
      for line in lines { try output.append(line + "\n") }
      try output.flush()
    }
  }

  /// The shell command line of the pager; nil for no pager.
  private static var command: String? {
    guard System.environment("TERM") != "dumb" else { return nil }
    if let chosen = System.variable("CVAULT_PAGER") ?? System.variable("PAGER") {
      let words = chosen.split(separator: " ")
      return words.isEmpty || words == ["cat"] ? nil : chosen
    }
    return System.hasTool("less") ? "less -\(optionsOfLess)" : nil
  }

  /// The environment of a pager, without keys.
  private static var variables: [String] {
    let kept = System.variablesForTools()
    // The pager must not save the texts that the user searches for.
    return kept.filter { !$0.hasPrefix("LESSHISTFILE=") } + ["LESSHISTFILE=-"]
      + (kept.contains { $0.hasPrefix("LESS=") } ? [] : ["LESS=\(optionsOfLess)"])
  }

  /// Whether the shell could start the pager.
  private static func isShown(
    by command: String, _ write: (@escaping (RawSpan) throws -> Void) throws -> Void
  ) throws -> Bool {
    let status = try System.leavingInterrupts {
      try System.writeShell(command, variables: variables) { end in
        do {
          try write { bytes in try System.writeAll(bytes, to: end, path: "pager") }
        } catch let error as SystemError where error.isClosedPipe {
          // The user has left the pager.
        }
      }
    }
    return status != 126 && status != 127
  }
}
