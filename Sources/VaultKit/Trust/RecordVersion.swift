public import VaultDocument
internal import VaultSealing

/// The version of one record, live or in the trash.
public struct RecordVersion: Sendable, Equatable {
  public let id: RecordID
  /// From 1.
  public let revision: Int
  let recordMAC: RecordMAC

  /// The record's MAC, 32 bytes.
  public var mac: [UInt8] { recordMAC.bytes }

  public init(id: RecordID, revision: Int, mac: [UInt8]) {
    self.init(id: id, revision: revision, mac: RecordMAC(mac))
  }

  init(id: RecordID, revision: Int, mac: RecordMAC) {
    (self.id, self.revision, recordMAC) = (id, revision, mac)
  }
}

extension [RecordVersion] {
  /// The entry of a record among entries in the order of ids.
  func entry(of id: RecordID) -> RecordVersion? {
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
  init(_ id: RecordID, _ version: SeenVersion) { self.init(id: id, revision: version.revision, mac: version.mac) }

  /// The version of a record that verified.
  init(_ record: SealedRecord) {
    self.init(id: record.id, revision: record.revision, mac: record.mac)
  }

  init(_ record: OpenRecord) {
    self.init(id: record.id, revision: record.envelope.revision, mac: record.envelope.mac)
  }
}
