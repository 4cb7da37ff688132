internal import VaultDocument

extension RecordKind {
  /// The first member that this kind seals and `newer` would store in clear, or would not know any more.
  ///
  /// A member that is forgotten counts: it could come back readable, and old records would then lie. So does one that
  /// only `newer` names, where this kind seals members of any name. What a migration of `newer` moves is looked for
  /// where it goes; what it opens is opened with a confirmation when the records are migrated.
  public func sealDropped(by newer: RecordKind) -> String? {
    let steps = newer.schema > schema ? newer.steps(from: schema) : []
    return sealedPaths(knownTo: newer, after: steps).first { path in
      guard let moved = path.moved(by: steps, throughOpening: false) else { return false }
      return newer.whole.value(at: moved)?.isSealed != true
    }?.pattern
  }

  /// Where this kind seals: every place of its own, and those that only the names of `newer` or of its steps tell from
  /// others of a map.
  private func sealedPaths(knownTo newer: RecordKind, after steps: [MigrationStep]) -> [MemberPath] {
    var paths = whole.sealedPaths(below: .root)
    for path in newer.whole.endPaths(below: .root) {
      // A record that lacks what is moved to a place may have had something at that place before.
      paths += [path, path.origin(before: steps[...])].compactMap(whole.sealedStart)
    }
    for (index, step) in steps.enumerated() {
      guard case .move(let source, _) = step else { continue }
      for origin in [source, source.origin(before: steps[..<index])] {
        paths += whole.value(at: origin)?.sealedPaths(below: origin) ?? []
      }
    }
    return paths
  }
}

extension ValueSchema {
  /// Where something is sealed, an item or a name of no other standing for all.
  fileprivate func sealedPaths(below path: MemberPath) -> [MemberPath] {
    holdsSealed ? endPaths(below: path).filter { value(at: $0, below: path)?.isSealed == true } : []
  }

  private func value(at path: MemberPath, below start: MemberPath) -> ValueSchema? {
    value(at: MemberPath(Array(path.components.dropFirst(start.components.count))))
  }

  /// Where values are that are sealed or have nothing in them, an item or a name of no other standing for all.
  fileprivate func endPaths(below path: MemberPath) -> [MemberPath] {
    guard !isSealed else { return [path] }
    switch form {
    case .object(let rule):
      let members = rule.inOrder.flatMap { $0.value.endPaths(below: path.appending($0.name)) }
      return members + (rule.others?.endPaths(below: path.appending(MemberPath.anyName)) ?? [])
    case .list(let rule): return rule.items.endPaths(below: path.appending(0))
    default: return [path]
    }
  }

  /// The start of a path that leads to a sealed value; nil where nothing on the way is sealed.
  fileprivate func sealedStart(of path: MemberPath) -> MemberPath? {
    (0...path.components.count).lazy.map { MemberPath(Array(path.components.prefix($0))) }
      .first { value(at: $0)?.isSealed == true }
  }
}

extension MemberPath {
  /// Stands for the names that a map takes and nobody describes; no member has it.
  fileprivate static let anyName = "\u{FFFF}"

  /// Where a value is after the steps.
  ///
  /// - Parameter throughOpening: whether a value that a step opens is followed; otherwise it is nil for one.
  func moved(by steps: some Sequence<MigrationStep>, throughOpening: Bool) -> MemberPath? {
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

  /// Where a value was before the steps.
  fileprivate func origin(before steps: ArraySlice<MigrationStep>) -> MemberPath {
    var components = components
    for case .move(let source, let target) in steps.reversed() where components.starts(with: target.components) {
      components = source.components + components.dropFirst(target.components.count)
    }
    return MemberPath(components)
  }

  /// The path as people read it: `urls[]`, `secrets.*`.
  fileprivate var pattern: String {
    components.reduce(into: "") { text, component in
      switch component {
      case .index: text += "[]"
      case .member(Self.anyName): text += text.isEmpty ? "*" : ".*"
      case .member(let name):
        let part = MemberPath([.member(name)]).description
        text += text.isEmpty || part.hasPrefix("[") ? part : "." + part
      }
    }
  }
}
