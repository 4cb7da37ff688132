internal import VaultDocument

/// The members of one record as they come in.
struct MemberCollector {
  private let shape: KindShape?
  private var texts: [String: String] = [:]
  private var lists: [String: [String]] = [:]
  private var maps: [String: [String: String]] = [:]

  /// - Parameter shape: nil for a kind that this module knows nothing about: its members are then taken as named.
  init(_ shape: KindShape?) { self.shape = shape }

  /// Whether it has all that its kind requires, but for the title.
  var isComplete: Bool { shape?.required.allSatisfy { texts[$0] != nil } ?? true }

  /// Stores a text and says where it went; `name` is that of a custom field, should it become one.
  mutating func store(_ text: String, _ destination: RecordBuilder.Destination, name: String) -> LedgerLine.Outcome {
    switch destination {
    case .member(let member): storeMember(text, member, name: name)
    case .list(let list): storeItem(text, list, name: name)
    case .field(let name): insert(text, name, in: shape?.readableMap)
    case .secret(let name): insert(text, name, in: shape?.secretMap)
    }
  }

  private mutating func storeMember(_ text: String, _ member: String, name: String) -> LedgerLine.Outcome {
    let own = member == "notes" ? shape?.notes ?? member : member
    let other = Self.readable.contains(member) ? shape?.readableMap : shape?.secretMap
    if let shape, shape.texts[own]?(text) != true { return insert(text, name, in: other) }
    guard let old = texts[own] else {
      texts[own] = text
      return .stored(at: own)
    }
    return old.utf8.elementsEqual(text.utf8) ? .stored(at: own) : insert(text, name, in: other)
  }

  private mutating func storeItem(_ text: String, _ list: String, name: String) -> LedgerLine.Outcome {
    if let shape, shape.lists[list]?(text) != true { return insert(text, name, in: shape.readableMap) }
    // `==` takes canonically equivalent texts for the same; here bytes count.
    if lists[list]?.contains(where: { $0.utf8.elementsEqual(text.utf8) }) != true {
      lists[list, default: []].append(text)
    }
    return list == "tags" ? .tagged : .stored(at: list)
  }

  /// Members whose text may be read, also where the kind has no place for it.
  private static let readable: Set<String> = ["title", "username", "holder", "expiry", "public_key", "fingerprint"]

  /// Inserts under the name, or the name with the next free number.
  private mutating func insert(_ text: String, _ name: String, in map: String?) -> LedgerLine.Outcome {
    guard let map else { return .refused("the kind has no member for it") }
    var free = name
    var number = 1
    while let old = maps[map]?[free], !old.utf8.elementsEqual(text.utf8) {
      number += 1
      free = "\(name) \(number)"
    }
    // Never replaced: names that differ only in their form are one name to `==` and to the vault.
    if maps[map]?[free] == nil { maps[map, default: [:]][free] = text }
    return .custom(at: MemberPath([.member(map), .member(free)]).description)
  }

  /// Gives the record a title when it has none and its kind has one.
  mutating func nameRecord(_ title: @autoclosure () -> String) {
    if shape?.texts["title"] != nil, texts["title"] == nil { texts["title"] = title() }
  }

  /// Takes the e-mail address for the user name where there is no other.
  mutating func nameUser(_ email: String?) {
    if let email, shape?.texts["username"] != nil, texts["username"] == nil { texts["username"] = email }
  }

  /// The members as the kind encodes them.
  ///
  /// - Throws: ``ExchangeError`` `.invalidMapping` for a path that is none, or that leads through a text.
  func object() throws(ExchangeError) -> JSONObject {
    var tree = JSONObject()
    for (path, text) in texts { try Self.set(.string(text), at: path, in: &tree) }
    for (name, items) in lists { tree[name] = .array(items.map(JSONValue.string)) }
    for (name, values) in maps {
      var object = JSONObject()
      for (key, text) in values { object[key] = .string(text) }
      tree[name] = .object(object)
    }
    return tree
  }

  private static func set(_ value: JSONValue, at path: String, in tree: inout JSONObject) throws(ExchangeError) {
    do throws(DocumentError) {
      try set(value, at: try MemberPath(parsing: path).components[...], in: &tree)
    } catch {
      throw ExchangeError(.invalidMapping, "a member path is malformed", underlying: error)
    }
  }

  private static func set(
    _ value: JSONValue, at path: ArraySlice<MemberPath.Component>, in tree: inout JSONObject
  ) throws(DocumentError) {
    guard case .member(let name) = path.first else { throw DocumentError(code: .invalidPath) }
    if path.count == 1 {
      tree[name] = value
    } else {
      var below = tree[name]?.object ?? JSONObject()
      try set(value, at: path.dropFirst(), in: &below)
      tree[name] = .object(below)
    }
  }
}
