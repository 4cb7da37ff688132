internal import Synchronization
public import VaultDocument

/// The kinds known for one vault: those of this program, of the program that uses the library, and of the vault.
///
/// A kind is made when it is first requested, and kept. Names are compared as bytes.
public final class KindCatalog: Sendable {
  private let types: [any VaultRecord.Type]
  /// The types that do not come from this program.
  private let ownTypes: [any VaultRecord.Type]
  private let declared: JSONObject
  private let made = Mutex<[String: Result<RecordKind, RecordError>]>([:])

  package static let builtInTypes: [any VaultRecord.Type] = [
    Customer.self, Login.self, APIKey.self, SSHKey.self, PaymentCard.self, SecureNote.self, Database.self,
    CustomRecord.self, FileRecord.self,
  ]

  /// The kinds of this program.
  public static let builtIn = KindCatalog()

  /// - Parameters:
  ///   - types: further types, which rank before declared kinds of the same name and after those of this program.
  ///   - declared: JSON Schemas by the name of their kind, as in a header.
  public init(types: [any VaultRecord.Type] = [], declared: JSONObject = JSONObject()) {
    // A name that this program claimed later belongs to its earlier user.
    let builtIn = Self.builtInTypes.filter { type in
      let isTaken = declared[type.kindName] != nil || types.contains { $0.kindName == type.kindName }
      return RecordKind.reservedNames.contains(type.kindName) || !isTaken
    }
    self.types = builtIn + types
    ownTypes = types
    self.declared = declared
  }

  /// This catalog with further types.
  public func adding(_ types: [any VaultRecord.Type]) -> KindCatalog {
    types.isEmpty ? self : KindCatalog(types: ownTypes + types, declared: declared)
  }

  /// The same types, with the kinds that another header declares.
  public func declaring(_ declared: JSONObject) -> KindCatalog {
    declared == self.declared ? self : KindCatalog(types: ownTypes, declared: declared)
  }

  /// Refuses further types whose records could not be read again, or whose name another type has. A vault calls it
  /// before it opens.
  package func checkTypes() throws(RecordError) {
    for (index, type) in types.enumerated() where index >= types.count - ownTypes.count {
      if let fault = RecordKind.fault(of: type) { throw fault }
      guard let twin = types[..<index].first(where: { $0.kindName.utf8.elementsEqual(type.kindName.utf8) }),
        twin != type
      else { continue }
      throw RecordError(
        .invalidValue,
        "is `\(type.kindName)` for both \(String(reflecting: type)) and \(String(reflecting: twin)): give one of them "
          + "another name with `static let kindName`", path: "kindName")
    }
  }

  /// All names: types in their order, then declared kinds in the order of their bytes.
  public var names: [String] {
    let own = types.map { $0.kindName }
    return own + declared.names.filter { !own.contains($0) }
  }

  /// The kind with this name; nil if it is unknown, or if this version cannot use its schema.
  public subscript(name: String) -> RecordKind? { try? kind(named: name) }

  /// The kind with this name.
  ///
  /// - Throws: ``RecordError`` `.unknownKind`; `.invalidSchema` for a declared kind of a newer version.
  public func kind(named name: String) throws(RecordError) -> RecordKind {
    if let made = made.withLock({ $0[name] }) { return try made.get() }
    let result = Result { () throws(RecordError) in try make(name) }
    // Requested names may come from anywhere, so only existing ones are stored.
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

  /// Equal for catalogs that read a record's file the same way: the types with their titles and steps, and the declared
  /// kinds.
  package var identity: [UInt8] {
    let types = types.map { type in
      let steps = type.migrations.flatMap { [String($0.schema)] + $0.steps.map(\.description) }
      return "\(type.kindName) \(type.schema) \(type.titlePaths) \(steps)"
    }
    return Array(types.joined(separator: "\n").utf8) + [0] + ((try? JSONValue.object(declared).compactBytes()) ?? [])
  }
}
