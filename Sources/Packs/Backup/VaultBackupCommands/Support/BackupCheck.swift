import VaultAge
import VaultBackup
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

/// One run of `vault backup verify` over one file.
struct BackupCheck {
  let keys: BackupKeys
  let isDeep: Bool
  let part: VerificationScope.Part?
  let global: GlobalOptions

  func report(_ path: String) async -> BackupReport {
    var report = BackupReport(path: path)
    do {
      try await check(&report)
    } catch {
      report.failure = CommandError(any: error)
    }
    return report
  }

  private func check(_ report: inout BackupReport) async throws {
    let file = try BackupFile.argument(report.path)
    report.lock = file.lock
    let record = try BackupRecord(of: file, global)
    report.isRecorded = record?.isThere ?? false
    try record?.compare(file)
    report.kind = .framing
    if let opened = try await keys.open(file, asks: isDeep) { try await check(opened, of: file, &report) }
    if let record { note(&report, in: record) }
  }

  private func note(_ report: inout BackupReport, in record: BackupRecord) {
    guard let passed = report.kind else { return }
    // A part of the records proves no more than the list.
    let kind = part != nil && passed == .deep ? .list : passed
    if record.isThere {
      record.note(kind)
    } else if let contents = report.contents, isVouchedFor(contents, report) {
      report.isRecorded = record.add(contents, kind)
    }
  }

  /// Whether a holder of the vault's key made the contents, as the list or every record proves.
  private func isVouchedFor(_ contents: BackupContents, _ report: BackupReport) -> Bool {
    guard report.isUnlocked, report.verification?.isGood != false else { return false }
    return contents.isAttested || (isDeep && part == nil)
  }

  private func check(_ opened: BackupKeys.Opened, of file: BackupFile, _ report: inout BackupReport) async throws {
    let contents = opened.contents
    report.contents = contents
    report.kind = .list
    let unlocked = try await keys.openByGivenKeys(contents.vault)
    guard unlocked != nil || opened.isByGiven || keys.isEmpty else { throw CommandError.keyOpensNothing(file) }
    var vault = unlocked
    if vault == nil { vault = try await keys.openByOtherKeys(contents.vault, asks: isDeep) }
    guard let vault else {
      if isDeep { throw CommandError.backedUpVaultNotUnlocked(file) }
      return
    }
    try contents.authenticate(with: vault)
    report.isUnlocked = true
    guard isDeep else { return }
    let progress = Progress("verified", global)
    defer { progress.end() }
    let found = try await contents.verify(with: vault, VerificationScope(part: part)) { progress.advance() }
    report.verification = found
    if found.isGood { report.kind = .deep }
  }
}

/// The entry of a backup in its `backups.json`.
struct BackupRecord {
  private let directory: BackupDirectory
  private let name: BackupName
  private let entry: BackupCatalog.Entry?
  private let global: GlobalOptions

  var isThere: Bool { entry != nil }

  /// Nil without a `backups.json`, and for a file without the name of a backup.
  init?(of file: BackupFile, _ global: GlobalOptions) throws {
    let path = ProcessEnvironment.realPath(file.path) ?? file.path
    let parent = System.parent(of: path)
    guard let name = BackupName(fileName: path.split(separator: "/").last.map(String.init) ?? ""),
      System.kind(of: System.join(parent, BackupCatalog.fileName)) != nil
    else { return nil }
    directory = try BackupDirectory(at: parent)
    entry = try directory.catalog()[name]
    (self.name, self.global) = (name, global)
  }

  func compare(_ file: BackupFile) throws {
    guard let entry else { return }
    guard file.byteCount == entry.byteCount, try file.hash() == entry.sha256 else {
      throw CommandError(
        .damaged, "damaged", subject: file.path, "is not the file that \(BackupCatalog.fileName) records",
        hints: ["the file was damaged or replaced after it was made: use another copy, or another backup"])
    }
  }

  /// Notes the passed check. Skipped for users who cannot write.
  func note(_ kind: BackupCatalog.Verification.Kind) {
    do throws(VaultError) {
      try directory.update { catalog in
        guard let entry, catalog[name]?.sha256 == entry.sha256 else { return }
        catalog.note(BackupCatalog.Verification(time: .now(), kind: kind), of: name)
      }
    } catch {
      global.messages.note("the check was not recorded in \(BackupCatalog.fileName): \(error.description)")
    }
  }

  /// Records a verified backup, because `create` may have been interrupted. Skipped for users who cannot write.
  ///
  /// Returns whether there is an entry now.
  func add(_ contents: BackupContents, _ kind: BackupCatalog.Verification.Kind) -> Bool {
    do throws(VaultError) {
      let verification = BackupCatalog.Verification(time: .now(), kind: kind)
      if try directory.record(contents, as: name, verification) {
        global.messages.note(
          "\(contents.file.path) was missing in \(BackupCatalog.fileName), and is recorded there now")
      }
      return true
    } catch {
      global.messages.note("the backup was not recorded in \(BackupCatalog.fileName): \(error.description)")
      return false
    }
  }
}

/// The report of `vault backup verify` for a file.
struct BackupReport: DocumentValue {
  let path: String
  var lock: BackupFile.Lock?
  var isRecorded = false
  var kind: BackupCatalog.Verification.Kind?
  var contents: BackupContents?
  var isUnlocked = false
  var verification: Verification?
  var failure: CommandError?

  init(path: String) { self.path = path }

  var status: ExitStatus? { failure?.status ?? verification?.faults.status }

  func tell(_ global: GlobalOptions) {
    if let failure { return global.messages.report(failure) }
    if !global.json { try? Output.line(line) }
    verification?.faults.report(global, ["use another backup: this one cannot restore what is damaged"])
  }

  /// Such as `b/team-20261121T014028Z.cvault.age: 24 records, 1 in the trash; every record verified, attested`.
  private var line: String {
    guard let contents else { return Printable.text("\(path): \(framing)") }
    return Printable.text("\(path): \(contents.counts); \(depth), \(attestation(contents))")
  }

  private var framing: String {
    let who =
      switch lock {
      case .recipients(let count)?: counted(count, "recipient")
      case .passphrase?, nil: "a passphrase"
      }
    let hash = isRecorded ? "the recorded size and SHA-256" : "not recorded in \(BackupCatalog.fileName)"
    return "an age file for \(who), \(hash); not opened, because no key is given"
  }

  private var depth: String {
    guard let verification else { return "opened to its end" }
    guard verification.isGood else {
      return counted(verification.faults.count, "fault")
    }
    let all = verification.recordCount + verification.trashedCount
    return all == (contents.map { $0.recordCount + $0.trashedCount } ?? 0)
      ? "every record verified" + hashes : "\(all) of the records verified"
  }

  /// A note that attachments were not opened.
  private var hashes: String {
    (contents?.attachmentCount ?? 0) > 0 ? ", attachments by size and hash only" : ""
  }

  private func attestation(_ contents: BackupContents) -> String {
    guard contents.isAttested else { return "not attested" }
    return isUnlocked ? "attested" : "its list not verified without a key of the vault"
  }

  var document: JSONValue {
    .members([
      "attachments": contents?.attachmentCount, "attested": contents.map { $0.isAttested && isUnlocked },
      "checked": failure == nil ? kind?.rawValue : nil, "created_at": contents?.createdAt, "error": failure?.code,
      "faults": verification?.faults ?? [], "file": path, "recorded": isRecorded, "records": contents?.recordCount,
      "trashed": contents?.trashedCount, "vault": contents?.vault.header.vaultID,
    ])
  }
}

extension BackupContents {
  /// Such as `24 records, 1 in the trash, 3 attachments`.
  var counts: String {
    counted(recordCount, "record") + ", \(trashedCount) in the trash" + attachmentWords
  }

  /// Such as `, 3 attachments`; empty without attachments.
  var attachmentWords: String {
    switch attachmentCount {
    case 0: ""
    case 1: ", 1 attachment"
    default: ", \(attachmentCount) attachments"
    }
  }
}

extension [BackupReport] {
  /// The exit code: damage precedes everything else, and a missing key precedes unreadable data.
  var status: ExitStatus? {
    let all = Set(compactMap(\.status))
    let order = [ExitStatus.damaged, .unexpectedVault, .cannotUnlock, .inputOutput]
    return order.first(where: all.contains) ?? all.first
  }
}
