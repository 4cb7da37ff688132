import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Other things in the place of files") struct HostileFileTests {
  /// Entries that an attacker, or an accident, may put in a file's place.
  enum Impostor: String, CaseIterable {
    case link, danglingLink, fifo, directory, socket, device

    /// Puts it at `path`; false where this user may not make such a thing.
    func put(at path: String, target: String) -> Bool {
      FileTree.remove(path)
      switch self {
      case .link: return unsafe symlink(target, path) == 0
      case .danglingLink: return unsafe symlink(target + "-none", path) == 0
      case .fifo: return unsafe mkfifo(path, 0o600) == 0
      case .directory: return unsafe mkdir(path, 0o700) == 0
      case .socket: return unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0
      // The zero device, which a reader would never finish.
      case .device: return unsafe mknod(path, S_IFCHR | 0o600, 0x105) == 0
      }
    }

    var codes: Set<StoreError.Code> {
      switch self {
      case .link, .danglingLink: [.symbolicLink]
      case .fifo, .directory, .socket, .device: [.notARegularFile]
      }
    }
  }

  private let id = RecordID(bytes: [0xab] + Array(repeating: 1, count: 15))
  private let other = RecordID(bytes: [0xab] + Array(repeating: 2, count: 15))

  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  private func makeVault() throws -> StoreFolder {
    let vault = try StoreFolder()
    for location in [StoreLocation.record(id), .record(other), .trash(other), .slot(id), .checkpoint] {
      try vault.store.apply([.put(location, [1])])
    }
    FileTree.write([9, 9], to: vault.path + "-outside")
    return vault
  }

  @Test("no document is read through it, or written over it, and others stay readable", arguments: Impostor.allCases)
  func documents(_ impostor: Impostor) throws {
    for location in [StoreLocation.header, .checkpoint, .slot(id), .record(id), .trash(other)] {
      let vault = try makeVault()
      guard impostor.put(at: vault[location], target: vault.path + "-outside") else {
        Need.notRun("hostile files, \(location.relativePath)", "no \(impostor) can be made here")
        continue
      }
      let store = vault.store
      let reading = try #require(code { () throws(StoreError) in _ = try store.read(location) })
      #expect(impostor.codes.contains(reading), "\(location.relativePath): \(reading)")
      for change in [StoreChange(location, from: [1], to: [2]), .put(location, [2])] {
        #expect(code { () throws(StoreError) in try store.apply([change]) } == reading)
      }
      #expect(try store.read(.record(other)) == [1])
      #expect(FileTree.contents(of: vault.path + "-outside") == [9, 9], "nothing outside is touched")
    }
  }

  @Test("a bulk read reports it and goes on, and the list of strays names it", arguments: Impostor.allCases)
  func bulkReading(_ impostor: Impostor) throws {
    let vault = try makeVault()
    guard impostor.put(at: vault[.record(id)], target: vault.path + "-outside") else { return }
    var found: [RecordID: StoreError.Code?] = [:]
    try vault.store.readRecords(inFolder: 0xab) { id, result in
      if case .failure(let error) = result { found[id] = error.code } else { found.updateValue(nil, forKey: id) }
      return true
    }
    #expect(found.count == 2)
    #expect(found[other] == .some(nil))
    #expect(found[id].map { $0.map(impostor.codes.contains) } == true)
    #expect(try vault.store.strayEntries() == [StoreLocation.record(id).relativePath])
  }

  @Test(
    "no directory is entered through a link, and none is made of a file",
    arguments: ["records", "records/ab", "trash", "slots", ".staging"])
  func directories(_ name: String) throws {
    for isLink in [true, false] {
      let vault = try makeVault()
      FileTree.remove(vault[name])
      unsafe #expect(mkdir(vault.path + "-elsewhere", 0o700) == 0)
      if isLink {
        unsafe #expect(symlink(vault.path + "-elsewhere", vault[name]) == 0)
      } else {
        FileTree.write([1], to: vault[name])
      }
      let expected = isLink ? StoreError.Code.symbolicLink : .notADirectory
      let new = RecordID(bytes: [0xab] + Array(repeating: 3, count: 15))
      let locations: [String: StoreLocation] = ["trash": .trash(new), "slots": .slot(new)]
      let location = locations[name] ?? .record(new)
      #expect(code { () throws(StoreError) in try vault.store.apply([.put(location, [1])]) } == expected)
      if name != ".staging" {
        #expect(code { () throws(StoreError) in _ = try vault.store.read(location) } == expected)
      }
      #expect(FileTree.names(in: vault.path + "-elsewhere").isEmpty, "nothing outside is touched")
      #expect(try vault.store.read(.header) == [0])
    }
  }

  @Test("a lock file that is a hard link to another file locks, and leaves the content alone")
  func linkedLockFile() throws {
    let vault = try makeVault()
    let outside = vault.path + "-outside"
    FileTree.remove(vault[".lock"])
    unsafe #expect(link(outside, vault[".lock"]) == 0)
    for kind in [LockKind.shared, .exclusive] {
      let lock = try vault.store.lock(kind, timeout: .zero, onWait: { _ in })
      #expect(FileTree.contents(of: outside) == [9, 9])
      lock.release()
      #expect(FileTree.contents(of: outside) == [9, 9])
    }
  }

  @Test("a lock file that is none is refused without waiting", arguments: Impostor.allCases)
  func lockFile(_ impostor: Impostor) throws {
    let vault = try makeVault()
    guard impostor.put(at: vault[".lock"], target: vault.path + "-outside") else { return }
    for kind in [LockKind.shared, .exclusive] {
      let code = code { () throws(StoreError) in _ = try vault.store.lock(kind, timeout: .zero, onWait: { _ in }) }
      #expect(code.map(impostor.codes.contains) == true, "\(code?.description ?? "locked")")
    }
    #expect(FileTree.contents(of: vault.path + "-outside") == [9, 9])
  }

  @Test("a file over its limit is refused before it is read")
  func tooLarge() throws {
    let vault = try makeVault()
    // Sparse: no disk is used, and reading it would take far longer than the test.
    unsafe #expect(truncate(vault[.record(id)], 1 << 40) == 0)
    unsafe #expect(truncate(vault[.checkpoint], 512 << 20 + 1) == 0)
    for location in [StoreLocation.record(id), .checkpoint] {
      #expect(code { () throws(StoreError) in _ = try vault.store.read(location) } == .tooLarge)
      #expect(code { () throws(StoreError) in try vault.store.apply([.put(location, [1])]) } == .tooLarge)
    }
    unsafe #expect(truncate(vault[.record(id)], 16 << 20) == 0)
    #expect(try vault.store.read(.record(id))?.count == 16 << 20)
  }

  @Test("names that do not belong among records and trash are listed, hidden ones are not")
  func strayEntries() throws {
    let vault = try makeVault()
    unsafe #expect(mkdir(vault["records/AB"], 0o700) == 0)
    unsafe #expect(mkdir(vault["records/ac"], 0o700) == 0)
    let strays = [
      "records/zz", "records/ab/\(id.text.uppercased()).json", "records/ab/\(id).json~", "records/ac/\(id).json",
      "records/abc", "trash/notes.txt", "trash/\(id)",
    ]
    for name in strays { FileTree.write([1], to: vault[name]) }
    for name in ["records/.hidden", "records/ab/.hidden", "trash/.DS_Store", "README.md", "slots/README"] {
      FileTree.write([1], to: vault[name])
    }
    FileTree.write([1], to: vault["trash/line\nbreak\u{1b}[2J"])
    #expect(try vault.store.strayEntries() == (strays + ["records/AB", "trash/line?break?[2J"]).sorted())
    #expect(try vault.store.records(inFolder: 0xab) == [id, other])
    #expect(try vault.store.records(inFolder: 0xac) == [])
    #expect(try vault.store.read(.record(RecordID(bytes: [0xac] + Array(repeating: 1, count: 15)))) == nil)
    #expect(try vault.store.trashed() == [other])
  }

  @Test("a name that is not UTF-8 is listed as a stray and does no harm")
  func brokenName() throws {
    let vault = try makeVault()
    let path = Array(vault["trash/"].utf8).map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xff), 65, 0]
    let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0)
    close(file)
    #expect(try vault.store.strayEntries() == ["trash/?A"])
    #expect(try vault.store.trashed() == [other])
    unsafe _ = unlink(path)
  }
}
