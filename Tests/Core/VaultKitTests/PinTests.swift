import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("The pin")
struct PinTests {
  private static let now = Timestamp.now()

  private func slot(_ label: String = "") -> Slot {
    Slot(id: .random(), label: label, kind: .scrypt, createdAt: Self.now, sha256: Array(repeating: 1, count: 32))
  }

  private func header(_ root: RootKey, revision: Int, slots: [Slot]? = nil) throws -> VaultHeader {
    try VaultHeader.make(
      vaultID: root.vaultID, createdAt: Self.now, revision: revision, root: root, rootCreatedAt: Self.now,
      slots: slots ?? [slot()])
  }

  @Test("the same header and a later one are as expected")
  func asExpected() throws {
    let root = try RootKey.random(vaultID: .random())
    let first = try header(root, revision: 3)
    let pin = try Pin(first)
    #expect(try pin.difference(from: first) == nil)
    #expect(try pin.difference(from: header(root, revision: 4)) == nil)
  }

  @Test("another root differs, and is told before an older revision")
  func otherRoot() throws {
    let root = try RootKey.random(vaultID: .random())
    let other = try RootKey.random(vaultID: root.vaultID)
    let pin = try Pin(header(root, revision: 3))
    for revision in [2, 3, 4] {
      let difference = try #require(try pin.difference(from: header(other, revision: revision)))
      #expect(difference.isIdentity)
      #expect(difference.error.code == .unexpectedVault)
      #expect(difference.error.remedies.first?.sentence?.contains(try pin.fingerprint()) == true)
    }
  }

  @Test("a lower revision is a rollback, the same with other content a fork; both name what was expected and found")
  func olderAndForked() throws {
    let root = try RootKey.random(vaultID: .random())
    let pin = try Pin(header(root, revision: 3))
    let older = try #require(try pin.difference(from: header(root, revision: 2)))
    #expect(!older.isIdentity)
    #expect(older.error.code == .rolledBack)
    #expect(older.error.remedies.first?.sentence?.hasPrefix("expected revision 3 or later, found revision 2 ") == true)
    let forked = try #require(try pin.difference(from: header(root, revision: 3)))
    #expect(!forked.isIdentity)
    #expect(forked.error.code == .forked)
    #expect(forked.error.remedies.last == .acceptVault(fingerprint: nil))
  }

  @Test("an older header is told from one that was never seen, and from those before all that is remembered")
  func familiar() throws {
    let root = try RootKey.random(vaultID: .random())
    let headers = try (2...11).map { try header(root, revision: $0) }
    var pin = try Pin(headers[0])
    for header in headers.dropFirst() { pin = try Pin(header, after: pin) }
    #expect(pin.earlier.map(\.revision) == Array((4...10).reversed()))
    func provenance(_ header: VaultHeader) throws -> Provenance? {
      guard case .olderHeader(_, _, let provenance)? = try pin.difference(from: header) else { return nil }
      return provenance
    }
    let expected: [Provenance?] = [.beyondMemory, .beyondMemory] + Array(repeating: .verified, count: 7) + [nil]
    #expect(try headers.map(provenance) == expected)
    #expect(try provenance(header(root, revision: 7, slots: [slot("other")])) == .neverSeen)
    #expect(try Pin(headers[9], after: pin) == pin, "the same header once more is no news")
  }

  @Test("after a fingerprint was accepted, any header of that root will do")
  func accepted() throws {
    let root = try RootKey.random(vaultID: .random())
    let pin = try Pin(accepting: header(root, revision: 9))
    #expect(try pin.difference(from: header(root, revision: 1)) == nil)
    #expect(try pin.difference(from: header(.random(vaultID: root.vaultID), revision: 9))?.isIdentity == true)
  }

  @Test("its file reads back the same, and any change of shape is damage")
  func file() throws {
    let root = try RootKey.random(vaultID: .random())
    var first = try Pin(header(root, revision: 3, slots: [slot("Ada's laptop"), slot()]))
    first.checkpoint = Pin.CheckpointMark(sequence: 7, hash: Array(repeating: 5, count: 32))
    for pin in [
      first, try Pin(header(root, revision: 4), after: first), Pin(accepting: try header(root, revision: 1)),
      try Pin(header(root, revision: 2), isNamed: false),
    ] {
      let bytes = try pin.fileBytes()
      #expect(try Pin(parsing: bytes, of: root.vaultID, file: "pin") == pin)
      #expect(throws: VaultError(.damagedState, "")) { try Pin(parsing: bytes, of: .random(), file: "pin") }
      for count in 0..<bytes.count - 1 {
        #expect(throws: VaultError(.damagedState, "")) {
          try Pin(parsing: Array(bytes[..<count]), of: root.vaultID, file: "pin")
        }
      }
      for (old, new) in [("\"format\" : 1", "\"format\" : 2"), ("\"root\" : \"", "\"root\" : \"A"), ("slots", "slotz")]
      {
        let text = String(decoding: bytes, as: UTF8.self).replacingOnce(old, with: new)
        #expect(throws: VaultError(.damagedState, "")) {
          try Pin(parsing: Array(text.utf8), of: root.vaultID, file: "pin")
        }
      }
    }
  }
}

@Suite("What was seen of records")
struct SeenTests {
  private func version(_ revision: Int, _ byte: UInt8 = 1, of id: RecordID) -> RecordVersion {
    RecordVersion(id: id, revision: revision, mac: Array(repeating: byte, count: 32))
  }

  private func seen(_ revision: Int, _ byte: UInt8 = 1, isTrashed: Bool = false, of id: RecordID) -> SeenVersion {
    SeenVersion(version(revision, byte, of: id), isTrashed: isTrashed)
  }

  @Test("newer is news; older and forked are told; the same is nothing")
  func comparison() {
    let id = RecordID.random()
    var folder = SeenFolder()
    #expect(folder.succession(of: version(1, of: id)) == .newer)
    folder.take(.seen(seen(5, of: id)), of: id)
    #expect(folder.succession(of: version(5, of: id)) == .same)
    #expect(folder.succession(of: version(6, of: id)) == .newer)
    #expect(folder.succession(of: version(4, of: id)) == .older(than: 5))
    #expect(folder.succession(of: version(5, 2, of: id)) == .forked)
  }

  @Test("what was read or written never takes the place of something newer; what is accepted always does")
  func taking() {
    let id = RecordID.random()
    var folder = SeenFolder()
    folder.take(.seen(seen(5, of: id)), of: id)
    folder.take(.seen(seen(4, of: id)), of: id)
    folder.take(.seen(seen(5, 2, of: id)), of: id)
    #expect(folder.versions[id] == seen(5, of: id))
    folder.take(.written(seen(2, of: id)), of: id)
    #expect(folder.versions[id] == seen(5, of: id))
    #expect(folder.earlier[id] == [version(2, of: id)])
    folder.take(.accepted(seen(2, of: id)), of: id)
    #expect(folder.versions[id] == seen(2, of: id))
    folder.take(.forgotten, of: id)
    #expect(folder.versions.isEmpty)
  }

  @Test("its file reads back the same, and any cut is damage")
  func file() throws {
    var folder = SeenFolder()
    for revision in 1...5 {
      let id = RecordID.random()
      folder.take(.seen(seen(revision, isTrashed: revision > 3, of: id)), of: id)
    }
    let bytes = try folder.fileBytes()
    #expect(try SeenFolder(parsing: bytes, file: "seen") == folder)
    for count in 0..<bytes.count - 1 {
      #expect(throws: VaultError(.damagedState, "")) { try SeenFolder(parsing: Array(bytes[..<count]), file: "seen") }
    }
    for (old, new) in [("\"format\":1", "\"format\":2"), ("[1,", "[0,"), ("trash", "trasj"), ("[1,", "[1.5,")] {
      let text = String(decoding: bytes, as: UTF8.self).replacingOnce(old, with: new)
      #expect(throws: VaultError(.damagedState, "")) { try SeenFolder(parsing: Array(text.utf8), file: "seen") }
    }
  }

  @Test("one record is found in its file without reading the others; a file of another layout has to be read whole")
  func search() throws {
    for (count, trashedCount) in [(0, 0), (1, 0), (0, 1), (40, 7)] {
      var folder = SeenFolder()
      let ids = (0..<count + trashedCount).map { _ in RecordID.random() }
      for (index, id) in ids.enumerated() {
        let revision = index % 3 == 0 ? 1 << 50 : index + 1
        folder.take(.seen(seen(revision, UInt8(index), isTrashed: index >= count, of: id)), of: id)
      }
      let bytes = try folder.fileBytes()
      for id in ids {
        #expect(SeenFolder(searching: bytes, for: id)?.versions == [id: try #require(folder.versions[id])])
      }
      let none = try #require(SeenFolder(searching: bytes, for: .random()))
      #expect(none.versions.isEmpty)
      // Cut off, it is never taken for a file without the record.
      for cut in 0..<bytes.count {
        #expect(SeenFolder(searching: Array(bytes[..<cut]), for: .random()) == nil, "cut at \(cut)")
      }
      let pretty = try JSONParser.parse(bytes).prettyBytes()
      #expect(SeenFolder(searching: pretty, for: .random()) == nil)
    }
  }

  @Test("a run over the vault finds what went back, forked and vanished; an emptied trash is a note")
  func runs() throws {
    let ids = (0..<5).map { number in RecordID(bytes: [7] + (0..<15).map { _ in UInt8(number) }) }
    var folder = SeenFolder()
    for id in ids.prefix(4) { folder.take(.seen(seen(3, of: id)), of: id) }
    folder.take(.seen(seen(3, isTrashed: true, of: ids[4])), of: ids[4])
    var found = FoundVersions()
    for entry in [
      version(4, of: ids[0]), version(2, of: ids[1]), version(3, 9, of: ids[2]),
    ] { found.take(entry, at: .record(entry.id)) }
    var comparison = SeenComparison()
    let changes = comparison.compare(found, with: folder, told: [])
    #expect(comparison.faults.map(\.code) == [.rolledBack, .forked, .vanished])
    #expect(comparison.faults.compactMap(\.record) == [ids[1], ids[2], ids[3]])
    #expect(comparison.notes.count == 1)
    #expect(Dictionary(uniqueKeysWithValues: changes) == [ids[0]: .seen(seen(4, of: ids[0])), ids[4]: .forgotten])
    var afterTelling = SeenComparison()
    _ = afterTelling.compare(found, with: folder, told: Set(ids))
    #expect(afterTelling.faults.isEmpty)
  }

  @Test("a checkpoint that is older than the one seen, another, or gone, is a fault")
  func checkpoints() {
    func mark(_ sequence: Int, _ byte: UInt8 = 1) -> Pin.CheckpointMark {
      Pin.CheckpointMark(sequence: sequence, hash: Array(repeating: byte, count: 32))
    }
    for (found, expected, code) in [
      (nil, nil, nil), (mark(1), nil, nil), (mark(3), mark(3), nil), (mark(4), mark(3), nil),
      (mark(2), mark(3), .rolledBack), (nil, mark(3), .rolledBack), (mark(3, 2), mark(3), .forked),
    ] as [(Pin.CheckpointMark?, Pin.CheckpointMark?, VaultError.Code?)] {
      var comparison = SeenComparison()
      comparison.take(expected?.difference(from: found))
      #expect(comparison.faults.map(\.code) == (code.map { [$0] } ?? []))
    }
  }
}

extension String {
  /// The text with the first occurrence replaced, which must be there.
  fileprivate func replacingOnce(_ old: String, with new: String) -> String {
    let parts = split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    precondition(parts.count == 2, "a test replaces what is not there")
    return parts[0] + new + parts[1]
  }
}
