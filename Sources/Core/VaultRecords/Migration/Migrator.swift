package import VaultDocument
internal import VaultSealing

/// Applies the steps of a migration to the members of one record. After an error a step may be half done, so the
/// caller drops the migrator.
package struct Migrator {
  private(set) var tree: JSONValue
  /// The steps that changed something, in their order.
  package private(set) var taken: [MigrationStep] = []
  /// Whether a readable value, or a value made from readable ones, was sealed.
  package private(set) var hasSealed = false
  private let seal: ((JSONValue) throws(RecordError) -> String)?
  private let reveal: ((String) throws(RecordError) -> String)?
  private let opens: Bool

  /// - Parameters:
  ///   - seal: makes a token; nil leaves values to seal unchanged.
  ///   - reveal: opens a token; nil without a key.
  ///   - opening: whether the steps that open values do so; if not, the values stay sealed.
  package init(
    _ members: JSONObject, seal: ((JSONValue) throws(RecordError) -> String)? = nil,
    reveal: ((String) throws(RecordError) -> String)? = nil, opening: Bool = false
  ) {
    self.init(.object(members), seal: seal, reveal: reveal, opening: opening)
  }

  init(
    _ tree: JSONValue, seal: ((JSONValue) throws(RecordError) -> String)? = nil,
    reveal: ((String) throws(RecordError) -> String)? = nil, opening: Bool = false
  ) {
    (self.tree, self.seal, self.reveal, opens) = (tree, seal, reveal, opening)
  }

  package var members: JSONObject { tree.object ?? JSONObject() }

  package mutating func take(_ steps: [MigrationStep]) throws(RecordError) {
    for step in steps { try take(step) }
  }

  mutating func take(_ step: MigrationStep) throws(RecordError) {
    if try apply(step) { taken.append(step) }
  }

  /// Applies a step and returns whether it has changed something.
  private mutating func apply(_ step: MigrationStep) throws(RecordError) -> Bool {
    switch step {
    case .move(let source, let target): return try move(source, to: target)
    case .split(let source, let separator, let parts): return try split(source, at: separator, into: parts)
    case .convert(let path, let target): return try convert(path, to: target)
    case .seal(let path): return try sealValue(at: path)
    case .open(let path): return try openValue(at: path)
    case .fill(let path, let value):
      guard self.value(at: path) == nil else { return false }
      try put(value, at: path)
      return true
    case .compute(let computation):
      let before = tree
      try compute(computation)
      return tree != before
    }
  }

  private func value(at path: MemberPath) -> JSONValue? { tree.presentValue(at: path) }

  // Each function returns whether it has changed something, or throws if the record does not fit the step.

  private mutating func move(_ source: MemberPath, to target: MemberPath) throws(RecordError) -> Bool {
    guard let value = value(at: source) else { return false }
    guard self.value(at: target) == nil else {
      throw fault(target, "has a value already, so \(source) cannot be moved there")
    }
    tree.removeWithEmpty(source)
    try put(value, at: target)
    return true
  }

  private mutating func split(
    _ source: MemberPath, at separator: String, into parts: [MemberPath]
  ) throws(RecordError) -> Bool {
    guard let value = value(at: source) else { return false }
    guard case .string(let text) = value, !SealedToken.hasTokenShape(text) else {
      throw fault(source, "is not readable text, so it cannot be divided")
    }
    var rest = text[...]
    var texts: [Substring] = []
    while texts.count < parts.count - 1, let range = rest.firstRange(ofBytes: separator) {
      texts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    texts.append(rest)
    tree.removeWithEmpty(source)
    for (part, text) in zip(parts, texts) {
      guard self.value(at: part) == nil else {
        throw fault(part, "has a value already, so \(source) cannot be moved there")
      }
      try put(.string(String(text)), at: part)
    }
    return true
  }

  private mutating func convert(_ path: MemberPath, to target: MigrationStep.Target) throws(RecordError) -> Bool {
    guard let value = value(at: path) else { return false }
    if case .string(let text) = value, SealedToken.hasTokenShape(text) {
      throw fault(path, "is sealed, so its type cannot be changed")
    }
    guard let converted = target.converted(value) else { throw fault(path, "cannot become \(target.rawValue)") }
    try put(converted, at: path)
    return converted != value
  }

  private mutating func sealValue(at path: MemberPath) throws(RecordError) -> Bool {
    guard let seal, let value = value(at: path) else { return false }
    if case .string(let text) = value, SealedToken.hasTokenShape(text) { return false }
    try put(.string(try seal(value)), at: path)
    hasSealed = true
    return true
  }

  private mutating func openValue(at path: MemberPath) throws(RecordError) -> Bool {
    guard opens, let reveal, case .string(let text)? = value(at: path), SealedToken.hasTokenShape(text) else {
      return false
    }
    try put(.string(try reveal(text)), at: path)
    return true
  }

  /// Takes over the record that the step has changed, unless it failed or made sealed values readable.
  private mutating func compute(_ computation: Computation) throws(RecordError) {
    var record = MigratingRecord(tree, seal: seal, reveal: reveal)
    do {
      try computation.body(&record)
    } catch let error as RecordError {
      throw error
    } catch {
      // The caller's error could hold a value, so it is not shown.
      throw RecordError(.invalidValue, "does not fit the step: \(computation.words)", underlying: error.sealingError)
    }
    if let failure = record.failure { throw failure }
    if record.hasOpened, let path = record.tree.firstReadable(notIn: tree) {
      throw fault(path, "is readable after a step that has opened sealed values, but no step `open` allows that")
    }
    if record.hasSealed, tree.firstReadable(notIn: record.tree) != nil { hasSealed = true }
    tree = record.tree
  }

  private mutating func put(_ value: JSONValue, at path: MemberPath) throws(RecordError) {
    do throws(DocumentError) {
      try tree.set(value, at: path)
    } catch {
      throw fault(path, error.reason)
    }
  }

  private func fault(_ path: MemberPath, _ reason: String) -> RecordError {
    RecordError(.invalidValue, reason, path: path.description)
  }
}

extension MigrationStep.Target {
  /// The value as another type; nil if it has no such form.
  fileprivate func converted(_ value: JSONValue) -> JSONValue? {
    let schema: ValueSchema =
      switch self {
      case .text: .text
      case .integer: ValueSchema(.integer(NumberRule()))
      case .number: ValueSchema(.number(NumberRule()))
      case .bool: .bool
      case .list: .list(of: .text)
      }
    let new: JSONValue =
      switch (self, value) {
      case (_, .string(let text)): schema.value(ofText: text)
      case (.text, .number(let number)): .string(number.literal)
      case (.text, .bool(let flag)): .string(String(flag))
      case (.list, .array): value
      case (.list, _): .array([value])
      default: value
      }
    return schema.fault(in: new) == nil ? new : nil
  }
}

extension Substring {
  fileprivate func firstRange(ofBytes text: String) -> Range<Index>? {
    guard !text.isEmpty else { return nil }
    return utf8.indices.first { utf8[$0...].starts(with: text.utf8) }.map { start in
      start..<utf8.index(start, offsetBy: text.utf8.count)
    }
  }
}
