import Testing
import VaultCommands
import VaultDocument
import VaultPickerCommands
import VaultTerminal
import VaultTestSupport

@Suite("Keys of a terminal")
struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(in: text.utf8) + decoder.keysAtRest()
  }

  @Test(
    "sequences of terminals are keys",
    arguments: [
      ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6;5~", .pageDown), ("\u{1B}[H", .home),
      ("\u{1B}[4~", .end), ("\r", .enter), ("\u{7F}", .backspace), ("\t", .tab), ("\u{0F}", .control("o")),
      ("\u{1B}", .escape), ("é", .text("é")), ("東", .text("東")), ("👩", .text("👩")), ("\u{1B}[1;5A", .up),
    ] as [(String, Key)])
  func sequences(_ text: String, _ key: Key) { #expect(keys(text) == [key]) }

  @Test("bytes may come one by one: the keys are the same, and Esc alone is one when nothing follows")
  func pieces() {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in "a\u{1B}[6~東\u{1B}OA\u{1B}".utf8 { keys += decoder.keys(in: [byte]) }
    #expect(keys == [.text("a"), .pageDown, .text("東"), .up])
    #expect(decoder.isUndecided)
    #expect(decoder.keysAtRest() == [.escape])
    #expect(!decoder.isUndecided)
    #expect(decoder.keys(in: "\u{1B}\u{1B}".utf8) == [.escape])
    #expect(decoder.keysAtRest() == [.escape])
  }

  @Test("unknown sequences, keys with Alt, and bytes that are no text are no keys")
  func noise() {
    #expect(keys("\u{1B}[38;5;1mx\u{1B}b\u{1B}[<0;1;1M") == [.text("x")])
    var decoder = KeyDecoder()
    #expect(decoder.keys(in: [0xC3, 0x28, 0xFF, 0xED, 0xA0, 0x80, 0x00, 0x61]) == [.text("("), .text("a")])
    #expect(decoder.keys(in: [0xC2, 0x9B]) == [], "a control character of two bytes")
  }

  @Test("a line end that is pasted does nothing")
  func paste() { #expect(keys("\u{1B}[200~a\rb\u{0F}\u{1B}[201~\r") == [.text("a"), .text("b"), .enter]) }
}

@Suite("What a picker shows")
struct PickerTests {
  private func state(_ names: String..., height: Int = 3) -> PickerState {
    var state = PickerState(names.map { PickerRow(name: $0, others: ["of \($0)", "login"]) })
    state.fit(height: height)
    return state
  }

  private func type(_ text: String, in state: inout PickerState) {
    for character in text { _ = state.take(.text(character)) }
  }

  @Test("letters filter: every word must be in the name or beside it, in any case, without marks; names come first")
  func filter() {
    var state = PickerState(
      [("Abc", "hub@example"), ("GitHub", "ada"), ("Émile Zola", "ada")].map { PickerRow(name: $0, others: [$1]) })
    type("HUB", in: &state)
    #expect(state.shown == [1, 0])
    _ = state.take(.control("u"))
    type("zola emi", in: &state)
    #expect(state.shown == [2])
    #expect(state.filter == "zola emi")
    _ = state.take(.control("w"))
    #expect(state.filter == "zola ")
    for _ in 0..<3 { _ = state.take(.backspace) }
    #expect(state.filter == "zo")
    #expect(state.shown == [2])
    type("x", in: &state)
    #expect(state.shown.isEmpty)
    #expect(state.take(.enter) == .goesOn)
    #expect(state.take(.down) == .goesOn)
    #expect(state.take(.escape) == .goesOn)
    #expect(state.shown == [0, 1, 2])
    #expect(state.take(.escape) == .leaves)
  }

  @Test("what is in a readable field alone comes last, when that is known of every word")
  func fields() {
    var state = state("GitHub", "GitLab", "Bank", "Mail")
    type("git paris", in: &state)
    #expect(state.shown == [])
    #expect(state.unknownWords == ["git", "paris"])
    state.learn("git", isInFieldsOf: [0, 1, 3])
    #expect(state.shown == [])
    state.learn("paris", isInFieldsOf: [1, 2, 3])
    #expect(state.shown == [1, 3])
    #expect(state.unknownWords == [])
    for _ in 0..<6 { _ = state.take(.backspace) }
    #expect(state.filter == "git")
    #expect(state.shown == [0, 1, 3])
    _ = state.take(.down)
    type("h", in: &state)
    #expect(state.shown == [0], "as long as nobody has looked for it")
    state.learn("gith", isInFieldsOf: [3, 0])
    #expect(state.shown == [0, 3])
    _ = state.take(.escape)
    #expect(state.shown == [0, 1, 2, 3])
    #expect(state.unknownWords == [])
  }

  @Test(
    "the first line says that nothing was verified, in the words of lists, where there is room",
    arguments: [
      (80, "2 of 4 records, not verified"), (40, "2 of 4, not verified"), (28, "2 of 4"),
    ])
  func notVerified(_ columns: Int, _ words: String) {
    var state = state("ax", "bx", "c", "d")
    type("x", in: &state)
    let texts = PickerScreen.Texts(header: "") { _ in "" }
    let line = PickerScreen(state, texts, columns: columns, lines: 6, style: .plain).lines[0]
    #expect(line.hasSuffix("  " + words), "\(line)")
    #expect(!line.contains("  " + words + " "), "\(line)")
  }

  @Test("a sign that joins a letter to the next finds what the letter alone did not")
  func joinedLetters() {
    var state = state("क्ष", "त")
    type("क", in: &state)
    #expect(state.shown == [])
    type("\u{94D}", in: &state)
    type("ष", in: &state)
    #expect(state.shown == [0])
  }

  @Test("keys move, stop at the ends, and scroll")
  func moving() {
    var state = state("a", "b", "c", "d", "e", "f", "g")
    func after(_ key: Key) -> [Int] {
      _ = state.take(key)
      return [state.selected, state.top]
    }
    #expect(after(.up) == [0, 0])
    #expect(after(.down) == [1, 0])
    #expect(after(.pageDown) == [4, 2])
    #expect(after(.control("p")) == [3, 2])
    #expect(after(.end) == [6, 4])
    #expect(after(.down) == [6, 4])
    #expect(after(.pageUp) == [3, 3])
    #expect(after(.control("n")) == [4, 3])
    #expect(after(.home) == [0, 0])
    _ = after(.end)
    state.fit(height: 5)
    #expect(state.top == 2)
  }

  @Test("Enter, Ctrl-O, Ctrl-S and Ctrl-E pick")
  func picking() {
    var state = state("so", "b")
    #expect(state.take(.enter) == .picks(0, .copy))
    #expect(state.take(.control("e")) == .picks(0, .edit))
    #expect(state.take(.control("s")) == .picks(0, .show))
    #expect(state.take(.control("o")) == .picks(0, .otp))
  }

  @Test(
    "a letter always goes to the filter, whatever key came before it",
    arguments: [
      Key.up, .down, .pageUp, .pageDown, .home, .end, .tab, .backspace, .escape, .control("n"), .control("u"),
    ],
    ["o", "s", "e", "q", "j", "k", "/", " ", "?"] as [Character])
  func letters(_ before: Key, _ letter: Character) {
    var state = state("echo", "shop", "other", "q j k / ?")
    type("x", in: &state)
    _ = state.take(.control("u"))
    _ = state.take(.down)
    if before == .escape { type("y", in: &state) }
    _ = state.take(before)
    #expect(state.take(.text(letter)) == .goesOn)
    #expect(state.filter == String(letter))
  }

  @Test("every line fits the screen, and the last one has the keys", arguments: [10, 20, 40, 80, 120, 200])
  func lines(_ columns: Int) {
    let names = ["GitHub", "東京銀行", "בנק הפועלים", "مصرف", "Ze̋ro"]
    var state = PickerState(names.map { PickerRow(name: $0, others: []) })
    type("ש", in: &state)
    for filter in ["", String(repeating: "東京", count: 60)] {
      type(filter, in: &state)
      if filter.isEmpty { _ = state.take(.escape) }
      state.fit(height: PickerScreen.rowCount(lines: 6))
      let width = PickerScreen.textWidth(columns: columns)
      let texts = PickerScreen.Texts(header: DisplayWidth.cut("NAME", to: width).text) {
        Isolated.text(DisplayWidth.cut(names[$0], to: width).text)
      }
      let screen = PickerScreen(state, texts, columns: columns, lines: 6, style: .plain)
      #expect(screen.lines.count == 6)
      #expect(screen.cursorColumn < columns)
      for line in screen.lines { #expect(DisplayWidth.of(line) <= max(columns, 12), "\(line)") }
      #expect(screen.lines[5].hasPrefix(columns > 47 ? (columns > 79 ? "Type" : "Enter") : "Enter"))
    }
  }

  @Test("text from right to left is isolated, and other text is as it is")
  func isolated() {
    #expect(Isolated.text("בנק 1") == "\u{2068}בנק 1\u{2069}")
    #expect(DisplayWidth.of(Isolated.text("בנק 1")) == 5)
    #expect(Isolated.text("東京") == "東京")
    #expect(Isolated.text("a") == "a")
  }
}
