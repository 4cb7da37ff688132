import Testing
import VaultFileStore
import VaultStorage
import VaultSystem
import VaultTestSupport

/// Every variant of the one file write, with each of its file operations made to fail, and the process or the machine
/// made to die there.
@Suite("Atomic files")
struct AtomicFileTests {
  private typealias File = AtomicFile<StoreError>

  private enum End: CaseIterable { case failing, dying, powerCut }

  private let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }

  /// Writes a file in pieces, and gives it the name `file`.
  private func publish(in path: String, replacing: Bool, by operations: any FileOperations) throws {
    let files = FileSystem<StoreError>(operations)
    let folder = try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
    let file = try File(beside: "file", in: folder.descriptor, files, at: path + "/file")
    try file.append(Array(bytes[..<1000]))
    try file.append(Array(bytes[1000...]))
    try file.sync()
    try file.requireContent(bytes)
    try file.publish(as: "file", replacing: replacing)
  }

  private func clearLeftovers(in path: String) throws {
    let files = FileSystem<StoreError>()
    let folder = try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
    File.clearLeftovers(in: folder.descriptor, files) { $0 == "file" }
  }

  @Test("whatever fails or dies, there is the old file or the new one, whole", arguments: [false, true])
  func wholeOrNothing(_ isReplacing: Bool) throws {
    for end in End.allCases {
      for number in 1... {
        let folder = TemporaryFolder()
        let old: [UInt8]? = isReplacing ? [1, 2, 3] : nil
        if let old { FileTree.write(old, to: folder.path + "/file") }
        let disk = SimulatedDisk()
        let operations = FaultyFileOperations(end == .failing ? .failing(28) : .dying, at: number, recorder: disk)
        let published: Void? = try? publish(in: folder.path, replacing: isReplacing, by: operations)
        if end == .powerCut { disk.cutPower(at: folder.path) }
        let found = FileTree.contents(of: folder.path + "/file")
        let call: Comment = "\(end) at call \(number) (\(operations.reachedCall ?? "none"))"
        #expect(published != nil ? found == bytes : found == old || found == bytes, call)
        #expect(operations.openCount == 0, call)
        if end == .failing, operations.reachedCall != "unlinkat" {
          #expect(FileTree.names(in: folder.path).allSatisfy { $0 == "file" }, call)
          #expect(isReplacing || published != nil || found == nil, call)
        }
        try clearLeftovers(in: folder.path)
        #expect(FileTree.names(in: folder.path).allSatisfy { $0 == "file" }, call)
        guard operations.reachedCall != nil else { break }
      }
    }
  }

  @Test("what was published is durable: the file before its name, and the name before the end")
  func order() throws {
    for isReplacing in [false, true] {
      let (folder, disk) = (TemporaryFolder(), SimulatedDisk())
      try publish(in: folder.path, replacing: isReplacing, by: FaultyFileOperations(recorder: disk))
      #expect(disk.unsyncedChangeCount == 0)
      disk.cutPower(at: folder.path)
      #expect(FileTree.contents(of: folder.path + "/file") == bytes)
    }
  }

  @Test(
    "a store that does not sync loses what it published",
    arguments: [MutantOperations.Defect.noSync, .noFileSync, .noDirectorySync])
  func mutants(_ defect: MutantOperations.Defect) throws {
    let (folder, disk) = (TemporaryFolder(), SimulatedDisk())
    try publish(
      in: folder.path, replacing: false, by: MutantOperations(defect, FaultyFileOperations(recorder: disk)))
    disk.cutPower(at: folder.path)
    #expect(FileTree.contents(of: folder.path + "/file") != bytes)
  }

  @Test("a new file never takes the place of another, and a file that is being made is no leftover")
  func exclusive() throws {
    for renames in [FaultyFileOperations.FlaggedRenames.all, .none] {
      let folder = TemporaryFolder()
      let files = FileSystem<StoreError>(FaultyFileOperations(renames: renames))
      let directory = try files.open(folder.path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder.path)
      let file = try File(beside: "file", in: directory.descriptor, files, at: "file")
      try file.append(bytes)
      FileTree.write([7], to: folder.path + "/file")
      File.clearLeftovers(in: directory.descriptor, files) { _ in true }
      #expect(FileTree.names(in: folder.path).count == 2)
      #expect(throws: StoreError(.alreadyExists, reason: "")) { try file.publish(as: "file", replacing: false) }
      #expect(FileTree.names(in: folder.path) == ["file"])
      #expect(FileTree.contents(of: folder.path + "/file") == [7])
    }
  }

  @Test("a staged file goes with its last reference, unless it was renamed or kept; all are of 0600")
  func staged() throws {
    let (folder, files) = (TemporaryFolder(), FileSystem<StoreError>())
    let directory = try files.open(folder.path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder.path)
    func staged(_ name: String) throws -> File {
      let file = try File(name, in: directory.descriptor, files, at: name)
      try file.append(bytes)
      return file
    }
    _ = try staged("gone")
    try staged("kept").keep()
    try staged("old").rename(to: "new", in: directory.descriptor)
    #expect(FileTree.names(in: folder.path).sorted() == ["kept", "new"])
    #expect(FileTree.mode(of: folder.path + "/new") == 0o600)
    #expect(throws: StoreError(.alreadyExists, reason: "")) { try staged("kept") }
    #expect(FileTree.contents(of: folder.path + "/kept") == bytes)
  }

  @Test("a file that reads back differently is refused")
  func readBack() throws {
    let folder = TemporaryFolder()
    let operations = FaultyFileOperations(readFilter: { if !$0.isEmpty { $0[0] ^= 1 } })
    #expect(throws: StoreError(.unverifiedWrite, reason: "")) {
      try publish(in: folder.path, replacing: false, by: operations)
    }
    #expect(FileTree.names(in: folder.path).isEmpty)
  }
}
