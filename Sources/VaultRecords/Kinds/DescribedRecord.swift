internal import VaultDocument
internal import VaultSealing

/// A record whose members are listed once: how they are encoded and decoded, what they may be, and what a prompt says.
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
/// What is secret is said by the type of the property, and required is what is not optional, no list and no map.
public protocol DescribedRecord: VaultRecord {
  /// The members of the encoded form, all of them, in the order in which a person is asked for them.
  static var members: [Member<Self>] { get }
  /// What decoding begins with: properties that are no member keep their value from here.
  static var blank: Self { get }
}

extension DescribedRecord {
  public static var content: [MemberSchema] { members.map(\.schema) }
  /// True: each member's type is what its description says.
  public static var isDescribedByContent: Bool { true }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyCodingKey.self)
    self = Self.blank
    for member in Self.members { try member.read(container, &self) }
  }

  public func encode(to encoder: any Encoder) throws {
    // Looked up once for all sealed members; where there is none, the first of them says so.
    let context = try? SealingContext.of(encoder)
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    for member in Self.members { try member.write(self, &container, context) }
  }
}

/// One member of a record type: its name in JSON, the property that holds it, and what it may be.
public struct Member<Record>: Sendable {
  /// A stored property of the record.
  public typealias Property<Value> = any WritableKeyPath<Record, Value> & Sendable
  typealias Source = KeyedDecodingContainer<AnyCodingKey>
  typealias Target = KeyedEncodingContainer<AnyCodingKey>

  let schema: MemberSchema
  /// Whether the record has nothing there that would be written.
  let isAbsent: @Sendable (Record) -> Bool
  let read: @Sendable (Source, inout Record) throws -> Void
  let write: @Sendable (Record, inout Target, SealingContext?) throws -> Void

  /// A member that every record has.
  ///
  /// - Parameters:
  ///   - title: what a prompt calls it.
  ///   - value: what it may be, where its type does not say enough; its type says whether it is sealed.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<Value>, _ title: String? = nil,
    as value: ValueSchema? = nil
  ) {
    let (key, described) = (AnyCodingKey(name), Value.described(value))
    schema = MemberSchema(name, described, title, required: true)
    isAbsent = { _ in false }
    read = { source, record in
      // What is missing is refused by the decoder, in its words.
      record[keyPath: path] = try Value.read(source, key, described) ?? source.decode(Value.self, forKey: key)
    }
    write = { record, target, context in try record[keyPath: path].write(to: &target, key, context) }
  }

  /// A member that a record may have.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<Value?>, _ title: String? = nil,
    as value: ValueSchema? = nil
  ) {
    let (key, described) = (AnyCodingKey(name), Value.described(value))
    schema = MemberSchema(name, described, title)
    isAbsent = { $0[keyPath: path] == nil }
    read = { source, record in record[keyPath: path] = try Value.read(source, key, described) }
    write = { record, target, context in try record[keyPath: path]?.write(to: &target, key, context) }
  }

  /// A list, absent where it is empty, so that a record has no lines that say nothing.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<[Value]>, _ title: String? = nil,
    of items: ValueSchema? = nil
  ) {
    self.init(name, collection: path, title, .list(of: Value.described(items)), blank: [])
  }

  /// Values by names that the user chooses, absent where there are none.
  public init<Value: MemberValue>(
    _ name: String, _ path: Property<[String: Value]>, _ title: String? = nil,
    of values: ValueSchema? = nil
  ) {
    self.init(name, collection: path, title, .map(of: Value.described(values)), blank: [:])
  }

  private init<Values: Codable & Collection & Sendable>(
    _ name: String, collection path: Property<Values>, _ title: String?,
    _ described: ValueSchema, blank: Values
  ) {
    let key = AnyCodingKey(name)
    schema = MemberSchema(name, described, title)
    isAbsent = { $0[keyPath: path].isEmpty }
    read = { source, record in record[keyPath: path] = try source.decode(forKey: key, default: blank) }
    write = { record, target, _ in
      let values = record[keyPath: path]
      if !values.isEmpty { try target.encode(values, forKey: key) }
    }
  }

  /// An object in the JSON whose members are properties of the record itself, absent where it has none of them.
  public static func nested(_ name: String, _ members: [Member]) -> Member {
    Member(nested: AnyCodingKey(name), members)
  }

  private init(nested key: AnyCodingKey, _ members: [Member]) {
    schema = MemberSchema(key.stringValue, .object(members.map(\.schema)))
    isAbsent = { record in members.allSatisfy { $0.isAbsent(record) } }
    read = { source, record in
      guard let object = try source.nestedContainerIfPresent(forKey: key) else { return }
      for member in members { try member.read(object, &record) }
    }
    write = { record, target, context in
      guard !members.allSatisfy({ $0.isAbsent(record) }) else { return }
      var object = target.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
      for member in members { try member.write(record, &object, context) }
    }
  }
}
