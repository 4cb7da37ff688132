import Testing
import VaultDocument
import VaultFileStore
import VaultKit
import VaultStorage
import VaultTestSupport
import VaultBackup

@Suite("backups.json")
struct BackupCatalogTests {
  private static func entry(
    _ date: String, stem: String = "team", label: String? = nil, _ kind: BackupCatalog.Verification.Kind? = nil
  ) -> BackupCatalog.Entry {
    let moment = time(date + "T01:40:28Z")
    return BackupCatalog.Entry(
      name: backupName(moment, stem: stem), byteCount: 4711, sha256: [UInt8](repeating: 7, count: 32),
      createdAt: moment, vaultID: Vaults.one, label: label, isAttested: true,
      verification: kind.map { BackupCatalog.Verification(time: moment, kind: $0) })
  }

  private static let text = """
    {
      "backups" : [
        {
          "attested" : true,
          "created_at" : "2026-11-21T01:40:28Z",
          "label" : "before the move",
          "name" : "team-20261121T014028Z.cvault.age",
          "sha256" : "0707070707070707070707070707070707070707070707070707070707070707",
          "size" : 4711,
          "vault" : "01010101-0101-0101-0101-010101010101",
          "verification" : {
            "kind" : "deep",
            "time" : "2026-11-21T01:40:28Z"
          }
        }
      ],
      "format" : 1
    }

    """

  private func read(_ text: String) throws(VaultError) -> BackupCatalog {
    try BackupCatalog(parsing: Array(text.utf8), file: "b/backups.json")
  }

  @Test("an entry is written as documented, and read back")
  func form() throws {
    var catalog = BackupCatalog()
    catalog.record(Self.entry("2026-11-21", label: "before the move", .deep))
    #expect(String(decoding: try catalog.fileBytes(), as: UTF8.self) == Self.text)
    #expect(try read(Self.text) == catalog)
    catalog.note(.init(time: time("2027-01-01T00:00:00Z"), kind: .framing), of: catalog.entries[0].name)
    let checked = Self.text.replacing(
      "\"created_at\"", with: "\"checked_at\" : \"2027-01-01T00:00:00Z\",\n      \"created_at\"")
    #expect(String(decoding: try catalog.fileBytes(), as: UTF8.self) == checked)
    #expect(try read(checked) == catalog)
  }

  @Test("entries are sorted, so that equal catalogs have equal bytes; a name is there once")
  func order() throws {
    let dates = ["2026-11-21", "2025-01-01", "2026-11-22", "2024-02-29"]
    var catalogs: [[UInt8]] = []
    for dates in [dates, dates.reversed()] {
      var catalog = BackupCatalog()
      for date in dates + dates { catalog.record(Self.entry(date)) }
      catalog.record(Self.entry("2026-01-01", stem: "alpha"))
      #expect(catalog.entries.map { String($0.name.fileName.prefix(13)) }.first == "alpha-2026010")
      #expect(catalog.entries.count == 5)
      catalogs.append(try catalog.fileBytes())
    }
    #expect(catalogs[0] == catalogs[1])
  }

  @Test("a weaker check than the one recorded says nothing new, an equal or stronger one does")
  func verification() throws {
    var catalog = BackupCatalog()
    let name = Self.entry("2026-11-21").name
    let later = time("2027-01-01T00:00:00Z")
    let isNoted = catalog.note(.init(time: later, kind: .deep), of: name)
    #expect(!isNoted)
    for (old, new, isTaken) in [
      (nil, .framing, true), (.framing, .framing, true), (.framing, .list, true), (.list, .framing, false),
      (.proof, .deep, true), (.deep, .proof, true), (.deep, .list, false),
    ] as [(BackupCatalog.Verification.Kind?, BackupCatalog.Verification.Kind, Bool)] {
      catalog.record(Self.entry("2026-11-21", old))
      let before = catalog[name]?.verification
      let after = BackupCatalog.Verification(time: later, kind: new)
      catalog.note(after, of: name)
      #expect(catalog[name]?.verification == (isTaken ? after : before))
      #expect(catalog[name]?.checkedAt == later)
    }
  }

  private static let faults: [(String, String)] = [
    ("\"format\" : 1", "\"format\" : 0"), ("\"format\" : 1", "\"format\" : \"1\""),
    ("\"format\" : 1", "\"format\" : 1, \"x\" : 1"), ("\"backups\" : [", "\"backups\" : [ {},"),
    ("\"backups\" : [", "\"backups\" : [ 1,"), ("\"size\" : 4711", "\"size\" : -1"),
    ("\"size\" : 4711", "\"size\" : 1e3"), ("\"size\" : 4711", "\"size\" : 4711, \"x\" : 1"),
    ("\"size\" : 4711", "\"size\" : 4711, \"removing\" : false"), ("\"size\" : 4711,", ""),
    ("\"attested\" : true", "\"attested\" : 1"), ("team-", "../team-"), ("-20261121T", "-20261321T"),
    ("0707", "07"), ("0707", "0G07"), ("\"deep\"", "\"deeper\""), ("\"kind\" : \"deep\",", ""),
    ("01010101-", "01010101"), ("2026-11-21T01:40:28Z\"\n      }", "yesterday\"\n      }"),
    ("\"before the move\"", "null"), ("before the move", String(repeating: "x", count: 257)),
    ("{\n  \"backups\"", "[{\n  \"backups\""), ("\n}\n", "\n"),
  ]

  @Test("anything but the documented form is damage, and the error names the ways on", arguments: faults)
  func strict(_ old: String, _ new: String) throws {
    let pieces = Self.text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(pieces.count == 2)
    let error = #expect(throws: VaultError.self) { try read(pieces.joined(separator: new)) }
    #expect(error?.code == .damaged)
    #expect(error?.file == "b/backups.json")
    #expect(error?.remedies.count == 2)
  }

  @Test("a backup that is listed twice is damage; a newer format is said to be one")
  func twice() throws {
    var catalog = BackupCatalog()
    catalog.record(Self.entry("2026-11-21"))
    let bytes = String(decoding: try catalog.fileBytes(), as: UTF8.self)
    let start = try #require(bytes.firstIndex(of: "["))
    let end = try #require(bytes.lastIndex(of: "]"))
    let item = bytes[bytes.index(after: start)..<end]
    let twice = bytes[...start] + item + "," + item + bytes[end...]
    #expect(throws: VaultError(.damaged, "")) { try read(String(twice)) }
    let newer = Self.text.replacing("\"format\" : 1", with: "\"format\" : 2, \"more\" : 1")
    #expect(throws: VaultError(.newerFormat, "")) { try read(newer) }
  }

  @Test("a label that could not be read again is refused before anything is written")
  func label() throws {
    let folder = TemporaryFolder()
    let directory = try BackupDirectory(at: folder.path)
    let error = #expect(throws: VaultError.self) {
      try directory.update { catalog throws(VaultError) in
        catalog.record(Self.entry("2026-11-21", label: String(repeating: "x", count: 257)))
      }
    }
    #expect(error?.code == .inputRefused)
    #expect(FileTree.names(in: folder.path) == [".backups.lock"])
  }

  @Test("nothing recorded is no file; a file is 0600, and an update that changes nothing writes nothing")
  func update() throws {
    let folder = TemporaryFolder()
    let directory = try BackupDirectory(at: folder.path)
    #expect(try directory.catalog().entries.isEmpty)
    #expect(FileTree.names(in: folder.path).isEmpty)
    try directory.update { catalog throws(VaultError) in catalog.record(Self.entry("2026-11-21")) }
    let path = folder.path + "/backups.json"
    #expect(FileTree.mode(of: path) == 0o600)
    FileTree.setMode(0o640, of: path)
    try directory.update { catalog throws(VaultError) in catalog.record(Self.entry("2026-11-21")) }
    #expect(FileTree.mode(of: path) == 0o640)
    #expect(try directory.catalog().entries.count == 1)
    #expect(FileTree.names(in: folder.path) == [".backups.lock", "backups.json"])
  }

  @Test("a damaged file is never written over")
  func damaged() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/backups.json"
    for text in ["", "{}", "[]", Self.text + "x"] {
      FileTree.write(Array(text.utf8), to: path)
      let directory = try BackupDirectory(at: folder.path)
      #expect(throws: VaultError(.damaged, "")) {
        try directory.update { catalog throws(VaultError) in catalog.record(Self.entry("2026-11-21")) }
      }
      #expect(FileTree.contents(of: path) == Array(text.utf8))
    }
    FileTree.write([], to: path)
    FileTree.remove(path)
    FileTree.link(path, to: "/etc/passwd")
    #expect(throws: VaultError(.damaged, "")) { try BackupDirectory(at: folder.path).catalog() }
  }

  @Test("a directory that is not there, or is a file, is said to be so")
  func unreachable() throws {
    let folder = TemporaryFolder()
    FileTree.write([], to: folder.path + "/file")
    for (name, reason) in [("none", "does not exist"), ("file", "is not a folder"), ("none/x", "does not exist")] {
      let error = #expect(throws: VaultError.self) { try BackupDirectory(at: folder.path + "/" + name) }
      #expect(error?.code == .ioFailed)
      #expect(error?.reason == reason)
      #expect(error?.remedies.count == 1)
    }
  }

  @Test(
    "killed at any call, and after a power cut there, the old or the new catalog is there, whole",
    arguments: [nil, 0, 1] as [Int?])
  func death(_ kept: Int?) throws {
    let old = Self.entry("2026-11-21")
    let new = Self.entry("2026-11-22")
    for number in 1... {
      let folder = TemporaryFolder()
      try BackupDirectory(at: folder.path).update { catalog throws(VaultError) in catalog.record(old) }
      let disk = SimulatedDisk()
      let operations = FaultyFileOperations(.dying, at: number, recorder: disk)
      let isDone =
        (try? BackupDirectory(at: folder.path, operations: operations)
          .update { catalog throws(VaultError) in catalog.record(new) }) != nil
      if let kept { disk.cutPower(at: folder.path, keeping: kept) }
      // The next writer clears up.
      let next = try BackupDirectory(at: folder.path)
      let entries = try next.update { catalog throws(VaultError) in catalog.entries }
      #expect(entries == [old, new] || entries == [old] && !isDone, "call \(number)")
      #expect(FileTree.names(in: folder.path) == [".backups.lock", "backups.json"], "call \(number)")
      guard operations.reachedCall != nil else { return print("backups.json: \(number - 1) calls") }
    }
  }

  @Test("when any call fails, the error comes out and nothing is left behind")
  func failing() throws {
    for number in 1... {
      let folder = TemporaryFolder()
      let operations = FaultyFileOperations(.failing(28), at: number)
      let isDone =
        (try? BackupDirectory(at: folder.path, operations: operations)
          .update { catalog throws(VaultError) in catalog.record(Self.entry("2026-11-21")) }) != nil
      let names = FileTree.names(in: folder.path).filter { $0 != ".backups.lock" }
      #expect(names == ["backups.json"] || names.isEmpty && !isDone, "call \(number): \(names)")
      #expect(operations.openCount == 0)
      guard operations.reachedCall != nil else { return }
    }
  }

  @Test("two writers at once lose nothing; one that waits too long is told so")
  func writers() async throws {
    let folder = TemporaryFolder()
    let path = folder.path
    await withTaskGroup { group in
      for month in 1...12 {
        group.addTask {
          let date = "2026-\(month < 10 ? "0" : "")\(month)-01"
          try? BackupDirectory(at: path).update { catalog throws(VaultError) in catalog.record(Self.entry(date)) }
        }
      }
    }
    let directory = try BackupDirectory(at: path)
    #expect(try directory.catalog().entries.count == 12)
    try directory.update { catalog throws(VaultError) in
      #expect(throws: VaultError(.lockedByOther, "")) {
        try BackupDirectory(at: path).update(timeout: .milliseconds(1)) { _ throws(VaultError) in }
      }
    }
  }
}
