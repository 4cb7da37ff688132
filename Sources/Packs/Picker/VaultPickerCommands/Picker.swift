import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// `vault` alone at a terminal: picks a record and an action.
struct Picker {
  private let options: CommonOptions
  /// The options as typed, which are passed on.
  private let arguments: [String]

  /// Nil if there are other words, no terminal, or no vault.
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

  /// The picked command line; empty if nothing was picked.
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
        // Text that arrived with a picking key counts for the choice.
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

/// The readable fields of the records, searched as in `find`.
private struct PickerFields {
  private let vault: LockedVault
  private let places: [RecordID: Int]

  init(_ records: [RecordSummary], _ vault: LockedVault) {
    self.vault = vault
    places = Dictionary(records.enumerated().map { ($1.id, $0) }) { first, _ in first }
  }

  /// Searches for new words. An unreadable record is found only by its name.
  func look(for state: inout PickerState) async {
    for word in state.unknownWords {
      var query = RecordQuery()
      query.texts = [word]
      let found = try? await vault.rows(query).records
      state.learn(word, isInFieldsOf: Set((found ?? RecordRows([])).compactMap { places[$0.id] }))
    }
  }
}

/// The screen of a picker, and the output for its changes.
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

  /// Forgets the screen, because another program or a new size may have erased it.
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
