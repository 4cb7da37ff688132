/// The variables of a script that may hold a value, or the name of such a variable.
///
/// Names are compared without regard to scopes and order, so a script is refused too often rather than too rarely.
struct ShellFlow {
  enum Naming {
    /// Only after a `$`.
    case expanded
    /// Each word that is a name.
    case all
    /// Each word, and also variables that the shell sets itself, such as `_`.
    case evaluated
  }

  private let script: ShellScanner
  /// Variables that may hold a value; `@` stands for the arguments of functions.
  private var holders = ShellWords.leavings
  /// Those variables, and variables that may hold the name of one, which arithmetic follows.
  private var namers: Set<String> = []

  init(_ script: ShellScanner) {
    self.script = script
    if !script.functions.isDisjoint(with: ShellWords.hooks) { holders.insert("@") }
    let sets = script.commands.map { ($0, names(setBy: $0)) }.filter { !$0.1.isEmpty }
    holders = grown(holders, sets: sets) { command, holders in
      script.hasMark(in: command.range) || isUnknown(command)
        || !names(in: command.range, runsCommand(command.range) ? .all : .expanded).isDisjoint(with: holders)
    }
    namers = grown(holders, sets: sets) { command, namers in
      isBuilt(command.range) || !names(in: command.range, .all).isDisjoint(with: namers)
    }
  }

  /// Repeats the step until nothing new is found.
  private func grown(
    _ found: Set<String>, sets: [(ShellCommand, Set<String>)], takes: (ShellCommand, Set<String>) -> Bool
  ) -> Set<String> {
    var (result, count) = (found, -1)
    while count != result.count {
      count = result.count
      for (command, names) in sets where !names.isSubset(of: result) && takes(command, result) {
        result.formUnion(names)
      }
    }
    return result
  }

  // MARK: Questions

  /// Whether a part of the text names a variable that may hold a value.
  func holdsValue(_ range: Range<Int>, _ naming: Naming = .all) -> Bool {
    !names(in: range, naming).isDisjoint(with: holders)
  }

  /// Whether evaluating a part of the text may lead to a value.
  func leadsToValue(_ range: Range<Int>, _ naming: Naming = .all) -> Bool {
    isBuilt(range) || !names(in: range, naming).isDisjoint(with: namers)
  }

  // MARK: Commands

  func names(setBy command: ShellCommand) -> Set<String> {
    var names = Set(command.assignments.compactMap(\.assigned) + command.words.compactMap(\.assigned))
    names.formUnion(defaults(in: command.range))
    let words = Self.withoutPrefixes(command.words)
    guard let first = words.first?.name else { return names }
    if command.kind == .loop { names.insert(first) }
    names.formUnion(read(by: command))
    if first == "set" || script.functions.contains(first) { names.insert("@") }
    return names
  }

  /// The variables for the input or result of a command.
  func read(by command: ShellCommand) -> [String] {
    let words = Self.withoutPrefixes(command.words)
    return Self.setsNames(words) ? words.dropFirst().map(\.text) : []
  }

  private static func withoutPrefixes(_ words: [ShellWord]) -> ArraySlice<ShellWord> {
    words.drop { word in
      ShellWords.wrappers.contains(word.name) || word.literal.first == UInt8(ascii: "-") || word.assigned != nil
    }
  }

  private static func setsNames(_ words: ArraySlice<ShellWord>) -> Bool {
    guard let first = words.first?.name, ShellWords.setters.contains(first) else { return false }
    return !first.hasPrefix("print") || words.dropFirst().contains { $0.literal.starts(with: "-".utf8) }
  }

  /// Whether a command sets variables from input, from the output of a function, or from a list of variables.
  private func isUnknown(_ command: ShellCommand) -> Bool {
    if Self.setsNames(Self.withoutPrefixes(command.words)) { return true }
    guard runsCommand(command.range) else { return false }
    let names = names(in: command.range, .all)
    return !names.isDisjoint(with: script.functions) || !names.isDisjoint(with: ShellWords.printers)
  }

  private func runsCommand(_ range: Range<Int>) -> Bool {
    let text = script.text[range]
    return text.contains(UInt8(ascii: "`")) || Array(text).holds(Array("$(".utf8))
  }

  /// The variables of `${NAME:=…}`.
  func defaults(in range: Range<Int>) -> [String] {
    let text = script.text[range]
    return text.indices.compactMap { index in
      guard text[index...].starts(with: "${".utf8) else { return nil }
      let name = text[(index + 2)...].prefix { ShellScanner.isOfName($0) }
      let rest = text[name.endIndex...]
      return rest.starts(with: "=".utf8) || rest.starts(with: ":=".utf8) ? String(decoding: name, as: UTF8.self) : nil
    }
  }

  // MARK: Names

  private func names(in range: Range<Int>, _ naming: Naming) -> Set<String> {
    var (names, index) = (Set<String>(), range.lowerBound)
    while index < range.upperBound {
      let before = index > 0 ? script.text[index - 1] : 0
      let isExpansion = before == UInt8(ascii: "$") || before == UInt8(ascii: "{")
      let word = script.text[index..<range.upperBound].prefix { ShellScanner.isOfName($0) }
      guard let first = word.first else {
        if isExpansion, "@*".utf8.contains(script.text[index]) { names.insert("@") }
        index += 1
        continue
      }
      index = word.endIndex
      let name = String(decoding: word, as: UTF8.self)
      // The arguments are `argv` in zsh.
      let isArgument = first &- UInt8(ascii: "0") < 10 || name == "argv"
      let isMeant = isExpansion || naming == .evaluated || naming == .all && !ShellWords.leavings.contains(name)
      if isArgument, isExpansion || name == "argv" { names.insert("@") }
      if !isArgument, isMeant { names.insert(name) }
    }
    return names
  }

  /// Whether a name may be built from parts: by an expansion beside a part of a name, or by `+=`.
  private func isBuilt(_ range: Range<Int>) -> Bool {
    let text = script.text[range].filter { !"'\"\\".utf8.contains($0) }
    return text.indices.dropFirst().contains { index in
      let (before, byte) = (text[index - 1], text[index])
      let isEnd = ShellScanner.isOfName(before) || before == UInt8(ascii: "}") || before == UInt8(ascii: ")")
      if byte == UInt8(ascii: "$") { return isEnd }
      if before == UInt8(ascii: "+"), byte == UInt8(ascii: "=") { return true }
      return ShellScanner.isOfName(byte) && (before == UInt8(ascii: "}") || before == UInt8(ascii: ")"))
    }
  }
}

extension ShellWord {
  /// The last part of a path; empty for a word that is not fixed.
  var name: String {
    guard isFixed else { return "" }
    return text.split(separator: "/").last.map(String.init) ?? ""
  }
}
