internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

extension RecordSummary {
  /// The name, with a tag before it if needed to distinguish the record from others of its name: `TAG/NAME`.
  package var label: String { tag.isEmpty ? name : "\(tag)/\(name)" }
}

extension StoredRecord {
  /// The readable tags of the record, which are also the folders of other tools.
  var tags: [String] { RecordTags.of(fields) }
}

enum RecordTags {
  static func of(_ fields: JSONObject) -> [String] {
    (fields["tags"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty && !SealedToken.hasTokenShape($0) }
  }
}

extension LockedVault {
  /// The most records of one name to distinguish by their tags, because their files must be read.
  private static let maximumTwinCount = 1000

  /// The records, with a tag before each shared name that no other record of the name has.
  ///
  /// Records without such a tag stay unchanged.
  package func toldApart(_ records: [RecordSummary]) -> [RecordSummary] {
    var places: [String: [Int]] = [:]
    for (index, record) in records.enumerated() where !record.name.isEmpty {
      places[record.name.lowercased(), default: []].append(index)
    }
    var records = records
    for indices in places.values where (2...Self.maximumTwinCount).contains(indices.count) {
      let tags = indices.map { (try? record(records[$0].id).tags) ?? [] }
      var counts: [String: Int] = [:]
      for tag in tags.flatMap({ Set($0.map { $0.lowercased() }) }) { counts[tag, default: 0] += 1 }
      for (index, tags) in zip(indices, tags) {
        records[index].tag = tags.first { counts[$0.lowercased()] == 1 } ?? ""
      }
    }
    return records
  }
}

extension NameMatch {
  /// The possible meanings of the text as `TAG/NAME`, one for each of its slashes.
  var qualified: [NameMatch] {
    text.indices.filter { text[$0] == "/" }.compactMap { slash in
      let (tag, name) = (text[..<slash], text[text.index(after: slash)...])
      return tag.isEmpty || name.isEmpty ? nil : NameMatch(String(name), tag: String(tag))
    }
  }

  /// Whether the wanted tag, if there is a wanted one, is among these.
  func isTag(of tags: [String]) -> Bool {
    guard let tag else { return true }
    return tags.contains { $0.lowercased() == tag }
  }
}
