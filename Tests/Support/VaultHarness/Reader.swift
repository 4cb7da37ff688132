internal import VaultAge
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage
internal import VaultTestSupport
internal import VaultSystem

/// The process that reads until it is killed, and logs `pass` for every check of the vault and `torn …` for its
/// findings.
struct Reader {
  private let store: DirectoryStore
  private let vault: Vault
  private let reader: RecordReader
  private let log: AppendingFile
  private var random: SeededGenerator
  /// The newest stamp seen of each group: none that is read later may be older.
  private var newest: [String: Int] = [:]
  private var ids: [RecordID] = []

  static func run(_ options: Options) async throws {
    let identity = try options.identity()
    let operations: any FileOperations = try options.defect().map { MutantOperations($0) } ?? LiveFileOperations()
    let store = try DirectoryStore(at: options.text("vault"), operations: operations)
    let performer = try await Performer(store: store, identity: identity)
    var reader = Reader(
      store: store, vault: performer.vault, reader: performer.reader, log: try AppendingFile(options.text("log")),
      random: SeededGenerator(seed: UInt64(options.number("seed", 0))))
    while true {
      try reader.passWithoutLock()
      try await reader.readSingly()
      if Int.random(in: 0..<3, using: &reader.random) == 0 { try reader.passUnderLock() }
      sleep(.milliseconds(Int.random(in: 1...60, using: &reader.random)))
    }
  }

  private init(
    store: DirectoryStore, vault: Vault, reader: RecordReader, log: AppendingFile, random: SeededGenerator
  ) {
    (self.store, self.vault, self.reader, self.log, self.random) = (store, vault, reader, log, random)
  }

  private func report(_ text: String) throws { try log.append("torn \(text)", durably: false) }

  /// Folder by folder, while others write: every record verifies, and no batch is seen to go back.
  private mutating func passWithoutLock() throws {
    var found: [String] = []
    ids = []
    for folder in UInt8.min...UInt8.max {
      try store.readRecords(inFolder: folder) { id, result in
        ids.append(id)
        found += look(at: result.mapError { $0 }, id).map { [$0] } ?? []
        return true
      }
    }
    for text in found { try report(text) }
    try log.append("pass", durably: false)
  }

  /// The fault in the bytes of a live record.
  private mutating func look(at bytes: Result<[UInt8], any Error>, _ id: RecordID) -> String? {
    do {
      let (tag, stamp) = try reader.content(of: bytes.get(), as: id, isTrashed: false)
      let group = String(tag.prefix { $0 != "#" })
      if let seen = newest[group], stamp < seen { return "\(tag) has stamp \(stamp) after \(seen) was seen" }
      newest[group] = stamp
      return nil
    } catch {
      return "without a lock: record \(id): \(error)"
    }
  }

  /// A few records by their ids through the library.
  private mutating func readSingly() async throws {
    for id in ids.shuffled(using: &random).prefix(5) {
      do {
        _ = try await vault.record(id).revealed()
      } catch  where error.code == .noSuchRecord {
        continue
      } catch {
        try report("\(error)")
      }
    }
  }

  /// Under the shared lock: no batch is there in part.
  private func passUnderLock() throws {
    let lock = try store.lock(.shared, timeout: Performer.lockTimeout, onWait: { _ in })
    defer { lock.release() }
    let seen = try Inspection(store: store, reader: reader, withTrash: false)
    for fault in seen.faults { try report("under the lock: \(fault.text)") }
    try log.append("pass locked", durably: false)
  }
}
