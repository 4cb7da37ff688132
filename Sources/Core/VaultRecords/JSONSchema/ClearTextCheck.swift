internal import VaultDocument

extension RecordKind {
  /// Refuses steps that put clear text in a sealed place: the value of `fill` would stand in the header, and a part of
  /// a `split` that no later step seals would make an unreadable record.
  func checkClearText() throws(RecordError) {
    for migration in migrations {
      let later = steps(from: migration.schema)
      for (index, step) in migration.steps.enumerated() {
        let rest = [migration.steps[(index + 1)...], later[...]].joined()
        let place = MemberPath([.member(MigrationParser.member), .member(String(migration.schema)), .index(index)])
        switch step {
        case .fill(let path, let value):
          guard whole.seals(value.standing(at: path.moved(by: rest, throughOpening: true) ?? path)) else { continue }
          throw RecordError(
            .invalidSchema, "is for a sealed field, but would be readable in the header",
            path: place.appending("fill").description)
        case .split(_, _, let parts):
          let ends = parts.compactMap { $0.clearPlace(after: rest) }
          guard ends.contains(where: { whole.seals(.string("").standing(at: $0)) }) else { continue }
          throw RecordError(
            .invalidSchema, "must be sealed by a later step: the field is sealed, but its text is readable here",
            path: place.appending("into").description)
        default: continue
        }
      }
    }
  }
}

extension ValueSchema {
  /// Whether any part of a value of this form has a sealed place.
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
  /// A record with only this value; an item is alone in its list.
  fileprivate func standing(at path: MemberPath) -> JSONValue {
    path.components.reversed().reduce(self) { value, component in
      guard case .member(let name) = component else { return .array([value]) }
      var object = JSONObject()
      object[name] = value
      return .object(object)
    }
  }
}

extension MemberPath {
  /// The place of a value after the steps.
  ///
  /// - Parameter throughOpening: whether to follow a value that a step opens; if not, it is nil.
  package func moved(by steps: some Sequence<MigrationStep>, throughOpening: Bool) -> MemberPath? {
    var components = components
    for step in steps {
      switch step {
      case .move(let source, let target) where components.starts(with: source.components):
        components = target.components + components.dropFirst(source.components.count)
      case .open(let path) where !throughOpening && components == path.components: return nil
      default: continue
      }
    }
    return MemberPath(components)
  }

  /// The place of readable text put here, after the steps; nil if one of them seals it.
  fileprivate func clearPlace(after steps: some Sequence<MigrationStep>) -> MemberPath? {
    var place = self
    for step in steps {
      if case .seal(let sealed) = step, place.components.starts(with: sealed.components) { return nil }
      place = place.moved(by: CollectionOfOne(step), throughOpening: true) ?? place
    }
    return place
  }
}
