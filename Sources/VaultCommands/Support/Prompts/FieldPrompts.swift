import VaultDocument
import VaultRecords

/// Asks for the fields of a record, one after the other.
struct FieldPrompts {
  let kind: RecordKind
  let global: GlobalOptions

  /// - Parameter given: what needs not be asked for.
  func record(from given: JSONValue) throws -> JSONValue {
    guard let terminal = Terminal(noInput: global.noInput) else {
      preconditionFailure("whether questions can be asked was checked")
    }
    var record = given
    try terminal.say("A new \(kind.name). Fields in brackets may be left empty.\n")
    for field in kind.fields where (try? given.value(at: field.path)) == nil {
      switch field.suffix {
      case "", "[]": try ask(for: field, &record, terminal)
      case ".*": try askForMap(field, &record, terminal)
      // What has a structure of its own is given with --from.
      default: continue
      }
    }
    return record
  }

  private func ask(for field: RecordField, _ record: inout JSONValue, _ terminal: borrowing Terminal) throws {
    let label = field.suffix.isEmpty ? label(of: field) : label(of: field) + ", with commas between"
    let mayBeEmpty = !field.isRequired || field.isDate
    guard
      let value = try answer(mayBeEmpty ? "[\(label)]" : label, field, at: field.path, mayBeEmpty: mayBeEmpty, terminal)
    else { return }
    try record.put(value, at: field.path, option: field.pattern)
  }

  /// Asks for names and values until no name is given.
  private func askForMap(_ field: RecordField, _ record: inout JSONValue, _ terminal: borrowing Terminal) throws {
    while true {
      let name = try terminal.answer("[\(label(of: field)), its name]: ")
      guard !name.isEmpty else { return }
      let path = field.path.appending(name)
      guard let value = try answer(Printable.text(name), field, at: path, mayBeEmpty: true, terminal) else { continue }
      try record.put(value, at: path, option: field.pattern)
    }
  }

  /// A value that the kind takes; nil for an empty answer.
  private func answer(
    _ label: String, _ field: RecordField, at path: MemberPath, mayBeEmpty: Bool, _ terminal: borrowing Terminal
  ) throws -> JSONValue? {
    while true {
      let text =
        field.isSealed ? try terminal.secret("\(label), not shown: ").string : try terminal.answer("\(label): ")
      guard let text else {
        try terminal.say("That is not UTF-8 text.\n")
        continue
      }
      if text.isEmpty {
        if mayBeEmpty { return nil }
        continue
      }
      let value = kind.argument(text, at: path)
      do throws(RecordError) {
        _ = try kind.plaintext(of: value, at: path)
      } catch {
        try terminal.say("\(explanation(error, field))\n")
        continue
      }
      if let fault = field.value.fault(ofSecret: text, global) {
        try terminal.say("That \(fault).\n")
        continue
      }
      // Nobody sees what was typed, so it is typed twice.
      let again = field.isSealed ? try terminal.secret("\(label), again: ").string : text
      if again?.utf8.elementsEqual(text.utf8) == true { return value }
      try terminal.say("They differ. Try again.\n")
    }
  }

  /// What is wrong with an answer: a pattern is for programs.
  private func explanation(_ error: RecordError, _ field: RecordField) -> String {
    guard error.code == .invalidValue, case .text(let rule) = field.value.form, let pattern = rule.pattern,
      rule.minimumLength == nil, rule.maximumLength == nil
    else {
      return "That \(error.reason).\(field.isDate ? " A date looks like 2026-11-21T01:40:28Z." : "")"
    }
    let isOfDigits = pattern.text.allSatisfy { "^[0-9](?: -]*)+${},134".contains($0) }
    if isOfDigits { return "That is not written in digits, as \(label(of: field)) must be." }
    return kind.isDeclared
      ? "That \(error.reason)." : "That does not have the form of \(label(of: field))."
  }

  private func label(of field: RecordField) -> String {
    var label = Printable.text(field.label)
    if let allowed = field.value.allowed?.compactMap(\.string), !allowed.isEmpty {
      label += " (\(Printable.text(allowed.joined(separator: ", "))))"
    }
    return label
  }
}

extension ValueSchema {
  /// What is wrong with a secret that a person gives, by its sort; nil for nothing. Files of other tools are taken as
  /// they are.
  func fault(ofSecret text: String, _ global: GlobalOptions) -> String? {
    guard isSealed, secretSort == .otp, !text.isEmpty else { return nil }
    do throws(RecordError) {
      let key = try OneTimeKey(parsing: text)
      if key.bitCount < 80 {
        global.messages.note("a key of one-time codes has 80 bits at least; this has \(key.bitCount)")
      }
      return nil
    } catch {
      return error.reason
    }
  }
}
