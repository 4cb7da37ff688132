internal import VaultDocument

/// Whether a script can be filled: no shell may run or evaluate a value, where it stands or through a variable.
///
/// Files, pipes and other programs are not followed.
struct ShellJudgement {
  private let script: ShellScanner
  private let flow: ShellFlow

  init(_ script: ShellScanner) { (self.script, flow) = (script, ShellFlow(script)) }

  func check() throws(TemplateFault) {
    for command in script.commands {
      for assignment in command.assignments { try check(assignment) }
      try checkNames(of: command)
      if command.kind == .simple { try check(command) }
    }
    for range in script.evaluated { try checkEvaluated(range, .evaluated) }
    if let range = script.unread { try checkEvaluated(range, .all) }
  }

  /// A loop and `${NAME:=…}` must not set variables that shells evaluate.
  private func checkNames(of command: ShellCommand) throws(TemplateFault) {
    let names = command.kind == .loop ? command.words.prefix(1).map(\.text) : flow.defaults(in: command.range)
    if names.contains(where: ShellWords.isSpecial) { try forbid(command.range, Self.special) }
    // The input may be a value.
    if flow.read(by: command).contains(where: ShellWords.isSpecial) {
      throw refusal(command.range.lowerBound, Self.special)
    }
  }

  private func refusal(_ start: Int, _ reason: String) -> TemplateFault {
    TemplateFault(line: script.line(of: start), reason)
  }

  private func checkEvaluated(_ range: Range<Int>, _ naming: ShellFlow.Naming) throws(TemplateFault) {
    if flow.leadsToValue(range, naming) {
      throw refusal(range.lowerBound, "a shell evaluates a variable here that may hold a value")
    }
  }

  private func check(_ assignment: ShellWord) throws(TemplateFault) {
    guard let name = assignment.assigned, ShellWords.isSpecial(name) else { return }
    if script.hasMark(in: assignment.range) || flow.holdsValue(assignment.range, .expanded) {
      throw refusal(assignment.range.lowerBound, Self.special)
    }
  }
  private static let special =
    "the value would decide what a shell or program runs, because shells evaluate this variable"

  // MARK: Commands

  private func check(_ command: ShellCommand) throws(TemplateFault) {
    var (words, isVague) = (command.words[...], false)
    while let first = words.first, first.isFixed, ShellWords.wrappers.contains(first.name) {
      words.removeFirst()
      if !ShellWords.prefixes.contains(first.name) { isVague = true }
      if words.first?.literal.first == UInt8(ascii: "-") { isVague = true }
      while let next = words.first, next.assigned != nil {
        try check(next)
        words.removeFirst()
      }
    }
    try checkReading(command)
    guard let first = words.first else { return }
    let (part, rest) = (first.range.lowerBound..<command.range.upperBound, words.dropFirst())
    let isOdd = first.isOdd && !["[", "!"].contains(first.text)
    if let mark = script.marks.keys.filter(first.range.contains).min() {
      throw refusal(mark, "the value would be run as a command")
    }
    if !first.isFixed || isOdd || isVague {
      try forbid(part, "the value goes to a command that is known only when the script runs")
    }
    if ShellWords.changers.contains(first.name) {
      throw refusal(part.lowerBound, "a command here runs text or changes how the rest of the script is read")
    }
    switch first.name {
    case "echo", ":", "true", "false": return
    case "printf":
      let format = rest.first
      if format?.isFixed == true, ShellWords.isTextFormat(format?.literal ?? []) { return }
      try forbid(part, "printf evaluates the value or uses it as a format: write printf '%s'")
    case "test", "[": try checkTest(rest, part)
    case "export", "readonly": try checkNaming(rest)
    case "local", "declare", "typeset": try checkDeclaration(rest, part)
    case "set": try checkOptions(rest)
    default: try checkProgram(first.name, words: rest, part: part)
    }
  }

  /// Throws if a part of the text may contain a value, or a variable that may hold one.
  ///
  /// - Parameter isEvaluated: whether the name of such a variable is enough.
  private func forbid(_ part: Range<Int>, _ reason: String, isEvaluated: Bool = false) throws(TemplateFault) {
    let bodies = script.bodies.filter { part.contains($0.start) }.map(\.range)
    if let mark = script.marks.keys.filter(part.contains).min() { throw refusal(mark, reason) }
    for range in [part] + bodies {
      if isEvaluated ? flow.leadsToValue(range) : flow.holdsValue(range) { throw refusal(part.lowerBound, reason) }
    }
  }

  private func checkTest(_ words: ArraySlice<ShellWord>, _ part: Range<Int>) throws(TemplateFault) {
    var words = words
    if words.last?.text == "]" { words.removeLast() }
    if words.first?.text == "!", words.count > 2 { words.removeFirst() }
    let texts = words.map { $0.isFixed ? $0.text : "" }
    let isPlain =
      switch texts.count {
      case 0, 1: true
      case 2: ShellWords.tests.contains(texts[0])
      case 3: ["=", "==", "!="].contains(texts[1])
      default: false
      }
    // A shell may split an unquoted expansion into several words.
    if !isPlain || words.contains(where: \.isSplit) {
      try forbid(
        part, "this test may evaluate the value: compare texts in double quotes with = or !=, one at a time",
        isEvaluated: true)
    }
  }

  /// Checks `export` and `readonly`: a plain name must precede each value.
  private func checkNaming(_ words: ArraySlice<ShellWord>) throws(TemplateFault) {
    let hasOptions = words.contains { "-+".utf8.contains($0.literal.first ?? 0) }
    for word in words
    where script.hasMark(in: word.range) || flow.holdsValue(word.range, hasOptions ? .all : .expanded) {
      guard word.assigned != nil, !hasOptions, !word.isSplit else {
        throw refusal(word.range.lowerBound, Self.naming)
      }
      try check(word)
    }
  }

  private static let naming =
    "the value would be the name of a variable, or be evaluated by options: write NAME=\"$VALUE\", with the quotes"

  /// Checks declarations. With options they evaluate values. Without options they still evaluate values of existing
  /// arrays.
  private func checkDeclaration(_ words: ArraySlice<ShellWord>, _ part: Range<Int>) throws(TemplateFault) {
    let reason = "some shells evaluate the value here: write the assignment on its own, after the declaration"
    let hasOptions = words.contains { "-+".utf8.contains($0.literal.first ?? 0) || !$0.isFixed && $0.assigned == nil }
    if hasOptions { try forbid(part, reason, isEvaluated: true) }
    for word in words where word.isSplit && flow.holdsValue(word.range, .expanded) {
      throw refusal(word.range.lowerBound, Self.naming)
    }
    if let mark = script.marks.keys.filter(part.contains).min() { throw refusal(mark, reason) }
  }

  private func checkOptions(_ words: ArraySlice<ShellWord>) throws(TemplateFault) {
    for word in words {
      if word.text == "--" { return }
      let isOption = word.literal.first == UInt8(ascii: "-") || word.literal.first == UInt8(ascii: "+")
      let isKnown =
        isOption
        ? word.literal.dropFirst().allSatisfy { "aefuxvoCbmET".utf8.contains($0) }
        : ShellWords.options.contains(word.text)
      guard word.isFixed, isKnown else {
        throw refusal(word.range.lowerBound, "set changes how a shell reads the script: write set -- before arguments")
      }
    }
  }

  private func checkProgram(
    _ name: String, words: ArraySlice<ShellWord>, part: Range<Int>
  ) throws(TemplateFault) {
    let names = Set([name] + words.filter(\.isFixed).map(\.name))
    if !names.isDisjoint(with: ShellWords.readers) {
      throw refusal(part.lowerBound, "a command here runs what it reads")
    }
    // Plain names are not evaluated, even if the variable then holds a value.
    let isPlain = words.allSatisfy { $0.isFixed && !$0.literal.contains(UInt8(ascii: "[")) }
    if ["read", "getopts"].contains(name), isPlain { return }
    let (isShell, isBuiltin) = (!names.isDisjoint(with: ShellWords.shells), ShellWords.builtins.contains(name))
    guard isShell || isBuiltin || !names.isDisjoint(with: ShellWords.programs) else { return }
    try forbid(part, "the value goes to a command that evaluates its arguments", isEvaluated: isShell || isBuiltin)
    guard isShell || name == "." || name == "source" else { return }
    // Without a file a shell runs its input.
    let files = words.filter { !ShellWords.shells.contains($0.name) && $0.literal.first != UInt8(ascii: "-") }
    let isReading =
      files.isEmpty
      || words.contains { word in
        let isOption = word.literal.first == UInt8(ascii: "-") && !word.text.hasPrefix("--")
        return isStream(word) || isOption && (word.literal.count == 1 || word.literal.contains(UInt8(ascii: "s")))
      }
    if isReading { throw refusal(part.lowerBound, Self.reading) }
  }

  private static let reading = "a shell here runs what it reads"

  private func isStream(_ word: ShellWord) -> Bool {
    word.text == "-" || ["/dev/", "/proc/"].contains { word.text.hasPrefix($0) }
      || script.isAt("<(", word.range.lowerBound)
  }

  // MARK: Input of commands

  /// Throws if a command may run its input, and a part of the script is the input of a command.
  private func checkReading(_ command: ShellCommand) throws(TemplateFault) {
    guard script.feedsCommands else { return }
    let words = command.words
    let isWrapped = words.first.map { ShellWords.wrappers.contains($0.name) } ?? false
    let names = Set((isWrapped ? words[...] : words.prefix(1)).filter(\.isFixed).map(\.name))
    let last = words.last { $0.literal.first != UInt8(ascii: "-") }
    let operands = words.dropFirst().filter { $0.literal.first != UInt8(ascii: "-") }
    let isBare = operands.isEmpty || operands.contains(where: isStream)
    let isUnknown = words.first.map { !$0.isFixed && $0.literal.isEmpty && !script.isArguments($0) } ?? false
    let isShell = !names.isDisjoint(with: ShellWords.shells)
    let isVague = isShell && !words.contains { $0.text.hasPrefix("-") && $0.text.hasSuffix("c") }
    let runsInput =
      isUnknown && isBare || !names.isDisjoint(with: ShellWords.openers)
      || isVague && last.map { !$0.isFixed && $0.literal.isEmpty } ?? false
      || !names.isDisjoint(with: ShellWords.programs) && isBare
      || ["sudo", "doas"].contains(words.first?.name) && (isBare || Self.opensShell(words.dropFirst()))
    if runsInput { throw refusal(command.range.lowerBound, Self.reading) }
  }

  /// Whether options of `sudo` request a shell.
  private static func opensShell(_ words: ArraySlice<ShellWord>) -> Bool {
    var isValue = false
    for word in words {
      if isValue {
        isValue = false
        continue
      }
      guard word.literal.first == UInt8(ascii: "-") else { return false }
      let letters = word.literal.dropFirst()
      if letters.contains(UInt8(ascii: "s")) || letters.contains(UInt8(ascii: "i")) { return true }
      isValue = letters.last.map { "ugpCDhRrTU".utf8.contains($0) } ?? false
    }
    return true
  }
}
