internal import VaultDocument
internal import VaultMarkup
internal import VaultRecords

// The earlier versions of an entry, which become former values of its record.

extension KeePassReading {
  /// Takes the earlier versions of an entry, the newest first. Their sealed values become former values.
  mutating func takeHistory(
    _ history: XMLElement, of entry: XMLElement, into builder: inout RecordBuilder, at path: String
  ) {
    for line in history.ownLines(at: path) { builder.note(line.place, line.outcome) }
    let id = entry.first("UUID")?.text
    var versions: [Version] = []
    for (element, path) in history.childPaths(below: path) {
      let own = element.first("UUID")?.text
      if element.name != "Entry" {
        refuse(element, at: path, "the format does not say what this value is", in: &builder)
      } else if let own, own != id {
        refuse(element, at: path, "the earlier version belongs to another entry", in: &builder)
      } else {
        versions.append(Version(element: element, path: path))
      }
    }
    for version in Version.newestFirst(versions) { take(version, into: &builder) }
    code = KeePassCode([:])
  }

  private mutating func take(_ version: Version, into builder: inout RecordBuilder) {
    for line in version.element.ownLines(at: version.path) { builder.note(line.place, line.outcome) }
    code = KeePassCode(readableStrings(of: version.element, isResolving: false))
    builder.version = RecordBuilder.EarlierVersion(setAt: version.time)
    defer { builder.version = nil }
    for (child, path) in version.element.childPaths(below: version.path) {
      switch child.name {
      case "String": takeString(child, of: nil, into: &builder, at: path)
      case "Binary":
        builder.version = nil
        takeBinary(child, into: &builder, at: path, prefix: "earlier ")
        builder.version = RecordBuilder.EarlierVersion(setAt: version.time)
      case "History": refuse(child, at: path, "an earlier version cannot have earlier versions", in: &builder)
      default: takeLook(child, into: &builder, at: path)
      }
    }
    if let address = code.address { builder.add(address, .member("totp"), as: "totp") }
  }

  /// Takes data of plugins and automatic typing, which may be secret. Dates, tags and icons are left out.
  private func takeLook(_ element: XMLElement, into builder: inout RecordBuilder, at path: String) {
    for leaf in element.leaves(at: path) {
      if leaf.text.isEmpty {
        builder.note(leaf.place, .empty)
      } else if KeePassRules.isSecret(leaf.path) {
        builder.take(leaf.text, from: leaf.place, by: .secret(leaf.name(in: element, at: path)))
      } else {
        builder.note(leaf.place, .leftOut("dates, tags and the look of earlier versions are not imported"))
      }
    }
  }

  private func refuse(
    _ element: XMLElement, at path: String, _ reason: String, in builder: inout RecordBuilder
  ) {
    for line in element.lines(at: path, .refused(reason)) { builder.note(line.place, line.outcome) }
  }
}

/// An earlier version of an entry.
private struct Version {
  let element: XMLElement
  let path: String
  /// When it was made; nil if the file does not say.
  let time: Timestamp?

  init(element: XMLElement, path: String) {
    (self.element, self.path) = (element, path)
    let text = element.first("Times")?.first("LastModificationTime")?.text ?? ""
    time = KeePassRules.binaryTime(text) ?? (try? Timestamp(parsing: text))
  }

  /// Files have the oldest version first. If each has a date, the dates count.
  static func newestFirst(_ versions: [Version]) -> [Version] {
    let dated = versions.reversed().enumerated().compactMap { index, version in
      version.time.map { (index, $0, version) }
    }
    guard dated.count == versions.count else { return versions.reversed() }
    return dated.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.2)
  }
}

extension XMLLeaf {
  /// The path from a member of an entry on, which is the name of a value without another name.
  func name(in element: XMLElement, at path: String) -> String {
    String(self.path.dropFirst(path.count - element.name.count))
  }
}
