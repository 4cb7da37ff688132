internal import VaultDocument

extension RecordKind {
  /// Refuses steps that fill a sealed place: the value would stand in clear in the header, and a record that got it could
  /// not be read.
  ///
  /// - Throws: ``RecordError`` `.invalidSchema` with the path of the step.
  func checkFills() throws(RecordError) {
    for migration in migrations {
      let later = steps(from: migration.schema)
      for (index, step) in migration.steps.enumerated() {
        guard case .fill(let path, let value) = step else { continue }
        let rest = [migration.steps[(index + 1)...], later[...]].joined()
        let place = path.moved(by: rest, throughOpening: true) ?? path
        guard whole.seals(value.standing(at: place)) else { continue }
        let name = MemberPath([.member(MigrationParser.member), .member(String(migration.schema)), .index(index)])
        throw RecordError(
          .invalidSchema, "would stand in clear in the header, and is for a sealed member",
          path: name.appending("fill").description)
      }
    }
  }
}

extension ValueSchema {
  /// Whether anything in a value of this form has a sealed place.
  fileprivate func seals(_ value: JSONValue) -> Bool {
    guard !isSealed else { return true }
    switch (form, value) {
    case (.object(let rule), .object(let members)):
      return members.contains { rule.value(named: $0.name)?.seals($0.value) == true }
    case (.list(let rule), .array(let items)): return items.contains { rule.items.seals($0) }
    default: return false
    }
  }
}

extension JSONValue {
  /// A record that has nothing but this value; an item stands alone in its list.
  fileprivate func standing(at path: MemberPath) -> JSONValue {
    path.components.reversed().reduce(self) { value, component in
      guard case .member(let name) = component else { return .array([value]) }
      var object = JSONObject()
      object[name] = value
      return .object(object)
    }
  }
}
