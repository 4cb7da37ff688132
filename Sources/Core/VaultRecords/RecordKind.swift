public import VaultDocument
public import VaultSealing

/// A kind of record: its name, the description of its members, and the titles of its records in lists.
///
/// Kinds of Swift types and kinds that a vault declares by a JSON Schema look the same to callers.
public final class RecordKind: Sendable {
  /// The source of a kind.
  public enum Origin: Sendable {
    /// A Swift type, of this program or of the one that uses the library.
    case type
    /// The header of a vault, with its JSON Schema.
    case declared(JSONObject)
  }

  /// The functions of a Swift type that a description cannot express.
  struct TypeFunctions: Sendable {
    let type: any VaultRecord.Type
    let schemaMatchesType: Bool
    /// Whether its description was learned, so that only the type itself decides which values are valid.
    let isLearned: Bool
    /// Decodes members with the first context and encodes them with the second.
    let recode: @Sendable (JSONObject, SealingContext, SealingContext) throws(RecordError) -> JSONObject
    let decode: @Sendable (JSONObject, SealingContext) throws(RecordError) -> Void
    let complete: @Sendable (JSONObject, JSONObject?) throws(RecordError) -> JSONObject
    let byteCounts: [(of: String, at: String)]
    let watched: Set<String>
    let warn: @Sendable (JSONObject) -> [(path: String, text: String)]
  }

  /// The member of every kind for values that the kind does not know, each sealed as JSON.
  public static let extraMember = "extra"

  /// Its name in files and on a command line: `[a-z][a-z0-9-]{0,63}`.
  public let name: String
  /// The version of the encoded form, from 1.
  public let schema: Int
  /// The source of the kind.
  public let origin: Origin
  /// The purpose of the kind; may be empty.
  public let summary: String
  /// The members of a record, without ``extraMember``.
  public let content: ObjectRule
  /// The members for the title in lists; the first that a record has is used.
  public let titlePaths: [MemberPath]
  /// The migrations from older schemas to this one.
  public let migrations: [Migration]
  /// All migration steps up to the present schema, in order.
  let allSteps: [MigrationStep]
  /// The steps that apply to clear input, in the order in which they move values.
  let inputSteps: [(source: MemberPath, step: MigrationStep)]
  package let whole: ValueSchema
  let type: TypeFunctions?
  let seals: SealMap?

  /// The kind of a type.
  ///
  /// - Precondition: its title paths are well formed. ``fault(of:)`` checks this, and a vault refuses the type if they
  ///   are not.
  public convenience init<Record: VaultRecord>(of type: Record.Type) {
    let functions = TypeFunctions(
      type: type, schemaMatchesType: type.schemaMatchesType,
      isLearned: RecordedContent.isLearned(type),
      recode: { members, reading, writing throws(RecordError) in
        try Record.decoded(from: members, in: reading).encoded(in: writing)
      },
      decode: { members, reading throws(RecordError) in _ = try Record.decoded(from: members, in: reading) },
      complete: { members, before throws(RecordError) in try Record.completed(members, before: before) },
      byteCounts: type.byteCounts, watched: type.watchedPaths, warn: { Record.warnings(about: $0) })
    self.init(
      type.kindName, schema: type.schema, origin: .type, summary: type.summary, content: ObjectRule(type.content),
      titlePaths: type.titlePaths.map(MemberPath.init(ofSource:)), migrations: type.migrations,
      inputMoves: type.inputPaths.map { .move($0.source, to: $0.target) }, functions)
  }

  /// - Parameters:
  ///   - content: ``extraMember`` is added if it is missing.
  ///   - inputMoves: apply to clear input, before the migration steps.
  init(
    _ name: String, schema: Int, origin: Origin, summary: String, content: ObjectRule, titlePaths: [MemberPath],
    migrations: [Migration], inputMoves: [MigrationStep] = [], _ type: TypeFunctions? = nil
  ) {
    self.name = name
    self.schema = schema
    self.origin = origin
    self.summary = summary
    self.content = content
    self.titlePaths = titlePaths
    self.migrations = migrations
    allSteps = Self.steps(of: migrations, from: 0, to: schema)
    self.type = type
    let extra = MemberSchema(Self.extraMember, .map(of: ValueSchema(.any).sealed))
    let hasExtra = content.member(named: Self.extraMember) != nil
    whole = ValueSchema(.object(hasExtra ? content : content.adding(extra)))
    seals = SealMap(of: whole)
    inputSteps = Self.inputSteps(inputMoves + allSteps, besides: whole)
  }

  /// Names that a vault cannot declare as kinds (format 1, section 7, Header). A kind that this program added later
  /// yields to one that a vault had declared before.
  public static let reservedNames: Set<String> = [
    "customer", "login", "api-key", "ssh-key", "payment-card", "secure-note", "database", "custom",
  ]

  /// The values of a record one by one, in the order in which a person is asked for them.
  public var fields: [RecordField] { content.fields() }

  /// The description of the value at a path, which may belong to an older schema; nil if the kind does not have it.
  public func value(at path: MemberPath) -> ValueSchema? {
    guard !path.components.isEmpty else { return nil }
    return whole.value(at: pathInCurrentSchema(path))
  }

  /// The present place of a path that may belong to an older schema, so that scripts continue to work. A path that
  /// leads nowhere in the present schema stays as it is.
  public func pathInCurrentSchema(_ path: MemberPath) -> MemberPath {
    guard !migrations.isEmpty, whole.value(at: path) == nil else { return path }
    var components = path.components
    for case .move(let source, let target) in allSteps where components.starts(with: source.components) {
      components = target.components + components.dropFirst(source.components.count)
    }
    let present = MemberPath(components)
    return whole.value(at: present) == nil ? path : present
  }

  /// The title of a record in lists; empty if it has none.
  public func title(of members: JSONObject) -> String {
    let tree = JSONValue.object(members)
    for path in titlePaths {
      guard case .string(let text)? = try? tree.value(at: path), !text.isEmpty, !SealedToken.hasTokenShape(text) else {
        continue
      }
      return text
    }
    return ""
  }
}

extension RecordKind {
  /// Warnings about unusual clear members that are nevertheless accepted.
  public func warnings(about members: JSONObject) -> [(path: String, text: String)] {
    let present = modernised(members)
    // A member that the kind does not have is refused, or sealed in ``extraMember``.
    let readable = secretAddresses(in: present).filter { value(at: $0.path) != nil }
    return (type?.warn(members) ?? []) + readable.map { ($0.path.description, $0.secret.reason) }
  }

  /// The readable members, in a file or in clear, that hold an address with a secret in it.
  package func secretAddresses(in members: JSONObject) -> [(path: MemberPath, secret: SecretAddress)] {
    // Sealed values are not searched, because that would leave a copy of them.
    let found = SealMap.strings(in: .object(members), besides: seals) { text in
      SecretAddress.mayBe(in: text) && !SealedToken.hasTokenShape(text) ? SecretAddress(in: text) : nil
    }
    // Values of an older schema stand at other places than the present schema seals.
    return found.map { (MemberPath($0.steps.reversed()), $0.found) }.filter { !isSealed($0.path) }
  }

  /// Whether a value, or an object around it, is sealed.
  package func isSealed(_ path: MemberPath) -> Bool {
    var above = pathInCurrentSchema(path)
    while !above.components.isEmpty {
      if value(at: above)?.isSealed == true { return true }
      above.components.removeLast()
    }
    return false
  }

  /// Whether ``warnings(about:)`` reads the value at a path; other values need not leave the secure heap.
  public func warnsAbout(_ path: MemberPath) -> Bool { type?.watched.contains(path.description) ?? false }

  /// Derives members from others after a change.
  ///
  /// - Parameter before: the members before it; nil for a new record.
  /// - Throws: ``RecordError`` `.invalidValue` if they contradict each other.
  public func completed(_ members: JSONObject, before: JSONObject?) throws(RecordError) -> JSONObject {
    try type?.complete(members, before) ?? members
  }

  /// Checks members in the form of a file, with sealed ones as tokens of `context`.
  ///
  /// - Throws: ``RecordError`` of the first fault.
  public func validate(_ members: JSONObject, in context: SealingContext) throws(RecordError) {
    if let fault = firstFault(in: members) { throw fault }
    if let type, !type.schemaMatchesType { try type.decode(members, context) }
  }

  /// Checks changed members like ``validate(_:in:)``, and that the type itself decodes them.
  package func accept(_ members: JSONObject, in context: SealingContext) throws(RecordError) {
    if let fault = firstFault(in: members) { throw fault }
    try type?.decode(members, context)
  }

  /// All faults of members in the form of a file; sealed values are not opened.
  ///
  /// A learned description counts only for sealed values if the type accepts the members, because the type may accept
  /// other values than those it asked for.
  public func faults(in members: JSONObject) -> [RecordError] {
    let faults = StoredCheck.faults(in: members, whole, kind: name)
    guard let type, type.isLearned, !faults.isEmpty, (try? type.decode(members, .locked)) != nil else { return faults }
    return StoredCheck.faults(in: members, whole, kind: name, aboutSealing: true)
  }

  private func firstFault(in members: JSONObject) -> RecordError? {
    guard type?.isLearned == true else { return StoredCheck.firstFault(in: members, whole, kind: name) }
    return faults(in: members).first
  }

  /// The first sealed field with clear text; nil if all of them are tokens, absent or null.
  public func clearTextPath(in members: JSONObject) -> MemberPath? {
    seals?.clearText(in: .object(members)).map { MemberPath($0.reversed()) }
  }

  /// The fault of JSON that was sealed at a path, in words that follow its name; nil if it is good.
  package func fault(ofSealed value: JSONValue, at path: MemberPath) -> String? {
    whole.value(at: path)?.faultWithin(value)
  }

  /// Whether the sealed value at a path is JSON rather than text.
  public func sealsJSON(at path: MemberPath) -> Bool { seals?.holdsJSON(at: path) ?? false }
}

extension RecordKind {
  /// Why records of a type could not be read again; nil if they can.
  public static func fault(of type: any VaultRecord.Type) -> RecordError? {
    guard RecordKindName.isValid(type.kindName) else {
      return RecordError(
        .invalidValue,
        "is not valid for \(type): use at most 64 lower-case letters, digits and hyphens, a letter first",
        path: "kindName")
    }
    guard type.schema >= 1 else { return RecordError(.invalidValue, "must be 1 or more for \(type)", path: "schema") }
    if let fault = RecordedContent.fault(of: type) { return fault }
    let whole = ValueSchema(.object(ObjectRule(type.content)))
    for text in type.titlePaths {
      let path = try? MemberPath(parsing: text)
      let reason = path.map(whole.faultOfTitle) ?? "is not a path"
      if let reason {
        return RecordError(.invalidValue, "is not valid for \(type): `\(text)` \(reason)", path: "titlePaths")
      }
    }
    return nil
  }

  /// For unit tests of a type: checks that its description fits what the type reads and writes, and that its records
  /// can be read again.
  ///
  /// - Throws: ``RecordError`` `.invalidValue` of the first wrong member: it is read and not described, described and
  ///   never read, sealed and not described as sealed, or required by the type and not by the description.
  public static func check(of type: any VaultRecord.Type) throws(RecordError) {
    if let fault = fault(of: type) { throw fault }
    try RecordedContent(of: type).compare(with: type.content, of: type)
    guard RecordedContent.isLearned(type), let path = clearSecret(in: type.content, of: type) else { return }
    throw RecordError(
      .invalidValue,
      "is readable in \(type), but has the name of a secret: make it an EncryptedCodableString, or say in "
        + "`described` that it is `.text`", path: path)
  }

  /// The first readable text of a type whose name suggests a secret and which the type has not declared harmless.
  private static func clearSecret(in members: [MemberSchema], of type: any VaultRecord.Type, below path: String = "")
    -> String?
  {
    for member in members where !member.value.isSealed {
      let place = path + member.name
      if member.value.isText, SecretName.isSecret(member.name), type.described[place] == nil { return place }
      if case .object(let rule) = member.value.form,
        let found = clearSecret(in: rule.inOrder, of: type, below: place + ".")
      {
        return found
      }
    }
    return nil
  }

  /// Whether it is the kind of exactly this type, or has no type.
  package func mayBe(_ other: any VaultRecord.Type) -> Bool { type.map { $0.type == other } ?? true }

  package var typeName: String? { type.map { "\($0.type)" } }
}

extension ValueSchema {
  /// Why the value at a path cannot be a title; nil if it can.
  fileprivate func faultOfTitle(at path: MemberPath) -> String? {
    guard let value = value(at: path) else { return "is not the path of a member" }
    if value.isSealed { return "is sealed, but a title must be readable" }
    if case .any = value.form { return nil }
    return value.isText ? nil : "is not text"
  }
}

extension MemberPath {
  /// A path in source code. `RecordKind.fault(of:)` checks a type before it enters a vault.
  init(ofSource text: String) {
    do {
      try self.init(parsing: text)
    } catch {
      preconditionFailure("a path in source code must be well formed: \(text)")
    }
  }
}
