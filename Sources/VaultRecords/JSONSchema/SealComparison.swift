internal import VaultDocument

extension RecordKind {
  /// The first member that this kind seals and `newer` would store in clear, or would not know any more.
  ///
  /// A member that is forgotten counts: it could come back readable, and old records would then lie. What a migration of
  /// `newer` moves is looked for where it goes; what it opens is opened with a confirmation when the records are migrated.
  public func sealDropped(by newer: RecordKind) -> String? {
    let steps = newer.schema > schema ? newer.steps(from: schema) : []
    return fields.first { field in
      guard field.isSealed else { return false }
      guard let path = Self.path(of: field, after: steps) else { return false }
      return newer.whole.value(at: path)?.isSealed != true
    }?.pattern
  }

  /// Where a field is after the steps, an example path for one in lists and maps; nil for one that is opened.
  private static func path(of field: RecordField, after steps: [MigrationStep]) -> MemberPath? {
    var components = field.example.components
    for step in steps {
      switch step {
      case .move(let source, let target) where components.starts(with: source.components):
        components = target.components + components.dropFirst(source.components.count)
      case .open(let path) where components == path.components: return nil
      default: continue
      }
    }
    return MemberPath(components)
  }
}

extension RecordField {
  /// A path that the field may have: an item or a name of its own stands for all.
  fileprivate var example: MemberPath {
    var path = path
    var rest = suffix[...]
    while !rest.isEmpty {
      if rest.hasPrefix("[]") {
        path.components.append(.index(0))
        rest = rest.dropFirst(2)
      } else {
        let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
        // No member has the name that stands for any other.
        path.components.append(.member(name == "*" ? "\u{FFFF}" : String(name)))
        rest = rest.dropFirst(1 + name.count)
      }
    }
    return path
  }
}
