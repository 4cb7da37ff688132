internal import VaultDocument
internal import VaultRecords

struct MemberCollector {
  let shape: KindShape
  /// Whether a refused value is stored nevertheless, so that the kind reports why.
  private let isStrict: Bool
  private(set) var members = JSONObject()
  private(set) var maps: [String: [String: String]] = [:]
  /// Former values by the path of their member, the newest first.
  var earlier: [MemberPath: [ImportedFormerValue]] = [:]

  init(_ shape: KindShape, isStrict: Bool) {
    self.shape = shape
    self.isStrict = isStrict
  }

  /// Whether the members can be a record of the kind, apart from the title.
  var isComplete: Bool { shape.takes(members) }

  /// Stores a text and returns its place; `name` is the name if the text becomes a custom field.
  ///
  /// A readable address that contains a secret is sealed as a whole, so that nothing of it is lost.
  mutating func store(_ text: String, _ destination: RecordBuilder.Destination, name: String) -> LedgerLine.Outcome {
    if isReadable(destination), let secret = SecretAddress(in: text) {
      return seal(text, secret, meantFor: destination)
    }
    return switch destination {
    case .member(let member): storeMember(text, member, name: name)
    case .list(let list): storeItem(text, list, name: name)
    case .field(let name): insert(text, name, in: shape.readableMap)
    case .secret(let name): insert(text, name, in: shape.secretMap)
    }
  }

  private func isReadable(_ destination: RecordBuilder.Destination) -> Bool {
    switch destination {
    case .list, .field: true
    case .secret: false
    case .member("notes"): false
    case .member(let member):
      Self.readable.contains(member) || (try? MemberPath(parsing: member)).map(shape.isReadable) ?? false
    }
  }

  private mutating func seal(
    _ text: String, _ secret: SecretAddress, meantFor destination: RecordBuilder.Destination
  ) -> LedgerLine.Outcome {
    if secret == .oneTimeCode, shape.has("totp"), members["totp"] == nil {
      return storeMember(text, "totp", name: "totp")
    }
    switch destination {
    case .list("urls"):
      // The origin of the address is not secret, and users search for it.
      if let origin = SecretAddress.origin(of: text), shape.takes(origin, inList: "urls") {
        _ = storeItem(origin, "urls", name: "url")
      }
      return insert(text, "url", in: shape.secretMap)
    case .list(let name), .member(let name), .field(let name), .secret(let name):
      return insert(text, name, in: shape.secretMap)
    }
  }

  private mutating func storeMember(_ text: String, _ member: String, name: String) -> LedgerLine.Outcome {
    let own = member == "notes" ? shape.notes : member
    let other = Self.readable.contains(member) ? shape.readableMap : shape.secretMap
    guard let path = try? MemberPath(parsing: own), let value = value(of: text, at: path) else {
      return insert(text, name, in: other)
    }
    let tree = JSONValue.object(members)
    guard let old = try? tree.value(at: path), !old.isNull else {
      return set(value, at: path) ? .stored(at: own) : insert(text, name, in: other)
    }
    return old == value ? .stored(at: own) : insert(text, name, in: other)
  }

  private func value(of text: String, at path: MemberPath) -> JSONValue? {
    if let value = shape.value(ofText: text, at: path) { return value }
    return isStrict && shape.hasMember(at: path) ? .string(text) : nil
  }

  private mutating func storeItem(_ text: String, _ list: String, name: String) -> LedgerLine.Outcome {
    guard shape.takes(text, inList: list) else { return insert(text, name, in: shape.readableMap) }
    var items = members[list]?.array ?? []
    if !items.contains(.string(text)) { items.append(.string(text)) }
    members[list] = .array(items)
    return list == "tags" ? .tagged : .stored(at: list)
  }

  /// Members that stay readable even if the kind has no place for them.
  static let readable: Set<String> = ["title", "username", "holder", "expiry", "public_key", "fingerprint"]

  /// Inserts under the name, or under the name with the next free number.
  mutating func insert(_ text: String, _ name: String, in map: String) -> LedgerLine.Outcome {
    let name = Self.readableName(name)
    var free = name
    var number = 1
    while let old = maps[map]?[free], !old.utf8.elementsEqual(text.utf8) {
      number += 1
      free = "\(name) \(number)"
    }
    // Never replace: `==` and the vault treat names that differ only in normalisation as one name.
    if maps[map]?[free] == nil { maps[map, default: [:]][free] = text }
    return .custom(at: MemberPath([.member(map), .member(free)]).description)
  }

  /// Names are readable, so an address with a secret cannot be a name.
  static func readableName(_ name: String) -> String { SecretAddress(in: name) == nil ? name : "value" }

  /// Gives the record a title if no member names it.
  mutating func nameRecord(_ title: @autoclosure () -> String) {
    if shape.has("title"), shape.title(of: members).isEmpty { members["title"] = .string(title()) }
  }

  /// Uses the e-mail address as the user name if there is no other.
  mutating func nameUser(_ email: String?) {
    if let email, shape.has("username"), members["username"] == nil, SecretAddress(in: email) == nil {
      members["username"] = .string(email)
    }
  }

  /// The members in the form that the kind encodes.
  var object: JSONObject {
    var tree = members
    for (name, values) in maps {
      var object = JSONObject()
      for (key, text) in values { object[key] = .string(text) }
      tree[name] = .object(object)
    }
    return tree
  }

  /// Sets a value and makes the objects and lists above it. Returns false if another value is in the way.
  private mutating func set(_ value: JSONValue, at path: MemberPath) -> Bool {
    var tree = JSONValue.object(members)
    guard (try? tree.set(value, at: path)) != nil, case .object(let object) = tree else { return false }
    members = object
    return true
  }
}
