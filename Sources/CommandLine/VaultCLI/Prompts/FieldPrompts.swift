package import VaultDocument
package import VaultRecords
package import VaultTerminal

/// This type asks at a terminal for the fields that `vault add` was not given. No other command uses it.
package struct FieldPrompts {
  package let kind: RecordKind
  /// The recipe for generated passwords, if one was given.
  package let recipe: PasswordRecipe?
  package let global: GlobalOptions

  package init(kind: RecordKind, recipe: PasswordRecipe?, global: GlobalOptions) {
    (self.kind, self.recipe, self.global) = (kind, recipe, global)
  }

  /// Asks for the missing fields. The caller has checked that there is a terminal.
  ///
  /// - Parameter given: the fields that are already known.
  package func record(from given: JSONValue) throws -> JSONValue {
    guard let terminal = Terminal(noInput: global.noInput) else {
      preconditionFailure("whether questions can be asked was checked")
    }
    var record = given
    try terminal.say("A new \(kind.name). Fields in brackets may be left empty.\n")
    // A structured value is given with --from.
    let fields = kind.fields.filter { ["", "[]", ".*"].contains($0.suffix) }
    let usual = usualCount(of: fields)
    let missing = fields.enumerated().filter { !given.hasValue(at: $1.path) }
    var later = missing.filter { $0 >= usual && !$1.isRequired }
    // A question about a single field would save no answer.
    if later.count == 1 { later = [] }
    for (index, field) in missing where !later.contains(where: { $0.offset == index }) {
      try ask(for: field, &record, terminal)
    }
    let labels = later.map { label(of: $1) }.joined(separator: ", ")
    if !later.isEmpty, try terminal.confirms("More? \(labels)") {
      for (_, field) in later { try ask(for: field, &record, terminal) }
    }
    return record
  }

  /// The number of fields that are asked for at once: the first four, or all up to the last password, key or PIN.
  private func usualCount(of fields: [RecordField]) -> Int {
    let last = fields.lastIndex { field in
      field.isSealed && field.suffix.isEmpty
        && [SecretSort.password, .pin, .token, .key].contains(field.value.secretSort)
    }
    return max(4, (last ?? 0) + 1)
  }

  /// Asks for one field and sets it in the record. Without an answer the field stays missing.
  private func ask(for field: RecordField, _ record: inout JSONValue, _ terminal: borrowing Terminal) throws {
    if field.suffix == ".*" { return try askForMap(field, record: &record, terminal: terminal) }
    let label = field.suffix.isEmpty ? label(of: field) : label(of: field) + ", separated by commas"
    let mayBeEmpty = !field.isRequired || field.isDate
    guard
      let value = try answer(
        label, field: field, at: field.path, of: record, mayBeEmpty: mayBeEmpty, terminal: terminal)
    else {
      return
    }
    try record.put(value, at: field.path, option: field.pattern)
  }

  /// Asks for names and their values until a name is empty. A name without a value is dropped, and a name that has a
  /// value is refused. An empty answer may make a password.
  private func askForMap(_ field: RecordField, record: inout JSONValue, terminal: borrowing Terminal) throws {
    while true {
      let name = try terminal.answer("[\(label(of: field)), its name]: ")
      guard !name.isEmpty else { return }
      let path = field.path.appending(name)
      let label = Printable.text(name)
      guard (try? record.value(at: path)) == nil else {
        try terminal.say("That name has a value already.\n")
        continue
      }
      guard let value = try answer(label, field: field, at: path, of: record, mayBeEmpty: true, terminal: terminal)
      else { continue }
      try record.put(value, at: path, option: field.pattern)
    }
  }

  /// A value that the kind accepts; nil for an empty answer.
  private func answer(
    _ label: String, field: RecordField, at path: MemberPath, of record: JSONValue, mayBeEmpty: Bool,
    terminal: borrowing Terminal
  ) throws -> JSONValue? {
    func refusal(_ text: String) -> String? {
      fault(of: kind.argument(text, at: path), at: path, in: record) ?? field.value.fault(ofSecret: text, global)
    }
    guard !field.isSealed else {
      let prompt = SecretPrompt(label, value: field.value, mayBeEmpty: mayBeEmpty, recipe: recipe, global: global)
      var isMade = false
      return try prompt.answer(at: terminal, isMade: &isMade, fault: refusal)?.string.map {
        kind.argument($0, at: path)
      }
    }
    let label = mayBeEmpty ? "[\(label)]" : label
    while true {
      let text = try terminal.answer("\(label): ")
      if text.isEmpty {
        if mayBeEmpty { return nil }
        continue
      }
      guard let fault = refusal(text) else { return kind.argument(text, at: path) }
      try terminal.say("That \(fault).\(field.isDate ? " A date looks like 2026-11-21T01:40:28Z." : "")\n")
    }
  }

  /// Why an answer is invalid by itself or for values that the kind derives from it; nil if it is valid.
  private func fault(of value: JSONValue, at path: MemberPath, in record: JSONValue) -> String? {
    do throws(RecordError) {
      _ = try kind.plaintext(of: value, at: path)
    } catch {
      return error.reason
    }
    var whole = record
    do throws(DocumentError) {
      try whole.set(value, at: path)
    } catch {
      return error.reason
    }
    guard let members = whole.object else { return nil }
    do throws(RecordError) {
      _ = try kind.completed(members, before: nil)
      return nil
    } catch {
      // A fault at another member may only mean that the member was not asked for yet.
      return error.path == path.description ? error.reason : nil
    }
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
  /// Why a typed secret does not fit its sort; nil if it fits. Files of other tools are accepted unchanged.
  func fault(ofSecret text: String, _ global: GlobalOptions) -> String? {
    guard isSealed, secretSort == .otp, !text.isEmpty else { return nil }
    do throws(RecordError) {
      let key = try OneTimeKey(parsing: text)
      if key.bitCount < 80 {
        global.messages.note("a key for one-time codes should have at least 80 bits; this key has \(key.bitCount)")
      }
      return nil
    } catch {
      return error.reason
    }
  }
}
