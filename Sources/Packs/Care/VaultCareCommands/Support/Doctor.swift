import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// Looks at everything around the records of a vault that needs no key.
struct Doctor {
  private let session: Session
  private let options: UnlockOptions

  init(_ session: Session, _ options: UnlockOptions) {
    self.session = session
    self.options = options
  }

  private var header: VaultHeader { session.locked.header }

  func checks() throws -> [DoctorCheck] {
    let condition = try session.locked.condition()
    let slots = try session.locked.slotStates()
    var checks = try keyChecks(slots)
    let good = slots.count { $0.fault == nil }
    for slot in slots { checks.append(check(slot, goodCount: good)) }
    checks += [rotation, memory]
    if let confinement { checks.append(confinement) }
    if let remote = try session.remoteState() {
      checks += remote.rows.map { DoctorCheck(name: $0.0, state: .good, text: $0.1) }
    } else {
      checks += [permissions(condition), journal(condition)]
      if let locks { checks.append(locks) }
    }
    checks.append(checkpoint)
    checks += surroundings(condition) + openedTexts
    if let history = Packs.history, history.keeps(session.location.path) {
      checks += try history.checks(of: session, condition)
    }
    return checks + [
      pin, state, IndexReport(session).check, DoctorCheck(name: "library", state: .good, text: CryptoLibrary.version),
    ]
  }

  private var rotation: DoctorCheck {
    guard let rotation = header.unfinishedRotation else {
      return DoctorCheck(name: "rotation", state: .good, text: "none is unfinished")
    }
    return DoctorCheck(
      name: "rotation", state: .warning, text: "a \(rotation.reason.rawValue) was begun and not finished",
      advice: "`vault rekey` finishes it")
  }

  private var memory: DoctorCheck {
    let size = "\(SecureMemory.byteCount >> 20) MiB"
    let advice = "raise the limit of locked memory (`ulimit -l`)"
    return switch SecureMemory.status {
    case .locked: DoctorCheck(name: "memory", state: .good, text: "\(size), locked")
    case .notLocked:
      DoctorCheck(name: "memory", state: .warning, text: "\(size) that may be swapped out", advice: advice)
    case .unavailable:
      DoctorCheck(name: "memory", state: .fault, text: "there is none for secrets: nothing opens", advice: advice)
    }
  }

  /// Nil if the process that reads files of other tools can be confined.
  private var confinement: DoctorCheck? {
    guard !ProcessHardening.canFilterCalls else { return nil }
    return DoctorCheck(
      name: "imports", state: .warning, text: "this system cannot take system calls away from what reads foreign files",
      advice: "import files that you do not trust on a Linux with seccomp")
  }

  /// Nil if the file system gives locks that others see.
  private var locks: DoctorCheck? {
    let path = session.location.path
    if System.lacksLocks(at: System.join(path, "vault.json")) {
      return DoctorCheck(
        name: "locks", state: .fault, text: "the file system of \(path) gives no locks: nothing can be written",
        advice: "keep the vault on a disk with locks, and share it by git or in a database")
    }
    return UnsharedLocks(at: path).map {
      DoctorCheck(name: "locks", state: .warning, text: $0.text, advice: UnsharedLocks.advice)
    }
  }

  private func permissions(_ condition: VaultCondition) -> DoctorCheck {
    func check(_ state: DoctorCheck.State, _ words: String, _ places: [String], _ mode: String) -> DoctorCheck? {
      guard let first = places.first else { return nil }
      let others = places.count > 1 ? " and \(places.count - 1) more" : ""
      return DoctorCheck(
        name: "permissions", state: state, text: "\(words) \(first)\(others)",
        advice: "`chmod -R \(mode) \(first.shellQuoted)` forbids it")
    }
    return check(.fault, "everybody may write to", condition.placesWritableByAll, "o-w")
      ?? check(.warning, "others than the owner may read", condition.placesOpenToOthers, "go=")
      ?? DoctorCheck(name: "permissions", state: .good, text: Self.permissions(of: session.location.path))
  }

  /// Of a folder that nothing is to be said against.
  static func permissions(of path: String) -> String {
    System.isOpenToOthers(path)
      ? "as git makes files; what is secret in them is sealed" : "the owner's alone"
  }

  private func journal(_ condition: VaultCondition) -> DoctorCheck {
    if let fault = condition.journalFault {
      return DoctorCheck(
        name: "journal", state: .fault, text: fault.description, advice: "`vault repair` puts it aside")
    }
    if let note = condition.journalNote { return DoctorCheck(name: "journal", state: .warning, text: note) }
    if condition.hasStagedFiles {
      return DoctorCheck(
        name: "journal", state: .warning, text: "files are left in .staging, or are being written now",
        advice: "the next commands that lock the vault take them away")
    }
    return DoctorCheck(name: "journal", state: .good, text: "nothing is left of a write")
  }

  private var checkpoint: DoctorCheck {
    do throws(VaultError) {
      let found = try session.locked.unverifiedCheckpoint()
      let text = found.map { "number \($0.sequence) of \($0.createdAt.text)" }
      return DoctorCheck(name: "checkpoint", state: .good, text: text ?? "none was made")
    } catch {
      return DoctorCheck(
        name: "checkpoint", state: .fault, text: error.description, advice: "take it from version control or a backup")
    }
  }

  /// Nothing is said of what should not be there and is not.
  private func surroundings(_ condition: VaultCondition) -> [DoctorCheck] {
    condition.workFaults.map { fault in
      DoctorCheck(
        name: "folder", state: .fault, text: fault.description,
        advice: "nothing can be written: look at what it is, and move it away")
    }
      + condition.keyFiles.map { file in
        DoctorCheck(
          name: "private key", state: .fault, text: "\(file) looks like one, and whoever has this folder has it, too",
          advice: "move it away; where it was committed or backed up, give its slot up and `vault rekey --reseal`")
      }
  }

  /// Texts of this vault, and of no vault, that an editor had when its command ended.
  private var openedTexts: [DoctorCheck] {
    let vault = header.vaultID.text
    return KeptText.left().filter { $0.source.map { $0.vault == vault } ?? true }.map { text in
      let remove = "`rm -r \(text.folder.path.shellQuoted)` takes it away"
      return DoctorCheck(
        name: "opened text", state: .warning, text: "an earlier edit has left \(text.path), in clear",
        advice: text.source.map { "`\($0.command)` goes on with it, " + remove } ?? remove)
    }
  }

  private var pin: DoctorCheck {
    guard let refusal = session.pin.refusal else {
      return DoctorCheck(name: "pin", state: .good, text: session.pin.line)
    }
    let advice = refusal.hints.first ?? "find out why before you go on"
    return DoctorCheck(name: "pin", state: .fault, text: session.pin.line, advice: advice)
  }

  private var state: DoctorCheck {
    guard let path = StateLocation.path else {
      return DoctorCheck(
        name: "state", state: .fault, text: "there is no folder for what this machine has seen",
        advice: "set HOME or CVAULT_STATE_DIR")
    }
    switch System.kind(of: path) {
    case nil: return DoctorCheck(name: "state", state: .good, text: "\(path) is made when it is needed")
    case .directory? where System.isOpenToOthers(path):
      return DoctorCheck(
        name: "state", state: .warning, text: "others may enter \(path)",
        advice: "`chmod go= \(path.shellQuoted)` forbids it")
    case .directory?: return DoctorCheck(name: "state", state: .good, text: path)
    case .some:
      return DoctorCheck(
        name: "state", state: .fault, text: "\(path) is no folder", advice: "move it away, or set CVAULT_STATE_DIR")
    }
  }
}

extension Doctor {
  private func keyChecks(_ slots: [SlotState]) throws -> [DoctorCheck] {
    let sources = try KeySource.chosen(session, options)
    guard !sources.isEmpty else {
      return [
        DoctorCheck(
          name: "key", state: .warning, text: "none is given", advice: "give --identity FILE, or a passphrase")
      ]
    }
    return sources.flatMap { keyChecks($0, slots) }
  }

  private func keyChecks(_ source: KeySource, _ slots: [SlotState]) -> [DoctorCheck] {
    if case .identities(let files) = source.kind { return files.map { check(identityFile: $0, source.origin, slots) } }
    guard slots.contains(where: { $0.slot.kind == .scrypt && $0.fault == nil }) else {
      return [
        DoctorCheck(
          name: "key", state: .fault, text: "\(source.explanation): no slot that is whole takes a passphrase",
          advice: "give the identity of a slot with --identity FILE")
      ]
    }
    if case .passphraseFile(let file) = source.kind { return [check(secretFile: file, source.explanation)] }
    return [DoctorCheck(name: "key", state: .good, text: source.explanation)]
  }

  private func check(identityFile file: String, _ origin: String, _ slots: [SlotState]) -> DoctorCheck {
    do {
      let recipients = try IdentityFile.read(file).map(\.recipient)
      let own = slots.filter { $0.slot.recipient.map(recipients.contains) ?? false }
      if let slot = own.first, own.allSatisfy({ $0.fault != nil }) {
        return DoctorCheck(
          name: "key", state: .fault,
          text: "the identity in \(file) (\(origin)) opens nothing while its slot is damaged",
          advice: "restore \(slot.slot.path) from version control or a backup")
      }
      guard !own.isEmpty else {
        return DoctorCheck(
          name: "key", state: .fault, text: "no slot of the vault is for the identity in \(file) (\(origin))",
          advice: "use the identity of a slot, or let a member add yours with `vault key add --recipient age1…`")
      }
    } catch {
      return DoctorCheck(
        name: "key", state: .fault, text: "\(file) (\(origin)): \(CommandError(any: error).reason)",
        advice: "an identity file is what `age-keygen` writes")
    }
    return check(secretFile: file, "identity \(file) (\(origin))")
  }

  private func check(secretFile file: String, _ explanation: String) -> DoctorCheck {
    guard System.kind(of: file) != nil else {
      return DoctorCheck(name: "key", state: .fault, text: "\(explanation): is not there", advice: "check the path")
    }
    guard !System.isOpenToOthers(file) else {
      return DoctorCheck(
        name: "key", state: .warning, text: "others than the owner may read \(file)",
        advice: "`chmod go= \(file.shellQuoted)` forbids it")
    }
    return DoctorCheck(name: "key", state: .good, text: explanation)
  }

  private func check(_ state: SlotState, goodCount: Int) -> DoctorCheck {
    let name = "slot \(state.slot.words)"
    if let fault = state.fault {
      return DoctorCheck(
        name: name, state: .fault, text: "\(state.slot.path) \(fault.reason)",
        advice: "restore the file from version control or a backup; "
          + (goodCount == 0
            ? "until then nothing opens the vault: keep every copy of its folder"
            : "until then only \(goodCount == 1 ? "one other slot opens" : "\(goodCount) other slots open") the vault"))
    }
    guard let workFactor = state.workFactor else { return DoctorCheck(name: name, state: .good, text: state.slot.who) }
    guard state.isWeak else {
      return DoctorCheck(name: name, state: .good, text: "passphrase, work factor \(workFactor)")
    }
    return DoctorCheck(
      name: name, state: .warning,
      text: "passphrase, work factor \(workFactor) where a new one has \(SlotFile.defaultWorkFactor)",
      advice: "`vault key change-passphrase \(state.slot.id.text.prefix(8))` makes it as strong")
  }
}
