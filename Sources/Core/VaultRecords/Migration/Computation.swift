public import VaultDocument
internal import VaultSealing

/// A migration step in Swift, for changes that no declared step can express. ``MigrationStep/compute(_:_:)`` makes one.
public struct Computation: Sendable, Equatable {
  /// The change in words, for a plan: `name from first and last name`.
  public let words: String
  let body: @Sendable (inout MigratingRecord) throws -> Void
  private let identity = Identity()

  private final class Identity: Sendable {}

  init(_ words: String, _ body: @escaping @Sendable (inout MigratingRecord) throws -> Void) {
    (self.words, self.body) = (words, body)
  }

  /// Whether both are the same object, because closures cannot be compared.
  public static func == (left: Computation, right: Computation) -> Bool { left.identity === right.identity }
}

extension MigrationStep {
  /// Changes the members of a record in Swift.
  ///
  /// ```swift
  /// let step = MigrationStep.compute("name from first and last name") { record in
  ///   guard let first = record["first"]?.string, let last = record["last"]?.string else { return }
  ///   record["name"] = .string("\(first) \(last)")
  ///   record["first"] = nil
  ///   record["last"] = nil
  /// }
  /// ```
  ///
  /// It runs whenever an older record is read, even without a key, and must give the same result each time. An error
  /// means that the record does not fit. Only a ``RecordError`` is shown, because other errors could hold values.
  ///
  /// - Parameter words: the change in words, for a plan.
  public static func compute(
    _ words: String, _ body: @escaping @Sendable (inout MigratingRecord) throws -> Void
  ) -> MigrationStep { .compute(Computation(words, body)) }
}

/// A record while a migration step changes it. Paths are written in source code and must be well formed.
public struct MigratingRecord {
  private(set) var tree: JSONValue
  /// The first reason why a value could not be put in its place.
  private(set) var failure: RecordError?
  private(set) var hasOpened = false
  private(set) var hasSealed = false
  private let seal: ((JSONValue) throws(RecordError) -> String)?
  private let reveal: ((String) throws(RecordError) -> String)?

  /// - Parameters:
  ///   - seal: makes a token; nil without a key.
  ///   - reveal: opens a token; nil without a key.
  init(
    _ tree: JSONValue, seal: ((JSONValue) throws(RecordError) -> String)?,
    reveal: ((String) throws(RecordError) -> String)?
  ) {
    (self.tree, self.seal, self.reveal) = (tree, seal, reveal)
  }

  /// The readable value at a path; nil if there is no value or it is sealed.
  ///
  /// Setting a value replaces the old one and makes missing objects on the way. Setting nil removes the value, readable
  /// or sealed, and the objects around it that become empty.
  public subscript(path: String) -> JSONValue? {
    get {
      let value = tree.presentValue(at: MemberPath(ofSource: path))
      return value?.token == nil ? value : nil
    }
    set {
      let path = MemberPath(ofSource: path)
      guard let newValue else { return tree.removeWithEmpty(path) }
      put(newValue, at: path)
    }
  }

  /// The text that is sealed at a path, as JSON for other values than text; nil if nothing is sealed there.
  ///
  /// A step that has called this may only change sealed values and remove values. To make a value readable, use the
  /// step ``MigrationStep/open(_:)-(String)`` before it, which a person must confirm.
  ///
  /// - Throws: ``RecordError`` `.sealing`, also without a key, as in the list of a locked vault: such a record is
  ///   listed in its old form.
  public mutating func revealed(_ path: String) throws(RecordError) -> String? {
    let path = MemberPath(ofSource: path)
    guard let token = tree.presentValue(at: path)?.token else { return nil }
    guard let reveal else { throw RecordError(.sealing, "must not be opened here", path: path.description) }
    hasOpened = true
    return try reveal(token)
  }

  /// Seals a value: a text as it is, anything else as JSON. Without a key, as in the list of a locked vault, the path
  /// is then empty.
  ///
  /// - Throws: ``RecordError`` `.sealing`, `.invalidValue` if another value is in the way of the path.
  public mutating func seal(_ value: JSONValue, at path: String) throws(RecordError) {
    let path = MemberPath(ofSource: path)
    guard let seal else { return tree.removeWithEmpty(path) }
    put(.string(try seal(value)), at: path)
    hasSealed = true
  }

  private mutating func put(_ value: JSONValue, at path: MemberPath) {
    do throws(DocumentError) {
      try tree.set(value, at: path)
    } catch {
      failure = failure ?? RecordError(.invalidValue, error.reason, path: path.description)
    }
  }
}

extension JSONValue {
  /// The value at a path; nil if it is missing or null.
  func presentValue(at path: MemberPath) -> JSONValue? {
    guard let value = try? value(at: path), !value.isNull else { return nil }
    return value
  }

  /// Removes a value, and the objects around it that become empty.
  mutating func removeWithEmpty(_ path: MemberPath) {
    var path = path
    repeat {
      try? remove(at: path)
      path.components.removeLast()
    } while !path.components.isEmpty && (try? value(at: path))?.object?.isEmpty == true
  }

  /// The first place with a readable value that another tree does not have there.
  func firstReadable(notIn other: JSONValue) -> MemberPath? {
    differences(from: other).lazy.flatMap(\.leaves).first { $0.after != nil && $0.after?.token == nil }?.path
  }

  /// The text if it is a token.
  fileprivate var token: String? {
    guard case .string(let text) = self, SealedToken.hasTokenShape(text) else { return nil }
    return text
  }
}
