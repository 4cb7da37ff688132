import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// `vault` alone at a terminal: the records to pick one from, and what is to be done with it.
struct Picker {
  private let options: CommonOptions
  /// The options as they were typed, which are passed on.
  private let arguments: [String]

  /// Nil where there is something else to be done, no terminal to show records on, or no vault.
  init?(_ arguments: [String]) {
    guard arguments.first?.hasPrefix("-") ?? true, Self.hasScreen, let options = try? CommonOptions.parse(arguments),
      !options.global.json, options.global.canAsk, (try? VaultLocation.find(options.vault))?.hasVault ?? false
    else { return nil }
    (self.options, self.arguments) = (options, arguments)
  }

  private static var hasScreen: Bool {
    let descriptors = [System.standardInput, System.standardOutput, System.standardError]
    guard let kind = System.environment("TERM"), kind != "dumb" else { return false }
    return descriptors.allSatisfy(System.isTerminal)
  }

  /// The command line that was picked; empty if nothing was.
  func choice() async throws -> [String] {
    let session = try Session(options.vault, options.global)
    _ = try await session.vaultToVerify(nil)
    let (rows, faults) = try await session.locked.rows()
    let records = session.locked.toldApart(Array(rows.inOrderOfLetters()))
    let picked = try await pick(from: records, of: session.locked)
    for fault in faults { options.global.messages.report(fault) }
    guard let (index, action) = picked else { return [] }
    return [action.rawValue, records[index].id.text] + arguments
  }

  private func pick(
    from records: [RecordSummary], of vault: LockedVault
  ) async throws -> (index: Int, action: PickerAction)? {
    guard let terminal = NamedFile.terminal() else { return nil }
    var state = PickerState(records.map { PickerRow(name: $0.label, others: [$0.who, $0.kind]) })
    let fields = PickerFields(records, vault)
    var view = PickerView(records, style: options.global.style)
    var decoder = KeyDecoder()
    let screen = try KeyScreen(terminal.descriptor)
    defer { screen.leave() }
    while true {
      state.fit(height: PickerScreen.rowCount(lines: view.size.lines))
      try screen.show(view.bytes(of: state))
      let keys: [Key]
      switch try screen.next(isUndecided: decoder.isUndecided) {
      case .bytes(let bytes): keys = decoder.keys(in: bytes)
      case .rest: keys = decoder.keysAtRest()
      case .redraw:
        view.forget()
        continue
      case .end: return nil
      }
      for key in keys {
        // What is typed at once with a key that picks counts for it.
        if !key.isText { await fields.look(for: &state) }
        switch state.take(key) {
        case .goesOn: continue
        case .leaves: return nil
        case .picks(let index, let action): return (index, action)
        }
      }
      await fields.look(for: &state)
    }
  }
}

/// The readable fields of the records that are picked from, which are looked into as `find` does.
private struct PickerFields {
  private let vault: LockedVault
  private let places: [RecordID: Int]

  init(_ records: [RecordSummary], _ vault: LockedVault) {
    self.vault = vault
    places = Dictionary(records.enumerated().map { ($1.id, $0) }) { first, _ in first }
  }

  /// Looks for the words that were typed since; what cannot be read is found by its name alone.
  func look(for state: inout PickerState) async {
    for word in state.unknownWords {
      var query = RecordQuery()
      query.texts = [word]
      let found = try? await vault.rows(query).records
      state.learn(word, isInFieldsOf: Set((found ?? RecordRows([])).compactMap { places[$0.id] }))
    }
  }
}

/// What the screen shows of a picker, and what has to be written where that changes.
private struct PickerView {
  private let rows: [RecordRow]
  private let style: Style
  private var table: Table<[RecordRow]>
  private var lines: [String] = []
  private(set) var size: (columns: Int, lines: Int)

  init(_ records: [RecordSummary], style: Style) {
    rows = records.map { RecordRow(summary: $0) }
    self.style = style
    size = Self.screen
    table = Self.table(rows, size.columns)
  }

  private static var screen: (columns: Int, lines: Int) {
    let screen = System.screen
    return (max(1, screen.columns), max(1, screen.rows ?? 24))
  }

  private static func table(_ rows: [RecordRow], _ columns: Int) -> Table<[RecordRow]> {
    let list = RecordTable(fields: [.name, .kind, .who, .age, .id], order: .name, isWide: false, style: .plain)
    let isolated = list.columns.map { column in
      var column = column
      column.look = Isolated.text
      return column
    }
    return Table(rows, isolated, width: PickerScreen.textWidth(columns: columns))
  }

  /// Another program, or another size, may have left nothing of what was shown.
  mutating func forget() {
    lines = []
    let now = Self.screen
    if now.columns != size.columns { table = Self.table(rows, now.columns) }
    size = now
  }

  mutating func bytes(of state: PickerState) -> [UInt8] {
    let texts = PickerScreen.Texts(header: table.header) { [rows, table] in table.line(of: rows[$0]) }
    let screen = PickerScreen(state, texts, columns: size.columns, lines: size.lines, style: style)
    var output = "\u{1B}[?25l" + (lines.isEmpty ? "\u{1B}[2J" : "")
    for (index, line) in screen.lines.enumerated() where !lines.indices.contains(index) || lines[index] != line {
      output += "\u{1B}[\(index + 1);1H\u{1B}[2K\(line)"
    }
    lines = screen.lines
    return Array((output + "\u{1B}[1;\(screen.cursorColumn + 1)H\u{1B}[?25h").utf8)
  }
}
