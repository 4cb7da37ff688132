internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

extension RecordSummary {
  /// The name, with a tag before it where that tells the record from others of its name: `TAG/NAME`.
  package var label: String { tag.isEmpty ? name : "\(tag)/\(name)" }
}

extension StoredRecord {
  /// The readable tags of the record, which are also the folders of other tools.
  var tags: [String] { RecordTags.of(fields) }
}

/// The tags of a record.
enum RecordTags {
  static func of(_ fields: JSONObject) -> [String] {
    (fields["tags"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty && !SealedToken.hasTokenShape($0) }
  }
}

extension LockedVault {
  /// Most records of one name that are told apart by their tags: their files have to be read.
  private static let maximumTwinCount = 1000

  /// The records, of which those that share a name have a tag before it that no other of them has.
  ///
  /// Records of one name that have no such tag stay as they are.
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
  /// What the text may mean as `TAG/NAME`, at each of its slashes.
  var qualified: [NameMatch] {
    text.indices.filter { text[$0] == "/" }.compactMap { slash in
      let (tag, name) = (text[..<slash], text[text.index(after: slash)...])
      return tag.isEmpty || name.isEmpty ? nil : NameMatch(String(name), tag: String(tag))
    }
  }

  /// Whether the tag, where one is asked for, is among these.
  func isTag(of tags: [String]) -> Bool {
    guard let tag else { return true }
    return tags.contains { $0.lowercased() == tag }
  }
}
