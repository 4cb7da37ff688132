internal import VaultDocument
internal import VaultSealing

/// A record whose members are listed once, with their encoding, rules and prompt titles.
///
/// ```swift
/// struct Badge: DescribedRecord {
///   var owner = ""
///   var code: EncryptedCodableString = ""
///   var room: String?
///
///   static let kindName = "badge"
///   static let titlePaths = ["owner"]
///   static let blank = Badge()
///   static let members: [Member<Badge>] = [
///     Member("owner", \.owner, "Owner", as: .name),
///     Member("code", \.code, "Code"),
///     Member("room", \.room, "Room"),
///   ]
/// }
/// ```
///
/// The type of a property says whether it is secret. Properties that are not optional, a list or a map are required.
public protocol DescribedRecord: VaultRecord {
  /// All members of the encoded form, in the order in which a person is asked for them.
  static var members: [Member<Self>] { get }
  /// The start value for decoding: properties that are not members keep their value from here.
  static var blank: Self { get }
}

extension DescribedRecord {
  public static var content: [MemberSchema] { members.map(\.schema) }
  /// True, because each member's type fits its description.
  public static var schemaMatchesType: Bool { true }

  public init(from decoder: any Decoder) throws {
    let source = try SpelledMembers(decoder, moves: Self.inputPaths + Self.migrations.flatMap(\.moves))
    self = Self.blank
    for member in Self.members { try member.read(source, &self) }
  }

  public func encode(to encoder: any Encoder) throws {
    // Looked up once for all sealed members; without a context, the first of them throws.
    let context = try? SealingContext.of(encoder)
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    var record = self
    for member in Self.members { try member.write(&record, &container, context) }
  }
}

/// One member of a record type: its name in JSON, the property that holds it, and what it may be.
public final class Member<Record>: Sendable {
  /// A stored property of the record.
  public typealias Property<Value> = any WritableKeyPath<Record, Value> & Sendable
  typealias Target = KeyedEncodingContainer<AnyCodingKey>

  let schema: MemberSchema
  /// Whether the record has no value to write here.
  let isAbsent: @Sendable (inout Record) -> Bool
  let read: @Sendable (SpelledMembers, inout Record) throws -> Void
  let write: @Sendable (inout Record, inout Target, SealingContext?) throws -> Void

  /// A member that every record has.
  ///
  /// - Parameters:
  ///   - title: its name in prompts.
  ///   - value: its rules, if its type does not say enough. The type says whether it is sealed.
  ///   - sort: the sort of a secret; nil means text.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<Value>, _ title: String? = nil,
    as value: ValueSchema? = nil, secret sort: SecretSort? = nil
  ) {
    let (key, described, place) = (AnyCodingKey(name), Value.described(value, secret: sort), Place(path))
    schema = MemberSchema(name, described, title, required: true)
    isAbsent = { _ in false }
    read = { source, record in
      // The decoder refuses a missing member with its own error.
      let key = try source.key(key)
      let value = try Value.read(source.container, key, described)
      place.set(try value ?? source.container.decode(Value.self, forKey: key), in: &record)
    }
    write = { record, target, context in try place.value(in: &record).write(to: &target, key, context) }
  }

  /// A member that a record may have.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<Value?>, _ title: String? = nil,
    as value: ValueSchema? = nil, secret sort: SecretSort? = nil
  ) {
    let (key, described, place) = (AnyCodingKey(name), Value.described(value, secret: sort), Place(path))
    schema = MemberSchema(name, described, title)
    isAbsent = { place.value(in: &$0) == nil }
    read = { source, record in
      place.set(try Value.read(source.container, source.key(key), described), in: &record)
    }
    write = { record, target, context in
      guard let value = place.value(in: &record) else { return }
      try value.write(to: &target, key, context)
    }
  }

  /// A list, absent if it is empty, so that a record has no meaningless lines.
  public convenience init<Value: MemberValue>(
    _ name: String, _ path: Property<[Value]>, _ title: String? = nil,
    of items: ValueSchema? = nil
  ) {
    self.init(name, collection: path, title: title, described: .list(of: Value.described(items)), blank: [])
  }

  /// Values under names that the user chooses; absent if there are no values.
  public convenience init<Value: MemberValue>(
    _ name: String, _ path: Property<[String: Value]>, _ title: String? = nil,
    of values: ValueSchema? = nil
  ) {
    self.init(name, collection: path, title: title, described: .map(of: Value.described(values)), blank: [:])
  }

  private init<Values: Codable & Collection & Sendable>(
    _ name: String, collection path: Property<Values>, title: String?,
    described: ValueSchema, blank: Values
  ) {
    let (key, place) = (AnyCodingKey(name), Place(path))
    schema = MemberSchema(name, described, title)
    isAbsent = { place.value(in: &$0).isEmpty }
    read = { source, record in
      place.set(try source.decodeIfPresent(Values.self, forKey: key) ?? blank, in: &record)
    }
    write = { record, target, _ in
      let values = place.value(in: &record)
      if !values.isEmpty { try target.encode(values, forKey: key) }
    }
  }

  /// An object in the JSON whose members are properties of the record itself; absent if the record has none of them.
  public static func nested(_ name: String, _ members: [Member]) -> Member {
    Member(nested: AnyCodingKey(name), members)
  }

  private init(nested key: AnyCodingKey, _ members: [Member]) {
    schema = MemberSchema(key.stringValue, .object(members.map(\.schema)))
    isAbsent = { record in members.allSatisfy { $0.isAbsent(&record) } }
    read = { source, record in
      guard let object = try source.nestedIfPresent(forKey: key) else { return }
      for member in members { try member.read(object, &record) }
    }
    write = { record, target, context in
      guard !members.allSatisfy({ $0.isAbsent(&record) }) else { return }
      var object = target.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
      for member in members { try member.write(&record, &object, context) }
    }
  }
}

/// The place of a property in a record.
///
/// A key path takes some 500 instructions for every member of every record, so a stored property is read and written
/// directly in memory.
private struct Place<Record, Value>: Sendable {
  let path: any WritableKeyPath<Record, Value> & Sendable
  /// In bytes from the beginning of a record; nil for a property that is computed or observed.
  let offset: Int?

  init(_ path: any WritableKeyPath<Record, Value> & Sendable) {
    self.path = path
    offset = MemoryLayout<Record>.offset(of: path)
  }

  func value(in record: inout Record) -> Value {
    guard let offset else { return record[keyPath: path] }
    // Safe: `offset(of:)` says that a value of this type is stored there.
    return unsafe withUnsafeMutablePointer(to: &record) { record in
      unsafe UnsafeRawPointer(record).load(fromByteOffset: offset, as: Value.self)
    }
  }

  func set(_ value: Value, in record: inout Record) {
    guard let offset else { return record[keyPath: path] = value }
    // Safe as above; the old content is a value, which is released.
    unsafe withUnsafeMutablePointer(to: &record) { record in
      unsafe (UnsafeMutableRawPointer(record) + offset).assumingMemoryBound(to: Value.self).pointee = value
    }
  }
}

extension Member {
  /// Words to find a record by; every kind has them.
  static func tags(_ path: Property<[String]>) -> Member {
    Member("tags", path, "Tags", of: .name)
  }

  /// Readable values by names that the user chooses.
  static func fields(_ path: Property<[String: String]>) -> Member {
    Member("fields", path, "Field")
  }

  /// Secret values by names that the user chooses.
  static func secrets(_ path: Property<[String: EncryptedCodableString]>) -> Member {
    Member("secrets", path, "Secret field")
  }
}
