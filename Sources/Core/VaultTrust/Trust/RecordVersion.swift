package import VaultDocument
package import VaultSealing

/// One version of a record: its revision, and its MAC as the identity of its content.
package struct RecordVersion: Sendable, Equatable {
  package let id: RecordID
  /// From 1.
  package let revision: Int
  package let recordMAC: RecordMAC

  package var mac: [UInt8] { recordMAC.bytes }

  /// A version by its MAC, 32 bytes.
  package init(id: RecordID, revision: Int, mac: [UInt8]) {
    self.init(id: id, revision: revision, mac: RecordMAC(mac))
  }

  init(id: RecordID, revision: Int, mac: RecordMAC) {
    (self.id, self.revision, recordMAC) = (id, revision, mac)
  }
}

extension [RecordVersion] {
  /// The entry of a record among entries in the order of ids.
  package func entry(of id: RecordID) -> RecordVersion? {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if self[middle].id < id { range = middle + 1..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    guard range.lowerBound < count, self[range.lowerBound].id == id else { return nil }
    return self[range.lowerBound]
  }
}

extension RecordVersion {
  /// Reads `<revision>` and `"<mac>"` in the form of lists; nil for any other values.
  init?(id: RecordID, _ revision: JSONValue, _ mac: JSONValue) {
    guard let revision = revision.int, revision >= 1, let text = mac.string,
      let mac = try? Base64.decode(text), mac.count == RecordMAC.byteCount
    else { return nil }
    self.init(id: id, revision: revision, mac: mac)
  }

  package init(_ record: SealedRecord) {
    self.init(id: record.id, revision: record.revision, mac: record.mac)
  }

}
