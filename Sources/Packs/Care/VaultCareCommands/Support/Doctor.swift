import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal
import VaultRepair

/// Checks everything around the records of a vault that needs no key.
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
      checks += remote.rows.map { DoctorCheck.good($0.0, $0.1) }
    } else {
      checks += [permissions(condition), journal(condition)]
      if let locks { checks.append(locks) }
    }
    checks.append(checkpoint)
    checks += surroundings(condition) + openedTexts
    if let history = Packs.keptStates, history.isInWorkTree(session.location.path) {
      checks += try history.checks(of: session, missingLines: condition.missingGitLines)
    }
    return checks + [pin, state, IndexReport(session).check, .good("library", CryptoLibrary.version)]
  }

  private var rotation: DoctorCheck {
    guard let rotation = header.unfinishedRotation else { return .good("rotation", "no rekey is unfinished") }
    return .warning(
      "rotation", "a \(rotation.reason.rawValue) was begun but not finished",
      advice: "`vault rekey` finishes the rekey")
  }

  private var memory: DoctorCheck {
    let size = "\(SecureMemory.byteCount >> 20) MiB"
    let advice = "raise the limit of locked memory (`ulimit -l`)"
    return switch SecureMemory.status {
    case .locked: .good("memory", "\(size), locked")
    case .notLocked: .warning("memory", "\(size), which can be swapped to disk", advice: advice)
    case .unavailable: .fault("memory", "there is no memory for secrets: nothing can be opened", advice: advice)
    }
  }

  /// Nil if the process that reads files of other tools can be confined.
  private var confinement: DoctorCheck? {
    guard !ProcessHardening.canFilterCalls else { return nil }
    return .warning(
      "imports", "this system cannot restrict the process that reads files of other tools",
      advice: "import files that you do not trust on Linux with seccomp")
  }

  /// Nil if locks of the file system hold for other machines.
  private var locks: DoctorCheck? {
    let path = session.location.path
    if System.lacksLocks(at: System.join(path, "vault.json")) {
      return .fault(
        "locks", "the file system of \(path) does not support locks: nothing can be written",
        advice: "keep the vault on a disk with locks, and share it by git or in a database")
    }
    return UnsharedLocks(at: path).map { .warning("locks", $0.text, advice: UnsharedLocks.advice) }
  }

  private func permissions(_ condition: VaultCondition) -> DoctorCheck {
    func check(_ state: DoctorCheck.State, _ words: String, _ places: [String], _ mode: String) -> DoctorCheck? {
      guard let first = places.first else { return nil }
      let others = places.count > 1 ? " and \(places.count - 1) more" : ""
      return DoctorCheck(
        name: "permissions", state: state, text: "\(words) \(first)\(others)",
        advice: "run `chmod -R \(mode) \(first.shellQuoted)`")
    }
    return check(.fault, "everybody can write to", condition.placesWritableByAll, "o-w")
      ?? check(.warning, "other users can read", condition.placesOpenToOthers, "go=")
      ?? .good("permissions", Self.permissions(of: session.location.path))
  }

  /// The permissions of a folder in words, if they are right.
  static func permissions(of path: String) -> String {
    System.isOpenToOthers(path) ? "as git makes files; their secrets are sealed" : "only the owner has access"
  }

  private func journal(_ condition: VaultCondition) -> DoctorCheck {
    if let fault = condition.journalFault {
      return .fault("journal", fault.description, advice: "`vault repair` moves it aside")
    }
    if let note = condition.journalNote { return .warning("journal", note) }
    if condition.hasStagedFiles {
      return .warning(
        "journal", "files are left in .staging, or another command is writing them now",
        advice: "the next command that locks the vault removes leftover files")
    }
    return .good("journal", "no write is unfinished")
  }

  private var checkpoint: DoctorCheck {
    do throws(VaultError) {
      let found = try session.locked.unverifiedCheckpoint()
      let text = found.map { "number \($0.sequence) of \($0.createdAt.text)" }
      return .good("checkpoint", text ?? "no checkpoint was made")
    } catch {
      return .fault("checkpoint", error.description, advice: "restore it from version control or a backup")
    }
  }

  /// Checks of files that should not exist. A missing file gives no line.
  private func surroundings(_ condition: VaultCondition) -> [DoctorCheck] {
    condition.workFaults.map { fault in
      DoctorCheck.fault(
        "folder", fault.description, advice: "nothing can be written: find out what it is, and move it away")
    }
      + condition.keyFiles.map { file in
        DoctorCheck.fault(
          "private key", "\(file) looks like a private key, and everybody with this folder has it",
          advice: "move it away; if it was committed or backed up, remove its slot and run `vault rekey --reseal`")
      }
  }

  /// Texts that an editor left after its command ended: of this vault, and of no vault.
  private var openedTexts: [DoctorCheck] {
    (Packs.first(\.editing)?.left(of: header.vaultID) ?? []).map { text in
      let remove = "`rm -r \(text.folder.shellQuoted)` removes it"
      return .warning(
        "opened text", "an earlier edit left \(text.path), in clear text",
        advice: text.command.map { "`\($0)` continues with it, " + remove } ?? remove)
    }
  }

  private var pin: DoctorCheck {
    guard let refusal = session.pin.refusal else { return .good("pin", session.pin.line) }
    let advice = refusal.hints.first ?? "find out why before you continue"
    return .fault("pin", session.pin.line, advice: advice)
  }

  private var state: DoctorCheck {
    guard let path = StateLocation.path else {
      return .fault(
        "state", "there is no folder for what this machine remembers", advice: "set HOME or CVAULT_STATE_DIR")
    }
    switch System.kind(of: path) {
    case nil: return .good("state", "\(path) is made when it is needed")
    case .directory? where System.isOpenToOthers(path):
      return .warning("state", "other users can enter \(path)", advice: "run `chmod go= \(path.shellQuoted)`")
    case .directory?: return .good("state", path)
    case .some:
      return .fault("state", "\(path) is not a folder", advice: "move it away, or set CVAULT_STATE_DIR")
    }
  }
}

extension Doctor {
  private func keyChecks(_ slots: [SlotState]) throws -> [DoctorCheck] {
    let sources = try KeySource.chosen(for: session.locked, options, session.global)
    guard !sources.isEmpty else {
      return [.warning("key", "no key is given", advice: "give --identity FILE, or a passphrase")]
    }
    let keys = try KeyReader(sources, options, session.global, asks: false)
    var checks: [DoctorCheck] = []
    while let source = keys.next() { checks += keyChecks(source, keys, slots) }
    return checks
  }

  private func keyChecks(_ source: KeySource, _ keys: KeyReader, _ slots: [SlotState]) -> [DoctorCheck] {
    if case .identities(let files) = source.kind {
      return files.map { check(identityFile: $0, source.origin, keys.opening, slots) }
    }
    if case .identityCommand = source.kind {
      let fault = fault(of: source.explanation, ofSlot: "the \(source.explanation)", slots) {
        try keys.identities(of: source) ?? []
      }
      return [fault ?? .good("key", source.explanation)]
    }
    guard slots.contains(where: { $0.slot.kind == .scrypt && $0.fault == nil }) else {
      return [
        DoctorCheck.fault(
          "key", "\(source.explanation): no intact slot takes a passphrase",
          advice: "give the identity of a slot with --identity FILE")
      ]
    }
    if case .passphraseFile(let file) = source.kind { return [check(secretFile: file, source.explanation)] }
    return [.good("key", source.explanation)]
  }

  private func check(
    identityFile file: String, _ origin: String, _ opening: IdentityOpening, _ slots: [SlotState]
  ) -> DoctorCheck {
    let fault = fault(of: "\(file) (\(origin))", ofSlot: "the identity in \(file) (\(origin))", slots) {
      try IdentityFile.read(file, of: origin, opening)
    }
    return fault ?? check(secretFile: file, KeySource(kind: .identities([file]), origin: origin).explanation)
  }

  /// The fault of identities; nil if one of them opens an intact slot. A sealed file whose passphrase is not given is
  /// not opened, and has no fault.
  private func fault(
    of name: String, ofSlot identity: String, _ slots: [SlotState], _ read: () throws -> [AgeIdentity]
  ) -> DoctorCheck? {
    do {
      let identities = try read()
      let own = slots.filter { $0.slot.mayOpen(with: identities) }
      if let slot = own.first, own.allSatisfy({ $0.fault != nil }) {
        return .fault(
          "key", "\(identity) opens nothing while its slot is damaged",
          advice: "restore \(slot.slot.path) from version control or a backup")
      }
      guard !own.isEmpty else {
        return .fault(
          "key", "no slot of the vault is for \(identity)",
          advice: "use the identity of a slot, or let a member add yours with `vault key add --recipient age1…`")
      }
    } catch {
      let error = CommandError(any: error)
      guard error.code != "passphrase_needed" else { return nil }
      return .fault("key", "\(name): \(error.reason)", advice: "use an identity file as `age-keygen` writes it")
    }
    return nil
  }

  private func check(secretFile file: String, _ explanation: String) -> DoctorCheck {
    guard System.kind(of: file) != nil else {
      return .fault("key", "\(explanation): the file does not exist", advice: "check the path")
    }
    guard !System.isOpenToOthers(file) else {
      return .warning(
        "key", "other users can read \(file)", advice: "run `chmod go= \(file.shellQuoted)`")
    }
    return .good("key", explanation)
  }

  private func check(_ state: SlotState, goodCount: Int) -> DoctorCheck {
    let name = "slot \(state.slot.words)"
    if let fault = state.fault {
      return .fault(
        name, Sentence.about(state.slot.path, fault.reason),
        advice: "restore the file from version control or a backup; "
          + (goodCount == 0
            ? "until then nothing opens the vault: keep every copy of its folder"
            : "until then only \(goodCount == 1 ? "one other slot opens" : "\(goodCount) other slots open") the vault"))
    }
    guard let workFactor = state.workFactor else { return .good(name, state.slot.who) }
    guard state.isWeak else { return .good(name, "passphrase, work factor \(workFactor)") }
    return .warning(
      name, "passphrase, work factor \(workFactor); new slots have \(SlotFile.defaultWorkFactor)",
      advice: "`vault key change-passphrase \(state.slot.id.text.prefix(8))` raises it")
  }
}

extension System {
  fileprivate static func lacksLocks(at path: String) -> Bool {
    let files = FileSystem<SystemError>()
    do throws(SystemError) {
      let file = try files.open(path, in: OpenPurpose.noDirectory, as: .reading, at: path)
      _ = try files.tryLock(file.descriptor, isShared: true, at: path)
      return false
    } catch {
      return Errno(error.number).meansNoLocks
    }
  }
}
