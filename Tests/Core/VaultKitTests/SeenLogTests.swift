import Testing
import VaultDocument
import VaultFileStore
import VaultTestSupport
import VaultKit

@Suite("What was seen of records: the log beside the file")
struct SeenLogTests {
  private let id = RecordID.random()

  private func version(
    _ revision: Int, _ byte: UInt8 = 1, isTrashed: Bool = false, of other: RecordID? = nil
  ) -> SeenVersion {
    let mac = [UInt8](repeating: byte, count: 32)
    return SeenVersion(RecordVersion(id: other ?? id, revision: revision, mac: mac), isTrashed: isTrashed)
  }

  @Test("lines are read as they were written, what was cut off is left out, and what follows it counts")
  func lines() {
    let first = SeenLog.lines([version(1)]) ?? []
    let second = SeenLog.lines([version(2, isTrashed: true)]) ?? []
    for cut in 0..<first.count - 1 {
      let read = SeenLog.versions(in: Array(first.prefix(cut)) + second)
      #expect(read == [version(2, isTrashed: true)])
    }
    #expect(SeenLog.versions(in: first + second) == [version(1), version(2, isTrashed: true)])
    let zeros = [UInt8](repeating: 0, count: 300)
    #expect(SeenLog.versions(in: zeros + second) == [version(2, isTrashed: true)])
    #expect(SeenLog.versions(in: first.prefix(40) + zeros + second) == [version(2, isTrashed: true)])
  }

  @Test("a line that no write has left is damage, and so is one of another folder")
  func damage() throws {
    let line = SeenLog.lines([version(1)]) ?? []
    for damaged in ["x\n", "[]\n", "[1,2]\n", "{}\n", "[\"\u{e9}\n", "\(id.text)\n"] {
      #expect(SeenLog.versions(in: line + Array(damaged.utf8)) == nil, "\(damaged)")
    }
    var changed = line
    changed[20] = 0xFF
    #expect(SeenLog.versions(in: changed) == nil)
    var folder = SeenFolder()
    #expect(throws: VaultError(.damagedState, "")) { try folder.take(log: line, of: id.folder &+ 1, file: "f") }
  }

  @Test("whoever dies between any two steps of a note has lost and brought back nothing", arguments: [false, true])
  func deaths(_ isForgetting: Bool) throws {
    let other = RecordID(bytes: [id.bytes[0]] + RecordID.random().bytes.dropFirst())
    for step in 1... {
      let folder = TemporaryFolder()
      let vaultID = VaultID.random()
      let state = KnownVaults(directory: folder.path)
      for revision in 1...5 { try state.note([id.folder: [id: .written(version(revision))]], of: vaultID) }
      try state.note([other.folder: [other: .written(version(7, of: other))]], of: vaultID)
      let system = FaultyFileOperations(.dying, at: step, countsChangesAlone: true)
      let dying = KnownVaults(StateFolder(at: folder.path, operations: system))
      let changes: [RecordID: SeenChange] =
        isForgetting ? [other: .forgotten] : [other: .written(version(6, of: other)), id: .written(version(6))]
      let isDone = (try? dying.note([id.folder: changes], of: vaultID)) != nil
      let found = try state.seen(in: id.folder, of: vaultID).versions
      #expect(found[id] == version(5) || (!isForgetting && found[id] == version(6)), "step \(step)")
      let done = isForgetting ? nil : version(6, of: other)
      #expect(found[other] == version(7, of: other) || found[other] == done, "step \(step)")
      if isDone { break }
    }
  }

  @Test("a log that is read twice, or after what is newer, changes nothing")
  func harmless() throws {
    var folder = SeenFolder()
    folder.take(.written(version(3)), of: id)
    let before = folder
    let log = SeenLog.lines([version(2), version(3), version(3, 9)]) ?? []
    try folder.take(log: log, of: id.folder, file: "log")
    #expect(folder == before)
  }

  @Test("the last eight versions are known, from log and file: one that went back is told from one never seen")
  func provenance() throws {
    let (place, vaultID) = (TemporaryFolder(), VaultID.random())
    let state = KnownVaults(directory: place.path)
    // Without the log, with lines of it only, and with both.
    for revision in 1...50 {
      try state.note([id.folder: [id: .written(version(revision))]], of: vaultID)
      for folder in [try state.seen(in: id.folder, of: vaultID), try state.seen(id, of: vaultID)] {
        #expect(folder.versionCount == min(revision, 8))
        let known = (1...revision).map { folder.provenance(of: version($0).version) }
        let forgotten = max(0, revision - 8)
        #expect(
          known == .init(repeating: .beyondMemory, count: forgotten)
            + .init(repeating: .verified, count: revision - forgotten))
        guard revision > 1 else { continue }
        #expect(folder.provenance(of: version(revision - 1, 9).version) == .neverSeen || revision == 2)
      }
    }
    #expect(FileTree.names(in: place.path + "/seen/" + vaultID.text).contains { $0.hasSuffix(".json") })
    try state.forgetSeen([id], of: vaultID)
    let none = try state.seen(id, of: vaultID)
    #expect(none.versionCount == 0)
    #expect(none.provenance(of: version(3).version) == .beyondMemory)
  }

  @Test("what earlier programs wrote is read on, and a list that none has written is damage")
  func lists() throws {
    let mac = { (byte: UInt8) in Base64.encode([UInt8](repeating: byte, count: 32)) }
    func folder(_ list: String) throws -> SeenFolder {
      let bytes = Array("{\"format\":1,\"records\":{\"\(id.text)\":[\(list)]},\"trash\":{}}\n".utf8)
      let whole = try SeenFolder(parsing: bytes, file: "f")
      #expect(SeenFolder(searching: bytes, for: id) == whole)
      #expect(try whole.fileBytes() == bytes)
      return whole
    }
    #expect(try folder("5,\"\(mac(1))\"").versions == [id: version(5)])
    let two = try folder("5,\"\(mac(1))\",3,\"\(mac(2))\"")
    #expect(two.versions == [id: version(5)])
    #expect(two.provenance(of: version(3, 2).version) == .verified)
    #expect(two.provenance(of: version(4).version) == .neverSeen)
    let nine = (1...9).map { "\($0),\"\(mac(1))\"" }.joined(separator: ",")
    let one = "5,\"\(mac(1))\""
    for list in ["", "5", one + ",3", one + ",\"\(mac(2))\",3", one + ",0,\"\(mac(1))\"", nine] {
      #expect(throws: VaultError(.damagedState, "")) { try folder(list) }
    }
  }

  @Test("only newer versions go into the log; going back, another version and forgetting go into the file")
  func whatGoesWhere() throws {
    var folder = SeenFolder()
    folder.take(.written(version(3)), of: id)
    func lines(_ change: SeenChange) -> [UInt8]? {
      folder.newerVersions(in: [id: change]).flatMap { SeenLog.lines($0) }
    }
    #expect(lines(.written(version(4))) == SeenLog.lines([version(4)]))
    #expect(lines(.seen(version(2))) == [])
    #expect(lines(.seen(version(3, 9))) == [])
    #expect(lines(.written(version(3))) == [])
    #expect(lines(.written(version(2))) == nil)
    #expect(lines(.written(version(3, 9))) == nil)
    #expect(lines(.forgotten) == nil)
    // Many at once.
    let (state, vaultID) = (TemporaryFolder(), VaultID.random())
    var many: [RecordID: SeenChange] = [:]
    while many.count <= SeenLog.maximumChangeCount {
      let id = RecordID(bytes: [7] + RecordID.random().bytes.dropFirst())
      many[id] = .seen(version(1, of: id))
    }
    try KnownVaults(directory: state.path).note([7: many], of: vaultID)
    #expect(FileTree.names(in: state.path + "/seen/" + vaultID.text) == ["07.json"])
  }

  @Test("what is noted one by one is remembered, the log goes into the file when it is long, and forgetting counts")
  func longLog() throws {
    let folder = TemporaryFolder()
    let (state, vaultID) = (KnownVaults(directory: folder.path), VaultID.random())
    let place = folder.path + "/seen/" + vaultID.text
    var hasLog = false
    for revision in 1...100 {
      try state.note([id.folder: [id: .written(version(revision))]], of: vaultID)
      #expect(try state.seen(in: id.folder, of: vaultID).versions == [id: version(revision)])
      hasLog = FileTree.names(in: place).contains { $0.hasSuffix(".log") }
      if revision == 1 {
        #expect(hasLog)
        #expect(FileTree.names(in: place).count == 1)
      }
    }
    #expect(FileTree.names(in: place).contains { $0.hasSuffix(".json") }, "the log went into the file")
    try state.note([id.folder: [id: .written(version(101))]], of: vaultID)
    try state.forgetSeen([id], of: vaultID)
    #expect(try state.seen(in: id.folder, of: vaultID).versions.isEmpty)
    #expect(!FileTree.names(in: place).contains { $0.hasSuffix(".log") })
  }
}
