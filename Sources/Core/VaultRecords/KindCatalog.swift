internal import Synchronization
public import VaultDocument

/// The kinds that are known for one vault: of this program, of the program that uses the library, and of the vault.
///
/// A kind is made when it is first asked for and kept. Names are compared as bytes.
public final class KindCatalog: Sendable {
  private let types: [any VaultRecord.Type]
  /// The types that are not of this program.
  private let ownTypes: [any VaultRecord.Type]
  private let declared: JSONObject
  private let made = Mutex<[String: Result<RecordKind, RecordError>]>([:])

  package static let builtInTypes: [any VaultRecord.Type] = [
    Customer.self, Login.self, APIKey.self, SSHKey.self, PaymentCard.self, SecureNote.self, Database.self,
    CustomRecord.self, FileRecord.self,
  ]

  /// The kinds that this program brings along.
  public static let builtIn = KindCatalog()

  /// - Parameters:
  ///   - types: further types, which come before declared kinds of the same name and after those of this program.
  ///   - declared: JSON Schemas by the name of their kind, as a header has them.
  public init(types: [any VaultRecord.Type] = [], declared: JSONObject = JSONObject()) {
    // Names that came later belong to whoever had them before.
    let builtIn = Self.builtInTypes.filter { type in
      let isTaken = declared[type.kindName] != nil || types.contains { $0.kindName == type.kindName }
      return RecordKind.reservedNames.contains(type.kindName) || !isTaken
    }
    self.types = builtIn + types
    ownTypes = types
    self.declared = declared
  }

  /// The same kinds and those of further types.
  public func adding(_ types: [any VaultRecord.Type]) -> KindCatalog {
    types.isEmpty ? self : KindCatalog(types: ownTypes + types, declared: declared)
  }

  /// The same types, with the kinds that another header declares.
  public func declaring(_ declared: JSONObject) -> KindCatalog {
    declared == self.declared ? self : KindCatalog(types: ownTypes, declared: declared)
  }

  /// Refuses types whose records could not be read again, and a name that two types have.
  package func checkTypes() throws(RecordError) {
    for (index, type) in types.enumerated() where index >= types.count - ownTypes.count {
      if let fault = RecordKind.fault(of: type) { throw fault }
      guard let twin = types[..<index].first(where: { $0.kindName.utf8.elementsEqual(type.kindName.utf8) }),
        twin != type
      else { continue }
      throw RecordError(
        .invalidValue,
        "of \(String(reflecting: type)) is `\(type.kindName)`, which is the kind of \(String(reflecting: twin)), too: give it "
          + "another name with `static let kindName`", path: "kindName")
    }
  }

  /// All names: those of types in their order, then the declared ones in that of their bytes.
  public var names: [String] {
    let own = types.map { $0.kindName }
    return own + declared.names.filter { !own.contains($0) }
  }

  /// The kind with this name; nil where there is none, or one whose schema this version cannot use.
  public subscript(name: String) -> RecordKind? { try? kind(named: name) }

  /// The kind with this name.
  ///
  /// - Throws: ``RecordError`` `.unknownKind`; `.invalidSchema` for a declared kind that a newer version has made.
  public func kind(named name: String) throws(RecordError) -> RecordKind {
    if let made = made.withLock({ $0[name] }) { return try made.get() }
    let result = Result { () throws(RecordError) in try make(name) }
    // What is asked for may come from anywhere: only names that there are take room.
    if case .success = result { made.withLock { $0[name] = result } }
    return try result.get()
  }

  private func make(_ name: String) throws(RecordError) -> RecordKind {
    if let type = types.first(where: { $0.kindName.utf8.elementsEqual(name.utf8) }) { return RecordKind(of: type) }
    guard case .object(let schema)? = declared[name] else {
      throw RecordError(.unknownKind, "no kind has this name")
    }
    return try RecordKind(declared: schema, name: name)
  }

  /// Equal for catalogs under which a record's file reads the same: the types with their titles and steps, and what is
  /// declared.
  package var identity: [UInt8] {
    let types = types.map { type in
      let steps = type.migrations.flatMap { [String($0.schema)] + $0.steps.map(\.description) }
      return "\(type.kindName) \(type.schema) \(type.titlePaths) \(steps)"
    }
    return Array(types.joined(separator: "\n").utf8) + [0] + ((try? JSONValue.object(declared).compactBytes()) ?? [])
  }
}
