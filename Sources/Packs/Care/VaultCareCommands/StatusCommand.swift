import ArgumentParser
import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultGit
import VaultKit
import VaultStorage
import VaultSystem
import VaultTerminal

/// `vault status`: what is used, and why.
struct StatusCommand: ParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which vault and which key would be used, and why.",
    discussion: """
      It needs no key and verifies nothing; nobody is asked for anything.

      Example:
        vault status
      """)

  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let session = try Session(vault, global, refusingOtherVaults: false)
    let status = try VaultStatus(session, unlocking)
    if global.json { try Output.write(status.document.prettyBytes()) } else { try Output.lines(status.lines) }
    if let refusal = session.pin.refusal { throw CommandError(refusal) }
  }
}

/// What `status` shows.
private struct VaultStatus {
  let session: Session
  let fingerprint: String
  let recordCount: Int
  let slots: [SlotState]
  let key: String?
  /// Files that the key is to come from, and that are not there.
  let missingKeyFiles: [String]
  /// What a database tells of itself; nil for a folder.
  let remote: RemoteState?
  /// A merge or the like that git waits for a person to finish.
  let operation: GitOperation?

  init(_ session: Session, _ options: UnlockOptions) throws {
    self.session = session
    operation = GitFolder.holds(session.location.path) ? GitOperation(Git(at: session.location.path)) : nil
    remote = try session.remoteState()
    fingerprint = try session.locked.fingerprint()
    recordCount = try session.locked.recordCount()
    _ = try options.maximumWorkFactor()
    slots = try session.locked.slotStates()
    let sources = try KeySource.chosen(session, options)
    missingKeyFiles = sources.flatMap(\.files).filter { System.kind(of: $0) == nil }
    key = sources.isEmpty ? nil : sources.map(\.explanation).joined(separator: ", then ")
  }

  private var header: VaultHeader { session.locked.header }

  private var memory: String {
    switch SecureMemory.status {
    case .locked: "\(SecureMemory.byteCount >> 20) MiB, locked"
    case .notLocked: "\(SecureMemory.byteCount >> 20) MiB, not locked: raise the limit of locked memory (`ulimit -l`)"
    case .unavailable: "not to be had: the vault cannot be unlocked"
    }
  }

  private var permissions: String {
    if let remote { return "those of the role \(remote.role) in the database" }
    let path = session.location.path
    if System.status(of: path)?.isWritableByAll == true {
      return "everybody may write to the folder: `chmod o-w \(path.shellQuoted)`"
    }
    guard System.isOpenToOthers(path), !GitFolder.holds(path) else { return Doctor.permissions(of: path) }
    return "others may enter the folder: `chmod go= \(path.shellQuoted)`"
  }

  var lines: [String] {
    var rows = [
      ("vault", "\(session.location.path) (\(session.location.origin.rawValue))"),
      ("id", header.vaultID.text), ("fingerprint", fingerprint), ("created", header.createdAt.text),
      ("records", String(recordCount)),
    ]
    if let remote { rows += remote.rows }
    for slot in slots { rows.append(("slot", slot.summary)) }
    if let rotation = header.unfinishedRotation {
      rows.append(("rotation", "\(rotation.unfinishedNote): `vault rekey` finishes it"))
    }
    if let operation { rows.append(("git", operation.line)) }
    for file in missingKeyFiles { rows.append(("key file", "\(file) is not there")) }
    rows += [
      ("pin", session.pin.line), ("key", key ?? "none: give --identity FILE, or a passphrase"), ("memory", memory),
      ("permissions", permissions), ("index", IndexReport(session).text), ("library", CryptoLibrary.version),
    ]
    return rows.map { Printable.padded($0.0 + ":", to: 12) + " " + Printable.text($0.1) }
  }

  var document: JSONValue {
    .document([
      "created_at": .string(header.createdAt.text), "database": remote?.document ?? .null,
      "fingerprint": .string(fingerprint),
      "found_by": .string(session.location.origin.rawValue), "git": .optional(operation?.line),
      "id": .string(header.vaultID.text),
      "index": IndexReport(session).document, "key": .optional(key), "library": .string(CryptoLibrary.version),
      "key_files_missing": .array(missingKeyFiles.map { .string($0) }), "memory": .string(memory),
      "permissions": .string(permissions), "pin": .string(session.pin.word),
      "records": .number(JSONNumber(recordCount)),
      "slots": .array(slots.map(\.document)), "vault": .string(session.location.path),
      "unfinished_rotation": .optional(header.unfinishedRotation?.reason.rawValue), "verified": false,
    ])
  }
}

extension SlotState {
  fileprivate var summary: String {
    var columns = [slot.kind.name, slot.who, slot.createdAt.text]
    if let strength { columns.append(strength) }
    if !slot.label.isEmpty { columns.append(slot.label) }
    return columns.joined(separator: "  ")
  }
}
