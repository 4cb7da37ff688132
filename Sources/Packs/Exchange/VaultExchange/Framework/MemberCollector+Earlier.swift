internal import VaultDocument
internal import VaultSealing

extension LedgerLine.Outcome {
  /// The outcome for values of earlier versions beyond those that a record can keep.
  package static let tooOld = leftOut(
    "a record keeps at most \(FormerValues.maximumCount) earlier values of a field")
}

extension MemberCollector {
  /// All former values.
  var former: [ImportedFormerValue] { earlier.sorted { $0.key.description < $1.key.description }.flatMap(\.value) }

  /// Keeps a value of an earlier version of the entry, and returns where. The newest version comes first, after all
  /// values of the present one.
  ///
  /// The value of a sealed member becomes a former value of it. Any other value is sealed beside the present ones,
  /// under its name, unless the record has it.
  mutating func storeEarlier(
    _ text: String, _ destination: RecordBuilder.Destination, name: String, setAt: Timestamp?
  ) -> LedgerLine.Outcome {
    guard let path = sealedPath(of: destination, name: name) else {
      return storeReadable(text, destination, name: name)
    }
    let value = shape.value(ofText: text, at: path) ?? .string(text)
    let outcome = LedgerLine.Outcome.mapped(to: path.description)
    let known = earlier[path] ?? []
    if known.last?.value == value {
      // The value is older than this version.
      earlier[path]?[known.count - 1] = ImportedFormerValue(path: path, value: value, setAt: setAt)
      return outcome
    }
    if present(at: path) == value || known.contains(where: { $0.value == value }) { return outcome }
    guard known.count < FormerValues.maximumCount else { return .tooOld }
    earlier[path, default: []].append(ImportedFormerValue(path: path, value: value, setAt: setAt))
    return outcome
  }

  /// The path under which the present version would seal such a value; nil if it would be readable.
  private func sealedPath(of destination: RecordBuilder.Destination, name: String) -> MemberPath? {
    switch destination {
    case .secret(let name): return secretPath(name)
    case .list, .field: return nil
    case .member(let member):
      guard !Self.readable.contains(member) else { return nil }
      guard let path = try? MemberPath(parsing: member == "notes" ? shape.notes : member), shape.hasMember(at: path)
      else { return secretPath(name) }
      return shape.isReadable(path) ? nil : path
    }
  }

  private func secretPath(_ name: String) -> MemberPath {
    MemberPath([.member(shape.secretMap), .member(Self.readableName(name))])
  }

  private mutating func storeReadable(
    _ text: String, _ destination: RecordBuilder.Destination, name: String
  ) -> LedgerLine.Outcome {
    let (own, list): (String, String?) =
      switch destination {
      case .list(let list): (name, list)
      case .field(let field), .secret(let field): (field, nil)
      case .member: (name, nil)
      }
    if list == "tags" { return .leftOut("tags of earlier versions are not imported") }
    if holds(text, destination) { return .mapped(to: list ?? own) }
    let earlier = "earlier \(own)"
    guard count(named: earlier, in: shape.secretMap) < FormerValues.maximumCount else { return .tooOld }
    return insert(text, earlier, in: shape.secretMap)
  }

  /// Whether the present version has a readable value.
  private func holds(_ text: String, _ destination: RecordBuilder.Destination) -> Bool {
    switch destination {
    case .list(let list): members[list]?.array?.contains(.string(text)) ?? false
    case .member(let member):
      (try? MemberPath(parsing: member)).flatMap { try? JSONValue.object(members).value(at: $0) }?.string == text
    case .field(let name), .secret(let name): maps[shape.readableMap]?[name] == text
    }
  }

  private func present(at path: MemberPath) -> JSONValue? {
    if path.components.count == 2, path.top == shape.secretMap, case .member(let name) = path.components[1] {
      return maps[shape.secretMap]?[name].map { .string($0) }
    }
    return try? JSONValue.object(members).value(at: path)
  }

  /// How many values `insert(_:_:in:)` has put under a name, with and without a number.
  private func count(named name: String, in map: String) -> Int {
    var count = 0
    while maps[map]?[count == 0 ? name : "\(name) \(count + 1)"] != nil { count += 1 }
    return count
  }
}
