public import VaultDocument
internal import VaultSealing

/// What a step of a migration does in Swift, where no declared step says it.
///
/// ``MigrationStep/compute(_:_:)`` makes one.
public struct Computation: Sendable, Equatable {
  /// What it does, as a plan shows it: `name from first and last name`.
  public let words: String
  let body: @Sendable (inout MigratingRecord) throws -> Void
  private let identity = Identity()

  private final class Identity: Sendable {}

  init(_ words: String, _ body: @escaping @Sendable (inout MigratingRecord) throws -> Void) {
    (self.words, self.body) = (words, body)
  }

  /// Whether both are the same one: of two closures nobody can tell whether they do the same.
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
  /// It is run whenever an older record is read, also without a key, and must give the same each time. An error of it
  /// says that the record does not fit; only a ``RecordError`` is shown as it is, since others could hold values.
  ///
  /// - Parameter words: what it does, as a plan shows it.
  public static func compute(
    _ words: String, _ body: @escaping @Sendable (inout MigratingRecord) throws -> Void
  ) -> MigrationStep { .compute(Computation(words, body)) }
}

/// One record while a step of a migration changes it. Paths are written in source code and have to be well formed.
public struct MigratingRecord {
  private(set) var tree: JSONValue
  /// Why a value has no place where it was to be put; the first of them.
  private(set) var failure: RecordError?
  private(set) var hasOpened = false
  private(set) var hasSealed = false
  private let seal: ((JSONValue) throws(RecordError) -> String)?
  private let reveal: ((String) throws(RecordError) -> String)?

  init(
    _ tree: JSONValue, seal: ((JSONValue) throws(RecordError) -> String)?,
    reveal: ((String) throws(RecordError) -> String)?
  ) {
    (self.tree, self.seal, self.reveal) = (tree, seal, reveal)
  }

  /// The readable value at a path; nil where there is none, and where it is sealed.
  ///
  /// What is given takes the place of what is there, and objects on the way are made. Nil takes away what is there,
  /// readable or sealed, and the objects around it that have no other member.
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

  /// The text that is sealed at a path, JSON for what was no text; nil where nothing is.
  ///
  /// A step that has asked for one may change sealed values and take values away, and nothing else: what is to be
  /// readable needs the step ``MigrationStep/open(_:)-(String)`` before, and a person who agrees.
  ///
  /// - Throws: ``RecordError`` `.sealing`, also where there is no key, as in the list of a locked vault: such a record
  ///   is listed in its old form.
  public mutating func revealed(_ path: String) throws(RecordError) -> String? {
    let path = MemberPath(ofSource: path)
    guard let token = tree.presentValue(at: path)?.token else { return nil }
    guard let reveal else { throw RecordError(.sealing, "is not to be opened here", path: path.description) }
    hasOpened = true
    return try reveal(token)
  }

  /// Seals a value: a text as it is, anything else as JSON. Without a key, as in the list of a locked vault, there is
  /// nothing at the path then.
  ///
  /// - Throws: ``RecordError`` `.sealing`, `.invalidValue` for a path on which something else is in the way.
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
  /// The value at a path; nil where there is none, or null.
  func presentValue(at path: MemberPath) -> JSONValue? {
    guard let value = try? value(at: path), !value.isNull else { return nil }
    return value
  }

  /// Takes a value away, and the objects around it that have no other.
  mutating func removeWithEmpty(_ path: MemberPath) {
    var path = path
    repeat {
      try? remove(at: path)
      path.components.removeLast()
    } while !path.components.isEmpty && (try? value(at: path))?.object?.isEmpty == true
  }

  /// The first place at which something readable stands that another tree does not have there.
  func firstReadable(notIn other: JSONValue) -> MemberPath? {
    differences(from: other).lazy.flatMap(\.leaves).first { $0.after != nil && $0.after?.token == nil }?.path
  }

  /// The text, where it is a token.
  fileprivate var token: String? {
    guard case .string(let text) = self, SealedToken.hasTokenShape(text) else { return nil }
    return text
  }
}
