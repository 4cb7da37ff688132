import ArgumentParser
import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultStorage
import VaultSystem
import VaultTerminal

struct StatusCommand: ParsableCommand, RunsOverSet {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which vault and which key would be used, and why.",
    discussion: """
      Example:
        vault status

      The command needs no key, verifies nothing and asks nothing.
      """)

  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let session = try Session(vault, global, refusingOtherVaults: false)
    try VaultStatus(session, unlocking).facts.print(global)
    if let refusal = session.pin.refusal { throw CommandError(refusal) }
  }
}

private struct VaultStatus {
  let session: Session
  let fingerprint: String
  let recordCount: Int
  let slots: [SlotState]
  let key: String?
  let missingKeyFiles: [String]
  /// The report of a database about itself; nil for a folder.
  let remote: RemoteState?
  /// An unfinished git operation, such as a merge, that waits for the user.
  let operation: String?
  let index: IndexReport

  init(_ session: Session, _ options: UnlockOptions) throws {
    self.session = session
    operation = Packs.keptStates?.unfinished(in: session.location.path)
    remote = try session.remoteState()
    fingerprint = try session.locked.fingerprint()
    recordCount = try session.locked.recordCount()
    _ = try options.maximumWorkFactor()
    slots = try session.locked.slotStates()
    let sources = try KeySource.chosen(for: session.locked, options, session.global)
    missingKeyFiles = sources.flatMap(\.files).filter { System.kind(of: $0) == nil }
    key = sources.isEmpty ? nil : sources.map(\.explanation).joined(separator: ", then ")
    index = IndexReport(session)
  }

  private var depositCount: Int { (try? session.locked.store.heldDeposits().count) ?? 0 }

  private var header: VaultHeader { session.locked.header }

  private var memory: String {
    switch SecureMemory.status {
    case .locked: "\(SecureMemory.byteCount >> 20) MiB, locked"
    case .notLocked: "\(SecureMemory.byteCount >> 20) MiB, not locked: raise the limit of locked memory (`ulimit -l`)"
    case .unavailable: "not available: the vault cannot be unlocked"
    }
  }

  private var permissions: String {
    if let remote { return "those of the role \(remote.role) in the database" }
    let path = session.location.path
    if System.status(of: path)?.isWritableByAll == true {
      return "everybody can write to the folder: `chmod o-w \(path.shellQuoted)`"
    }
    guard System.isOpenToOthers(path), Packs.history?.isInWorkTree(path) != true else {
      return Doctor.permissions(of: path)
    }
    return "other users can enter the folder: `chmod go= \(path.shellQuoted)`"
  }

  var facts: [Fact] {
    [
      Fact("vault", "\(session.location.path) (\(session.location.origin.rawValue))", value: session.location.path),
      .member("found_by", session.location.origin.rawValue), Fact("id", header.vaultID.text),
      Fact("fingerprint", fingerprint), Fact("created", header.createdAt.text, name: "created_at"),
      Fact("records", String(recordCount), value: recordCount),
      Fact(rows: remote?.rows ?? [], name: "database", value: remote),
      Fact("slot", slots.map(\.summary), name: "slots", value: slots),
      Fact("slots", header.isPostQuantum ? "post-quantum" : nil, name: "post_quantum", value: header.isPostQuantum),
      Fact(
        "inbox", header.deposit.map { "\(counted(depositCount, "deposit")); sealed to \($0.recipient.text)" },
        name: "deposits", value: depositCount),
      .member("deposit_recipient", header.deposit?.recipient.text),
      Fact(
        "rotation", header.unfinishedRotation.map { "\($0.unfinishedNote): `vault rekey` finishes it" },
        name: "unfinished_rotation", value: header.unfinishedRotation?.reason.rawValue),
      Fact("git", operation),
      Fact(
        "key file", missingKeyFiles.map { "\($0) does not exist" }, name: "key_files_missing", value: missingKeyFiles),
      Fact("pin", session.pin.line, value: session.pin.word),
      Fact("key", key ?? "none: give --identity FILE, or a passphrase", value: key), Fact("memory", memory),
      Fact("permissions", permissions), Fact("index", index.text, value: index), Fact("library", CryptoLibrary.version),
      .member("verified", false),
    ]
  }
}

extension SlotState {
  fileprivate var summary: String {
    var columns = [slot.kindWords, slot.who, slot.createdAt.text]
    if let strength { columns.append(strength) }
    if !slot.label.isEmpty { columns.append(slot.label) }
    return columns.joined(separator: "  ")
  }
}
