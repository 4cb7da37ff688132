internal import VaultDocument

/// A record as password managers see it: the members that they all have, and the rest as named values.
struct EntryParts {
  struct Extra {
    let name: String
    let text: String
    let isSealed: Bool
    let member: String
  }

  /// The text members that the format asked for, by name.
  private(set) var texts: [String: String] = [:]
  private(set) var urls: [String] = []
  private(set) var tags: [String] = []
  /// Whether some addresses had no scheme. Then the order of the addresses is not the original one.
  private(set) var hasLooseAddresses = false
  private(set) var extras: [Extra] = []
  /// How many values are null, empty or without items.
  private(set) var voidCount = 0

  /// - Parameter known: the text members that the format has places for, as names or paths.
  init(_ record: ExportedRecord, known: Set<String>) throws(ExportError) {
    let hasSecrets = record.kind == "login" || record.kind == "custom"
    var others: [String] = []
    for (path, value) in record.leaves {
      if value.isVoid, value.string == nil {
        voidCount += 1
      } else if let text = value.string, known.contains(path.description) {
        texts[path.description] = text
      } else if let text = value.string, path.components.count == 2, path.top == "tags" {
        tags.append(text)
      } else if let text = value.string, path.components.count == 2, path.top == "urls" {
        urls.append(text)
      } else if let text = value.string, record.kind == "login", Self.isAddress(path) {
        others.append(text)
      } else {
        extras.append(
          Extra(
            name: Self.name(of: path, hasSecrets: hasSecrets), text: try value.plainText(in: record),
            isSealed: record.isSealed(path), member: path.top))
      }
    }
    urls += others
    hasLooseAddresses = !others.isEmpty
  }

  /// Whether an import made this path from an address without a scheme: `fields.url`, `fields["url 2"]`.
  private static func isAddress(_ path: MemberPath) -> Bool {
    guard path.components.count == 2, path.top == "fields", case .member(let name) = path.components[1] else {
      return false
    }
    return name == "url" || name.begins(with: "url ") && name.utf8.dropFirst(4).allSatisfy { $0 &- 0x30 < 10 }
  }

  /// For a custom field, the name without its map. For any other value, its path.
  private static func name(of path: MemberPath, hasSecrets: Bool) -> String {
    let maps: Set<String> = hasSecrets ? ["fields", "secrets"] : ["extra"]
    if path.components.count == 2, case .member(let name) = path.components[1], maps.contains(path.top) { return name }
    return path.description
  }

  /// Removes a tag. Returns whether the tag was there.
  mutating func takeTag(_ tag: String) -> Bool {
    guard let index = tags.firstIndex(of: tag) else { return false }
    tags.remove(at: index)
    return true
  }

  /// Removes a readable custom field and returns its value, if the format accepts that value. Also finds a field that
  /// an import sealed under `extra`, because its kind has no custom fields.
  mutating func takeReadable(_ name: String, if isFit: (String) -> Bool) -> String? {
    let isThere = extras.contains {
      (!$0.isSealed && $0.member == "fields" || $0.member == "extra") && $0.name.utf8.elementsEqual(name.utf8)
        && isFit($0.text)
    }
    return isThere ? take(name) : nil
  }

  /// Removes the id that an import noted for the tool, so that the export can write it as that id.
  mutating func takeID(of format: String, if isFit: (String) -> Bool) -> String? {
    let prefix = "\(format):"
    let isThere = extras.contains {
      $0.name == "external_id" && ["fields", "extra"].contains($0.member) && $0.text.hasPrefix(prefix)
        && isFit(String($0.text.dropFirst(prefix.count)))
    }
    return isThere ? take("external_id").map { String($0.dropFirst(prefix.count)) } : nil
  }

  static func isDate(_ text: String) -> Bool { (try? Timestamp(parsing: text)) != nil }

  /// Removes the readable or sealed value of a name, for a member of the format.
  mutating func take(_ name: String) -> String? {
    guard let index = extras.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    return extras.remove(at: index).text
  }
}
