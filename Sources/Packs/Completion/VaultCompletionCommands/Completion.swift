import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

/// The completion of a command line that somebody types. It needs no key and asks for nothing. If it fails, it offers
/// no words.
struct Completion: CompletionPlace {
  private static let limit = 200

  private(set) var current: String
  let command: any ParsableCommand.Type
  let form: CommandForm
  let positions: [String]
  private let pending: CommandForm.Option?
  private var vault: VaultOptions

  /// - Parameter words: the words after the program name, the last one unfinished.
  init(_ words: [String]) {
    current = words.last ?? ""
    let words = ArgumentOrder.normalised(words.dropLast())
    var found: any ParsableCommand.Type = VaultCommand.self
    var rest = words[...]
    if rest.first == "help" { rest.removeFirst() }
    while let word = rest.first, let next = CommandNames.subcommand(word, of: found) {
      (found, rest) = (next, rest.dropFirst())
    }
    command = found
    form = CommandForm(of: found)
    var (positions, pending): ([String], CommandForm.Option?) = ([], nil)
    var vault = VaultOptions.none
    var hasEnded = false
    for word in rest {
      if let option = pending {
        for name in option.names { vault.take(word, of: name) }
        pending = nil
      } else if word == "--" {
        hasEnded = true
      } else if !hasEnded, word.hasPrefix("-"), word != "-" {
        pending = form.option(word).flatMap { $0.value == nil ? nil : $0 }
        if let equals = word.firstIndex(of: "=") {
          vault.take(String(word[word.index(after: equals)...]), of: String(word[..<equals]))
        }
      } else {
        positions.append(word)
      }
    }
    (self.positions, self.pending, self.vault) = (positions, pending, vault)
  }

  func result() async -> CompletionResult {
    if let pending { return await values(of: pending) }
    if current.hasPrefix("--"), let equals = current.firstIndex(of: "="),
      let option = form.option(current[..<equals])
    {
      let value = Completion(option, text: String(current[current.index(after: equals)...]), in: self)
      guard case .words(let words) = await value.values(of: option) else { return .files }
      return .words(words.map { current[...equals] + $0 })
    }
    if current.hasPrefix("-") { return .words(fitting(form.options.compactMap(\.names.last))) }
    if !command.configuration.subcommands.isEmpty { return .words(commandNames) }
    guard let name = positions.count < form.arguments.count ? form.arguments[positions.count] : form.arguments.last
    else { return .words([]) }
    return await candidates(name)
  }

  /// The completion of the value in `--option=`.
  private init(_ option: CommandForm.Option, text: String, in other: Completion) {
    (current, pending) = (text, option)
    (command, form, positions, vault) = (other.command, other.form, other.positions, other.vault)
  }

  private func values(of option: CommandForm.Option) async -> CompletionResult {
    guard option.choices.isEmpty else { return .words(fitting(option.choices)) }
    if option.names.contains("--drop-key") { return .words(slots()) }
    let isSecret = option.names.contains { ["--secret", "--secret-stdin", "--generate", "--secret-file"].contains($0) }
    if isSecret {
      let names = await fields(isNew: nil).filter(\.isSealed).map(\.path.description)
      return .words(fitting(names.map { option.names.contains("--secret-file") ? $0 + "=" : $0 }))
    }
    return await candidates(option.value ?? "")
  }

  private func candidates(_ name: String) async -> CompletionResult {
    if let command = command as? any PlaceCompleting.Type,
      let found = await command.candidates(for: name, self)
    {
      return found
    }
    switch name {
    case "record":
      let references = hasReferences ? await references(current) : []
      return .words(references.isEmpty ? await recordsAndVaults() : references)
    case "reference", "ref": return .words(await references(current))
    case "name=reference":
      guard let equals = current.firstIndex(of: "=") else { return .words([]) }
      return .words(await references(String(current[current.index(after: equals)...])).map { current[...equals] + $0 })
    case "command": return commands()
    // A shell cannot know the recipient of an identity.
    case "who": return current.hasPrefix("age1") ? .words([]) : .files
    case "vault": return .words(fitting(vaultNames))
    case "kind": return .words(fitting(catalog.names))
    case "field": return .words(fitting(await fields(isNew: nil).map(\.path.description)))
    case "field=value":
      let isNew = form.arguments.first == "kind"
      return .words(fitting(await fields(isNew: isNew).filter { !$0.isSealed }.map { $0.path.description + "=" }))
    case "slot": return .words(slots())
    case "file", "dir", "field=file", "slot=file", "identity": return .files
    default: return .words([])
    }
  }
}

extension Completion {
  func fitting(_ words: [String]) -> [String] {
    Array(words.filter { $0.lowercased().hasPrefix(current.lowercased()) }.prefix(Self.limit))
  }

  /// Command names. Aliases are not offered beside them.
  private var commandNames: [String] {
    let subcommands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let names = fitting(subcommands.map { $0._commandName } + ["help"])
    return names.isEmpty ? fitting(subcommands.flatMap { $0.configuration.aliases }) : names
  }

  var locked: LockedVault? {
    let global = try? GlobalOptions.parse(["--quiet"])
    guard let global, let location = try? VaultLocation.find(vault) else { return nil }
    return try? location.open(nil).using(IndexLocation.options(global))
  }

  private var catalog: KindCatalog { locked?.kinds ?? .builtIn }

  private var set: (any VaultNames)? { try? Packs.sets?.find(vault.vaults) }

  var vaultNames: [String] { self.set?.names ?? [] }

  /// Records of the vault, or of a set's vault after its name. Also the names of vaults, unless an option names a
  /// vault.
  private func recordsAndVaults() async -> [String] {
    guard !vault.isGiven, let set else { return await records() }
    let word = set.parts(of: current)
    guard let name = word.name else { return await records() + fitting(vaultNames.map { $0 + ":" }) }
    var behind = self
    behind.current = word.record
    behind.vault.names = [name]
    return await behind.records().map { "\(name):\($0)" }
  }

  /// Names of records. Ids are offered if several records have the name, or if an id was begun.
  private func records() async -> [String] {
    guard let locked, let listed = try? await locked.listed().records else { return [] }
    return naming(locked.toldApart(listed).map { ($0.label, $0.id) })
  }

  /// The words for records. A name is offered once, because the command asks which record is meant. Ids are offered if
  /// an id was begun.
  func naming(_ rows: [(label: String, id: RecordID)]) -> [String] {
    let typed = current.lowercased()
    var words: [String] = []
    var seen: Set<String> = []
    for (label, id) in rows where words.count < Self.limit {
      let isTypeable = !label.isEmpty && Printable.text(label) == label
      if isTypeable, label.lowercased().hasPrefix(typed) {
        if seen.insert(label).inserted { words.append(label) }
      } else if id.text.hasPrefix(typed), !isTypeable || !typed.isEmpty {
        words.append(id.text)
      }
    }
    return words
  }

  /// The fields of the kind or record in the first word.
  ///
  /// - Parameter isOfAny: whether fields of all kinds are meant.
  func fields(isNew: Bool?, ofAnyKind isOfAny: Bool = false, first: String? = nil) async -> [RecordField] {
    if isOfAny {
      var seen: Set<String> = []
      return catalog.names.flatMap { catalog[$0]?.fields ?? [] }
        .filter { $0.suffix.isEmpty && seen.insert($0.path.description).inserted }
    }
    guard var first = first ?? positions.first else { return [] }
    var place = self
    if !vault.isGiven, let set {
      let word = set.parts(of: first)
      if let name = word.name { (first, place.vault.names) = (word.record, [name]) }
    }
    guard let locked = place.locked else { return [] }
    if isNew ?? (form.arguments.first == "kind") { return locked.kinds[first]?.fields.filter(\.suffix.isEmpty) ?? [] }
    guard let id = try? await locked.resolve(first), let record = try? locked.record(id) else { return [] }
    return locked.kinds[record.envelope.kind]?.fields.filter(\.suffix.isEmpty) ?? []
  }

  func fields(ofAnyKind isOfAny: Bool) async -> [RecordField] { await fields(isNew: nil, ofAnyKind: isOfAny) }

  private func slots() -> [String] {
    let slots = locked?.header.slots ?? []
    return fitting(slots.map { $0.label.isEmpty ? String($0.id.text.prefix(8)) : $0.label })
  }
}

extension VaultOptions {
  /// Reads the value of an option that describes the vault.
  fileprivate mutating func take(_ word: String, of option: String) {
    switch option {
    case "--vault": vault = word
    case "--vaults": vaults = word
    case "--in": names.append(word)
    default: break
    }
  }
}

extension Completion {
  /// `vault complete SHELL …`, which the scripts call.
  ///
  /// - bash: the line up to the cursor, and the word that bash completes.
  /// - zsh, fish: the words after the program name, without quotes, the last one unfinished.
  /// - man: not a shell. The words are those of a command, whose manual page is printed.
  static func run(_ arguments: [String]) async {
    guard let shell = arguments.first else { return }
    if shell == "man" {
      try? Output.line(ManualPage(Array(arguments.dropFirst())).text)
      return
    }
    var words = Array(arguments.dropFirst())
    var line = ShellWords("")
    if shell == "bash" {
      line = ShellWords(words.first ?? "")
      words = Array(line.words.dropFirst())
    } else if shell == "fish", let last = words.popLast() {
      words.append(ShellWords(last).words.last ?? "")
    }
    switch await Completion(words).result() {
    case .files: try? Output.line("\u{1}files")
    case .words(let found):
      let rest = arguments.dropFirst(2).first ?? ""
      let shown = shell == "bash" ? found.map { line.replacement($0, for: rest) } : found
      // No shell accepts a line feed.
      try? Output.lines(shown.filter { !$0.contains("\n") })
    }
  }
}
