import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultSystem
import VaultTerminal

/// A log of the secrets that programs on this machine received. It has names only, never values or arguments.
struct DeliveryLog {
  struct Use {
    let time: Timestamp
    let vault: String
    let id: String
    let name: String
    let field: String
    /// The way, such as `variable`, `file` or `git`.
    let form: String
    /// The path of the program; nil if it is unknown.
    let program: String?
    let folder: String?
    /// The coding agent that ran the command, as its variables announced it; nil for none.
    let agent: String?

    fileprivate var line: JSONValue {
      .members([
        "agent": agent, "field": field, "folder": folder, "form": form, "id": id, "name": name, "program": program,
        "time": time,
        "vault": vault,
      ])
    }

    /// Nil for an invalid line, such as a line that a full disk cut off.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
      guard let members = (try? JSONParser.parse(Array(line)))?.object, let time: Timestamp = members.read("time"),
        let vault: String = members.read("vault"), let id: String = members.read("id"),
        let name: String = members.read("name"), let field: String = members.read("field"),
        let form: String = members.read("form")
      else { return nil }
      (self.time, self.vault, self.id, self.name, self.field, self.form) = (time, vault, id, name, field, form)
      (program, folder, agent) = (members.read("program"), members.read("folder"), members.read("agent"))
    }

    fileprivate init(_ given: Given, _ session: Session, at time: Timestamp, from folder: String?) {
      (self.time, self.folder, agent) = (time, folder, CodingAgent.current?.name)
      vault = session.locked.header.vaultID.text
      (id, name, field) = (given.id.text, given.name, given.field)
      (form, program) = (given.form, given.program)
    }
  }

  struct Given {
    let id: RecordID
    let name: String
    let field: String
    let form: String
    let program: String?

    init(_ field: ReferencedField, as form: String, to program: String?) {
      let reference = field.reference
      (id, name, self.form, self.program) = (field.record.id, field.record.name, form, program)
      self.field = reference.path?.description ?? reference.view?.rawValue ?? ""
    }

    init(_ record: OpenRecord, _ field: String, as form: String, to program: String?) {
      (id, name, self.field, self.form, self.program) = (record.id, record.name, field, form, program)
    }
  }

  private static let byteLimit = 1 << 20
  private static var path: String? { StateLocation.path.map { $0 + "/uses.jsonl" } }
  private static func older(_ path: String) -> String { path + ".1" }

  /// The lines that were logged before a delivery.
  struct Note {
    fileprivate let bytes: [UInt8]

    /// Withdraws the note if nothing was delivered after all. The lines become empty, which readers skip.
    func takeBack() {
      guard !bytes.isEmpty, let path else { return }
      for name in [path, older(path)] where System.isThere(name) {
        if (try? DeliveryLog.empty(bytes, in: name)) == true { return }
      }
    }
  }

  /// Logs a delivery before it happens. A failure is only reported, and never stops the delivery.
  @discardableResult
  static func note(_ given: [Given], _ session: Session) -> Note {
    guard !given.isEmpty, System.variable("CVAULT_NO_USES") == nil, let path else { return Note(bytes: []) }
    let (time, folder) = (Timestamp.now(), ProcessEnvironment.workingDirectory)
    do {
      // Ends a line that a full disk cut off. Readers skip empty lines.
      var bytes = [UInt8(ascii: "\n")]
      for use in given {
        bytes += try Use(use, session, at: time, from: folder).line.compactBytes() + [UInt8(ascii: "\n")]
      }
      try append(bytes, to: path)
      return Note(bytes: bytes)
    } catch {
      session.messages.note("the delivery was not logged for `vault uses`: \(CommandError(any: error).reason)")
      return Note(bytes: [])
    }
  }

  /// Appends under a lock. A full file loses its older half.
  private static func append(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let files = System.files
    if let slash = path.lastIndex(of: "/") { try files.makeFolders(String(path[..<slash])) }
    while true {
      let file = try locked(path)
      let end = System.state(of: file.descriptor)?.byteCount ?? 0
      if end + bytes.count > byteLimit, end > 0 {
        try files.call(at: path) { (system) throws(Errno) in
          try system.rename(path, in: System.here, to: older(path), in: System.here)
        }
        continue
      }
      return try write(bytes, to: file.descriptor, from: end, path)
    }
  }

  /// Overwrites the last such lines with empty ones. Returns false if the lines are not there.
  private static func empty(_ bytes: [UInt8], in path: String) throws(SystemError) -> Bool {
    let file = try locked(path)
    guard let place = System.bytes(from: file.descriptor, limit: 4 * byteLimit)?.ranges(of: bytes).last else {
      return false
    }
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: bytes.count)
    try write(lines, to: file.descriptor, from: place.lowerBound, path)
    return true
  }

  /// The open and locked file. The lock is brief, because one call writes each line.
  private static func locked(_ path: String) throws(SystemError) -> OpenFile {
    let files = System.files
    while true {
      let file = try files.open(path, in: System.here, as: .locking, at: path)
      let descriptor = file.descriptor
      while try !files.call(at: path, { (system) throws(Errno) in try system.tryLock(descriptor, isShared: false) }) {
        files.operations.sleep(.milliseconds(1))
      }
      // Another process may have moved the file away meanwhile.
      if let status = System.state(of: descriptor), let there = System.status(of: path, followingLink: false),
        status.isSameFile(as: there)
      {
        return file
      }
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, from position: Int, _ path: String
  ) throws(SystemError) {
    let count = try System.files.call(at: path) { (system) throws(Errno) in
      try unsafe system.write(bytes.span.bytes, to: descriptor, from: position)
    }
    guard count == bytes.count else { throw SystemError(number: 28, path: path, action: "written") }
  }

  /// The log of a vault, the oldest use first.
  static func uses(of session: Session, since time: Timestamp?) throws -> [Use] {
    guard let path else { return [] }
    var uses: [Use] = []
    for name in [older(path), path] where System.isThere(name) {
      guard let file = try NamedFile.plain(name),
        let bytes = System.bytes(from: file.descriptor, limit: 4 * Self.byteLimit)
      else { throw CommandError(.inputOutput, "io_failed", subject: name, "cannot be read") }
      uses += bytes.split(separator: UInt8(ascii: "\n")).compactMap { Use($0) }
    }
    let vault = session.locked.header.vaultID.text
    return uses.filter { use in use.vault == vault && time.map { use.time >= $0 } ?? true }
  }
}

/// Uses of the same field for the same program in the same way.
struct DeliveryUses {
  let last: DeliveryLog.Use
  let first: Timestamp
  let count: Int

  /// The groups, the latest first.
  static func grouped(_ uses: [DeliveryLog.Use]) -> [DeliveryUses] {
    let groups = Dictionary(grouping: uses) { [$0.id, $0.field, $0.form, $0.program ?? "", $0.agent ?? ""] }
    return groups.values.compactMap { group in
      guard let first = group.first, let last = group.last else { return nil }
      return DeliveryUses(last: last, first: first.time, count: group.count)
    }.sorted { ($1.last.time, $0.last.name, $0.last.field) < ($0.last.time, $1.last.name, $1.last.field) }
  }

  /// The programs that received a field, each once.
  static func programs(of id: RecordID, _ field: String, in uses: [DeliveryLog.Use]) -> [String] {
    Set(uses.filter { $0.id == id.text && $0.field == field }.map { $0.program ?? $0.form }).sorted()
  }
}
