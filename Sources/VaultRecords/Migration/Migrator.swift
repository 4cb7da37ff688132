public import VaultDocument
internal import VaultSealing

/// Takes the steps of a migration on the members of one record.
public struct Migrator {
  private(set) var tree: JSONValue
  /// The steps that changed something, in their order.
  public private(set) var taken: [MigrationStep] = []
  private let seal: ((JSONValue) throws(RecordError) -> String)?
  private let open: ((String) throws(RecordError) -> JSONValue)?

  /// - Parameters:
  ///   - seal: makes a token; nil leaves values that are to be sealed as they are.
  ///   - open: opens a token; nil leaves values that are to be opened as they are.
  public init(
    _ members: JSONObject, seal: ((JSONValue) throws(RecordError) -> String)?,
    open: ((String) throws(RecordError) -> JSONValue)?
  ) {
    self.init(.object(members), seal: seal, open: open)
  }

  init(
    _ tree: JSONValue, seal: ((JSONValue) throws(RecordError) -> String)?,
    open: ((String) throws(RecordError) -> JSONValue)?
  ) {
    self.tree = tree
    self.seal = seal
    self.open = open
  }

  /// The members as they are now.
  public var members: JSONObject { tree.object ?? JSONObject() }

  /// - Throws: ``RecordError`` `.invalidValue` where a step cannot be taken, `.sealing`.
  public mutating func take(_ steps: [MigrationStep]) throws(RecordError) {
    for step in steps { try take(step) }
  }

  mutating func take(_ step: MigrationStep) throws(RecordError) {
    let before = tree
    switch step {
    case .move(let source, let target): try move(source, to: target)
    case .split(let source, let separator, let parts): try split(source, at: separator, into: parts)
    case .convert(let path, let target): try convert(path, to: target)
    case .seal(let path): try sealValue(at: path)
    case .open(let path): try openValue(at: path)
    case .fill(let path, let value): if self.value(at: path) == nil { try put(value, at: path) }
    }
    if tree != before { taken.append(step) }
  }

  private func value(at path: MemberPath) -> JSONValue? {
    guard let value = try? tree.value(at: path), !value.isNull else { return nil }
    return value
  }

  private mutating func move(_ source: MemberPath, to target: MemberPath) throws(RecordError) {
    guard let value = value(at: source) else { return }
    guard self.value(at: target) == nil else { throw fault(target, "is there already, and \(source) is to become it") }
    remove(source)
    try put(value, at: target)
  }

  private mutating func split(_ source: MemberPath, at separator: String, into parts: [MemberPath]) throws(RecordError)
  {
    guard let value = value(at: source) else { return }
    guard case .string(let text) = value, !SealedToken.hasTokenShape(text) else {
      throw fault(source, "is no readable text and cannot be divided")
    }
    var rest = text[...]
    var texts: [Substring] = []
    while texts.count < parts.count - 1, let range = rest.firstRange(ofBytes: separator) {
      texts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    texts.append(rest)
    remove(source)
    for (part, text) in zip(parts, texts) {
      guard self.value(at: part) == nil else { throw fault(part, "is there already, and \(source) is to become it") }
      try put(.string(String(text)), at: part)
    }
  }

  private mutating func convert(_ path: MemberPath, to target: MigrationStep.Target) throws(RecordError) {
    guard let value = value(at: path) else { return }
    if case .string(let text) = value, SealedToken.hasTokenShape(text) {
      throw fault(path, "is sealed and keeps its type")
    }
    guard let converted = target.converted(value) else { throw fault(path, "cannot become \(target.rawValue)") }
    try put(converted, at: path)
  }

  private mutating func sealValue(at path: MemberPath) throws(RecordError) {
    guard let seal, let value = value(at: path) else { return }
    if case .string(let text) = value, SealedToken.hasTokenShape(text) { return }
    try put(.string(try seal(value)), at: path)
  }

  private mutating func openValue(at path: MemberPath) throws(RecordError) {
    guard let open, case .string(let text)? = value(at: path), SealedToken.hasTokenShape(text) else { return }
    try put(try open(text), at: path)
  }

  private mutating func put(_ value: JSONValue, at path: MemberPath) throws(RecordError) {
    do throws(DocumentError) {
      try tree.set(value, at: path)
    } catch {
      throw fault(path, error.reason)
    }
  }

  /// Takes a value away, and the objects around it that have no other.
  private mutating func remove(_ path: MemberPath) {
    var path = path
    repeat {
      try? tree.remove(at: path)
      path.components.removeLast()
    } while !path.components.isEmpty && (try? tree.value(at: path))?.object?.isEmpty == true
  }

  private func fault(_ path: MemberPath, _ reason: String) -> RecordError {
    RecordError(.invalidValue, reason, path: path.description)
  }
}

extension MigrationStep.Target {
  /// The value as another type; nil where it has no such form.
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
  /// Where these bytes stand for the first time.
  fileprivate func firstRange(ofBytes text: String) -> Range<Index>? {
    guard !text.isEmpty else { return nil }
    return utf8.indices.first { utf8[$0...].starts(with: text.utf8) }.map { start in
      start..<utf8.index(start, offsetBy: text.utf8.count)
    }
  }
}
