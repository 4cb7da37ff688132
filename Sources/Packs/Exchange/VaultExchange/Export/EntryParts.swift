internal import VaultDocument

/// A record as managers of passwords see it: members that all of them have, and the rest as named values.
struct EntryParts {
  /// A value that becomes a custom field.
  struct Extra {
    let name: String
    let text: String
    let isSealed: Bool
    let member: String
  }

  /// Text members by name, as far as they were asked for.
  private(set) var texts: [String: String] = [:]
  private(set) var urls: [String] = []
  private(set) var tags: [String] = []
  /// Whether some of the addresses had no scheme, so that they are not where they were among the others.
  private(set) var hasLooseAddresses = false
  private(set) var extras: [Extra] = []
  /// How many values hold nothing that a text could.
  private(set) var voidCount = 0

  /// - Parameter known: the text members that the format has places for; a path may be one.
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

  /// Whether it is what an import has made of an address without a scheme: `fields.url`, `fields["url 2"]`.
  private static func isAddress(_ path: MemberPath) -> Bool {
    guard path.components.count == 2, path.top == "fields", case .member(let name) = path.components[1] else {
      return false
    }
    return name == "url" || name.begins(with: "url ") && name.utf8.dropFirst(4).allSatisfy { $0 &- 0x30 < 10 }
  }

  /// The name that a person has chosen, without the map it stands in; the path of everything else.
  private static func name(of path: MemberPath, hasSecrets: Bool) -> String {
    let maps: Set<String> = hasSecrets ? ["fields", "secrets"] : ["extra"]
    if path.components.count == 2, case .member(let name) = path.components[1], maps.contains(path.top) { return name }
    return path.description
  }

  /// Takes a tag away, and tells whether it was there.
  mutating func takeTag(_ tag: String) -> Bool {
    guard let index = tags.firstIndex(of: tag) else { return false }
    tags.remove(at: index)
    return true
  }

  /// Takes the value of a readable custom field away, or of one that its kind had no other place for than `extra`, if
  /// it is what the format takes there.
  mutating func takeReadable(_ name: String, if isFit: (String) -> Bool) -> String? {
    let isThere = extras.contains {
      (!$0.isSealed && $0.member == "fields" || $0.member == "extra") && $0.name.utf8.elementsEqual(name.utf8)
        && isFit($0.text)
    }
    return isThere ? take(name) : nil
  }

  /// Takes away what an import has noted as the id that the tool itself gave, so that it goes out as that id again.
  mutating func takeID(of format: String, if isFit: (String) -> Bool) -> String? {
    let prefix = "\(format):"
    let isThere = extras.contains {
      $0.name == "external_id" && ["fields", "extra"].contains($0.member) && $0.text.hasPrefix(prefix)
        && isFit(String($0.text.dropFirst(prefix.count)))
    }
    return isThere ? take("external_id").map { String($0.dropFirst(prefix.count)) } : nil
  }

  static func isDate(_ text: String) -> Bool { (try? Timestamp(parsing: text)) != nil }

  /// Takes the readable or sealed value of a name away, as a member of its own that the format has.
  mutating func take(_ name: String) -> String? {
    guard let index = extras.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    return extras.remove(at: index).text
  }
}
