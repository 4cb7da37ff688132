import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultSystem
import VaultTerminal

/// What was given to which program on this machine: names only, never a value or an argument.
struct DeliveryLog {
  /// One field that was given.
  struct Use {
    let time: Timestamp
    let vault: String
    let id: String
    let name: String
    let field: String
    /// `variable`, `file`, `git`, …
    let form: String
    /// Its path; nil where nobody can tell.
    let program: String?
    let folder: String?

    fileprivate var line: JSONValue {
      .members([
        "field": .string(field), "folder": .optional(folder), "form": .string(form), "id": .string(id),
        "name": .string(name), "program": .optional(program), "time": .string(time.text), "vault": .string(vault),
      ])
    }

    /// Nil for a line that is none, such as one that a full disk cut off.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
      guard let value = try? JSONParser.parse(Array(line)), case .object(let members) = value,
        let time = members["time"]?.string.flatMap({ try? Timestamp(parsing: $0) }),
        let vault = members["vault"]?.string, let id = members["id"]?.string, let name = members["name"]?.string,
        let field = members["field"]?.string, let form = members["form"]?.string
      else { return nil }
      (self.time, self.vault, self.id, self.name, self.field, self.form) = (time, vault, id, name, field, form)
      (program, folder) = (members["program"]?.string, members["folder"]?.string)
    }

    fileprivate init(_ given: Given, _ session: Session, at time: Timestamp, from folder: String?) {
      (self.time, self.folder) = (time, folder)
      vault = session.locked.header.vaultID.text
      (id, name, field) = (given.id.text, given.name, given.field)
      (form, program) = (given.form, given.program)
    }
  }

  /// What is to be noted of a field.
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

  /// What was noted before something was given.
  struct Note {
    fileprivate let bytes: [UInt8]

    /// Takes it back, where nothing was given after all: empty lines are none.
    func takeBack() {
      guard !bytes.isEmpty, let path else { return }
      for name in [path, older(path)] where System.isThere(name) {
        if (try? DeliveryLog.empty(bytes, in: name)) == true { return }
      }
    }
  }

  /// Notes what is about to be given; it stops nothing: what cannot be noted is said.
  @discardableResult
  static func note(_ given: [Given], _ session: Session) -> Note {
    guard !given.isEmpty, System.variable("CVAULT_NO_USES") == nil, let path else { return Note(bytes: []) }
    let (time, folder) = (Timestamp.now(), ProcessEnvironment.workingDirectory)
    do {
      // Ends what a full disk has cut off; empty lines are none.
      var bytes = [UInt8(ascii: "\n")]
      for use in given {
        bytes += try Use(use, session, at: time, from: folder).line.compactBytes() + [UInt8(ascii: "\n")]
      }
      try append(bytes, to: path)
      return Note(bytes: bytes)
    } catch {
      session.messages.note("not noted for `vault uses`: \(CommandError(any: error).reason)")
      return Note(bytes: [])
    }
  }

  /// One writer at a time; the older half goes when it is full.
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

  /// Makes the last lines that are these empty ones; false where they are not there.
  private static func empty(_ bytes: [UInt8], in path: String) throws(SystemError) -> Bool {
    let file = try locked(path)
    guard let place = System.bytes(from: file.descriptor, limit: 4 * byteLimit)?.ranges(of: bytes).last else {
      return false
    }
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: bytes.count)
    try write(lines, to: file.descriptor, from: place.lowerBound, path)
    return true
  }

  /// The file, open and locked: for a moment only, since each line is written by one call.
  private static func locked(_ path: String) throws(SystemError) -> OpenFile {
    let files = System.files
    while true {
      let file = try files.open(path, in: System.here, as: .locking, at: path)
      let descriptor = file.descriptor
      while try !files.call(at: path, { (system) throws(Errno) in try system.tryLock(descriptor, isShared: false) }) {
        files.operations.sleep(.milliseconds(1))
      }
      // Somebody may have moved it away meanwhile.
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

  /// All that was noted of a vault, the oldest first.
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

/// The same field for the same program in the same way, any number of times.
struct DeliveryUses {
  let last: DeliveryLog.Use
  let first: Timestamp
  let count: Int

  /// The last one first.
  static func grouped(_ uses: [DeliveryLog.Use]) -> [DeliveryUses] {
    let groups = Dictionary(grouping: uses) { [$0.id, $0.field, $0.form, $0.program ?? ""] }
    return groups.values.compactMap { group in
      guard let first = group.first, let last = group.last else { return nil }
      return DeliveryUses(last: last, first: first.time, count: group.count)
    }.sorted { ($1.last.time, $0.last.name, $0.last.field) < ($0.last.time, $1.last.name, $1.last.field) }
  }

  /// The names of the programs that got a field, each once.
  static func programs(of id: RecordID, _ field: String, in uses: [DeliveryLog.Use]) -> [String] {
    Set(uses.filter { $0.id == id.text && $0.field == field }.map { $0.program ?? $0.form }).sorted()
  }
}
