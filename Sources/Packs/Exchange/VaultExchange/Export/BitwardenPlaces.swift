internal import VaultDocument

/// Values that an import kept under their paths in Bitwarden's JSON. The export writes them back to those paths.
///
/// The values are passkeys, old passwords, match rules for addresses, and links to other fields.
struct BitwardenPlaces {
  private var values: [(path: MemberPath, value: JSONValue)] = []
  private(set) var links: [(name: String, target: Int)] = []
  /// How many values have such a path but no place there. Those stay custom fields.
  private(set) var strayCount = 0

  private static let passkey = [
    "counter", "creationDate", "credentialId", "discoverable", "keyAlgorithm", "keyCurve", "keyType", "keyValue",
    "rpId",
    "rpName", "userDisplayName", "userHandle", "userName",
  ]
  private static let places: Set<String> = Set(
    ["passwordHistory[].password", "passwordHistory[].lastUsedDate"] + passkey.map { "login.fido2Credentials[].\($0)" })
  private static let tops: Set<String> = [
    "attachments", "card", "identity", "login", "passwordHistory", "secureNote", "sshKey",
  ]

  /// Takes the values out of the parts, so that they do not become custom fields.
  init(_ parts: inout EntryParts, isLogin: Bool) {
    var (names, paths): (Set<String>, Set<MemberPath>) = ([], [])
    for extra in parts.extras {
      // Several maps of a record can have the same name. Only the first one goes here.
      let isFirst = names.insert(extra.name).inserted
      if isFirst, let name = Self.linkedName(extra), let target = Int(extra.text) {
        links.append((name, target))
        _ = parts.take(extra.name)
        continue
      }
      guard let path = try? MemberPath(parsing: extra.name), path.components.count > 1, Self.tops.contains(path.top)
      else {
        continue
      }
      if isFirst, let value = Self.value(extra.text, at: path, parts, isLogin: isLogin), paths.insert(path).inserted {
        values.append((path, value))
        _ = parts.take(extra.name)
      } else {
        strayCount += 1
      }
    }
    values.sort { $0.path.precedes($1.path) }
    renumber()
  }

  /// Renumbers the items of lists from 0, because some may have been removed since the import.
  private mutating func renumber() {
    var seen: [MemberPath: [MemberPath]] = [:]
    for index in values.indices {
      let steps = values[index].path.components
      guard let place = steps.firstIndex(where: { if case .index = $0 { true } else { false } }),
        steps[1] != .member("uris")
      else { continue }
      let (list, item) = (MemberPath(Array(steps[..<place])), MemberPath(Array(steps[...place])))
      if seen[list, default: []].last != item { seen[list, default: []].append(item) }
      let number = (seen[list]?.count ?? 1) - 1
      values[index].path = MemberPath(steps[..<place] + [.index(number)] + steps[(place + 1)...])
    }
  }

  private static func linkedName(_ extra: EntryParts.Extra) -> String? {
    extra.name.ends(with: " linkedId") ? String(Substring(extra.name.utf8.dropLast(9))) : nil
  }

  /// The value for a place; nil if the record does not have that place.
  private static func value(_ text: String, at path: MemberPath, _ parts: EntryParts, isLogin: Bool) -> JSONValue? {
    let names = path.components.map { component in
      if case .member(let name) = component { ".\(name)" } else { "[]" }
    }
    let pattern = String(names.joined().dropFirst())
    guard isLogin || path.top != "login" else { return nil }
    // If an address had no scheme, the order of the addresses is not known.
    if pattern == "login.uris[].match", case .index(let index) = path.components[2], index < parts.urls.count,
      !parts.hasLooseAddresses
    {
      return Int(text).map { .number(JSONNumber($0)) }
    }
    return places.contains(pattern) ? .string(text) : nil
  }

  func fill(_ item: inout JSONObject) {
    var tree = JSONValue.object(item)
    for (path, value) in values {
      // This cannot fail: the numbers ascend from 0 and the addresses are there.
      try? tree.set(value, at: path)
    }
    item = tree.object ?? item
    guard var login = item["login"]?.object, let keys = login["fido2Credentials"]?.array else { return }
    login["fido2Credentials"] = .array(keys.map(Self.completed))
    item["login"] = .object(login)
  }

  /// The passkey with all its members. A member that was empty is null.
  private static func completed(_ key: JSONValue) -> JSONValue {
    guard var members = key.object else { return key }
    for name in passkey where members[name] == nil { members[name] = .null }
    return .object(members)
  }
}
