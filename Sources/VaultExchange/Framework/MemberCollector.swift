internal import VaultDocument

/// Which members a kind has that importers know by name.
struct KindShape {
  let texts: Set<String>
  let lists: Set<String>
  /// The member that takes `notes`.
  let notes: String
  /// Whether the kind has `fields` and `secrets`.
  let hasCustomFields: Bool
}

/// The members of one record as they come in.
struct MemberCollector {
  private let shape: KindShape?
  private var texts: [String: String] = [:]
  private var lists: [String: [String]] = [:]
  private var maps: [String: [String: String]] = [:]

  /// - Parameter shape: nil for a kind that this module knows nothing about: its members are then taken as named.
  init(_ shape: KindShape?) { self.shape = shape }

  /// Stores a text and says where it went; `name` is that of a custom field, should it become one.
  mutating func store(_ text: String, _ destination: RecordBuilder.Destination, name: String) -> LedgerLine.Outcome {
    switch destination {
    case .member(let member): return storeMember(text, member, name: name)
    case .list(let list): return storeItem(text, list, name: name)
    case .field(let name): return insert(text, name, in: "fields")
    case .secret(let name): return insert(text, name, in: "secrets")
    }
  }

  private mutating func storeMember(_ text: String, _ member: String, name: String) -> LedgerLine.Outcome {
    let own = member == "notes" ? shape?.notes ?? member : member
    guard shape?.texts.contains(own) ?? true else {
      return insert(text, name, in: Self.readable.contains(member) ? "fields" : "secrets")
    }
    guard let old = texts[own] else {
      texts[own] = text
      return .stored(at: own)
    }
    if old.utf8.elementsEqual(text.utf8) { return .stored(at: own) }
    return insert(text, name, in: Self.readable.contains(member) ? "fields" : "secrets")
  }

  private mutating func storeItem(_ text: String, _ list: String, name: String) -> LedgerLine.Outcome {
    guard shape?.lists.contains(list) ?? true else { return insert(text, name, in: "fields") }
    // `==` takes canonically equivalent texts for the same; here bytes count.
    if lists[list]?.contains(where: { $0.utf8.elementsEqual(text.utf8) }) != true {
      lists[list, default: []].append(text)
    }
    return list == "tags" ? .tagged : .stored(at: list)
  }

  /// Members whose second value, or whose value in a kind without them, may be readable.
  private static let readable: Set<String> = ["title", "username", "holder", "urls", "tags"]

  /// Inserts under the name, or the name with the next free number.
  private mutating func insert(_ text: String, _ name: String, in map: String) -> LedgerLine.Outcome {
    guard shape?.hasCustomFields ?? false else { return .refused("the kind has no member for it") }
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
    if shape?.texts.contains("title") == true, texts["title"] == nil { texts["title"] = title() }
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
      let path = try MemberPath(parsing: path)
      try set(value, at: path.components[...], in: &tree)
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
