internal import VaultDocument
public import VaultRecords

extension RecordKind {
  /// The first member that this kind seals and `newer` would store in clear or would not know.
  ///
  /// A forgotten member counts, because it could come back readable, and old records would then be wrong. So does a
  /// member that only `newer` names if this kind seals members of any name. Values that a migration of `newer` moves
  /// are checked at their new place. Opened values are not reported, because migrating them needs a confirmation.
  public func sealDropped(by newer: RecordKind) -> String? {
    let steps = newer.schema > schema ? newer.steps(from: schema) : []
    return sealedPaths(knownTo: newer, after: steps).first { path in
      guard let moved = path.moved(by: steps, throughOpening: false) else { return false }
      return newer.whole.value(at: moved)?.isSealed != true
    }?.pattern
  }

  /// The first member whose sealed values `newer` would read as another type than was sealed (format 1, section 5.1,
  /// What is sealed).
  ///
  /// A token does not say whether it holds text or JSON, only its kind does. So text must stay text, and JSON must keep
  /// a type that holds every value of the old one.
  public func sealReinterpreted(by newer: RecordKind) -> (path: String, old: String, new: String)? {
    let steps = newer.schema > schema ? newer.steps(from: schema) : []
    for path in sealedPaths(knownTo: newer, after: steps) {
      guard let moved = path.moved(by: steps, throughOpening: false), let old = whole.value(at: path),
        let new = newer.whole.value(at: moved), old.isSealed, new.isSealed, !new.holdsEveryValue(of: old)
      else { continue }
      return (path.pattern, old.sealedTypeName, new.sealedTypeName)
    }
    return nil
  }

  /// The sealed places of this kind: its own, and those in a map that only names of `newer` or of its steps
  /// distinguish.
  private func sealedPaths(knownTo newer: RecordKind, after steps: [MigrationStep]) -> [MemberPath] {
    var paths = whole.sealedPaths(below: .root)
    for path in newer.whole.endPaths(below: .root) {
      // A record without the moved value may have had another value at the target before.
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
  /// Whether each value that was sealed by `old` can be read by this description with the same meaning.
  ///
  /// - Parameter isInside: whether the values are parts of one sealed JSON value, in which a text has its quotes.
  fileprivate func holdsEveryValue(of old: ValueSchema, isInside: Bool = false) -> Bool {
    func holds(_ new: ValueSchema?, _ old: ValueSchema) -> Bool {
      new?.holdsEveryValue(of: old, isInside: true) ?? false
    }
    return switch (old.form, form) {
    // Bytes are output without their base64, so text and bytes cannot stand for each other.
    case (.text(let old), .text(let new)): (old.format == .base64) == (new.format == .base64)
    case (.bool, .bool), (.integer, .integer), (.integer, .number), (.number, .number): true
    case (.text, .any): isInside
    case (_, .any): true
    case (.list(let old), .list(let new)): holds(new.items, old.items)
    case (.object(let old), .object(let new)):
      old.members.allSatisfy { holds(new.value(named: $0.name), $0.value) }
        && old.others.map { holds(new.others, $0) } ?? true
    default: false
    }
  }

  /// The type's name for errors; a description without a type accepts any JSON value.
  fileprivate var sealedTypeName: String {
    switch form {
    case .any: "any JSON value"
    case .text(let rule) where rule.format == .base64: "bytes"
    default: typeName
    }
  }

  /// The sealed places, with one item or one unused name standing for all.
  fileprivate func sealedPaths(below path: MemberPath) -> [MemberPath] {
    holdsSealed ? endPaths(below: path).filter { value(at: $0, below: path)?.isSealed == true } : []
  }

  private func value(at path: MemberPath, below start: MemberPath) -> ValueSchema? {
    value(at: MemberPath(Array(path.components.dropFirst(start.components.count))))
  }

  /// The places of values that are sealed or have no parts, with one item or one unused name standing for all.
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

  /// The start of a path that leads to a sealed value; nil if nothing on the way is sealed.
  fileprivate func sealedStart(of path: MemberPath) -> MemberPath? {
    (0...path.components.count).lazy.map { MemberPath(Array(path.components.prefix($0))) }
      .first { value(at: $0)?.isSealed == true }
  }
}

extension MemberPath {
  /// Stands for the undescribed names of a map; no member has this name.
  fileprivate static let anyName = "\u{FFFF}"

  fileprivate func origin(before steps: ArraySlice<MigrationStep>) -> MemberPath {
    var components = components
    for case .move(let source, let target) in steps.reversed() where components.starts(with: target.components) {
      components = source.components + components.dropFirst(target.components.count)
    }
    return MemberPath(components)
  }

  /// The path for people: `urls[]`, `secrets.*`.
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
