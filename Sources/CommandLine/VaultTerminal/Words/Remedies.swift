import VaultDocument
import VaultKit
import VaultStorage

// Remedies for the user, in the words of this program. The words are the same in every command.

extension VaultError {
  /// The next steps, one sentence each: from the error itself, or by its code.
  package var hints: [String] {
    guard remedies.isEmpty else { return remedies.flatMap(\.sentences) }
    switch code {
    case .newerFormat: return Remedy.useNewerVersion.sentences
    case .noSuchRecord: return ["`vault list` shows the records"]
    case .noSuchSlot: return ["`vault key list` shows the slots"]
    case .alreadyExists where file?.hasPrefix("slots/") == true: return ["`vault key list` shows the slots"]
    case .noSuchMember: return ["`vault show \(record?.text ?? "RECORD")` shows its fields"]
    case .noCheckpoint: return ["`vault checkpoint` makes one"]
    case .noMatchingSlot:
      return ["`vault status` lists the slots", "use the identity or the passphrase of one of them"]
    case .pluginFailed: return ["see whether the plugin is installed and its device is there, and try again"]
    case .lockedByOther: return ["wait for the other process, or wait longer with --lock-timeout SECONDS"]
    case .changedUnderneath: return ["run the command again"]
    case .rotationUnfinished: return ["`vault rekey` finishes the rekey; then run the command again"]
    case .damagedState: return Remedy.acceptVault(fingerprint: nil).sentences
    case .mayBeLost: return Remedy.afterDoubt
    case .outcomeUnknown: return Remedy.afterLostConnection
    case .memoryUnavailable: return ["raise the limit of locked memory (`ulimit -l`)"]
    case .inputRefused where field != nil: return ["`vault kinds show KIND` lists the fields of the kind"]
    default: return []
    }
  }
}

extension Remedy {
  /// One sentence, or several that belong together.
  package var sentences: [String] {
    switch self {
    case .sentence(let text): [text]
    case .listTrash: ["`vault trash list` shows the removed records"]
    case .restoreFromTrash(let id): ["`vault trash restore \(id.text)` brings the newer one back"]
    case .deleteOlder(let id):
      ["`vault show \(id.text)` shows it", "`vault trash empty \(id.text)` deletes the older one"]
    case .keepOne(let id):
      ["compare them: `vault remove \(id.text)` removes the live one, `vault trash empty \(id.text)` the other"]
    case .enterSecret(let path): ["use --secret \(path), --secret-stdin \(path) or --secret-file \(path)=FILE"]
    case .migrate: ["the record has an older schema: run `vault migrate` first"]
    case .acceptEdits(let ids):
      ["if the edit by hand was intended, `vault accept \(Self.list(ids, "RECORD"))` shows and accepts it"]
    case .acceptVault(let fingerprint): [Self.acceptance(of: fingerprint)]
    case .leaveBranch: Self.leaveBranch
    case .askAboutDatabase, .mergeCopies, .awaitSync: [aboutService]
    case .acceptRecords(let ids, let fingerprint): [Self.acceptance(of: ids, fingerprint ?? "HEX")]
    case .acceptInCheckpoint(let isLast):
      [(isLast ? "then" : "if this is intended,") + " `vault checkpoint --accept-rollback` makes a new list"]
    case .compareWithCheckpoint: ["`vault verify --since-checkpoint` shows what changed"]
    case .findMissing: Self.findMissing
    case .chooseSide(let files): Self.choice(of: files)
    case .chooseVersion(let commands): [Self.choice(among: commands.joined(separator: "; "))]
    case .adopt: [Self.adoption]
    case .repair, .repairJournal: [aboutRepair]
    case .useIdentity: ["give the identity of one of its recipients with --identity FILE"]
    case .allowWorkFactor(let factor): ["if you chose this cost yourself, allow it with --max-work-factor \(factor)"]
    case .addSlot: ["add another slot first with `vault key add`"]
    case .enableDeposits: ["a person with a key must run `vault inbox enable` once"]
    case .removeSlot(let id): ["or remove the slot with `vault key remove \(id.text)`"]
    case .finishRotation: ["`vault rekey` finishes the rekey"]
    case .addAttachmentTable: [Self.tableOfAttachments]
    case .useNewerVersion: ["read it with a newer version of vault"]
    case .moveState: ["this machine remembers vaults there: correct it, or choose a folder with CVAULT_STATE_DIR"]
    case .verifyBackups: ["the backups themselves may be intact: `vault backup verify FILE` checks each"]
    case .useStandardOutput: ["or write to standard output: --to -"]
    case .restoreUnattested: ["the backup was made without the vault's key; --unattested restores it anyway"]
    case .restoreOlder: ["--accept-rollback restores it anyway"]
    }
  }

  private var aboutRepair: String {
    "`vault repair --dry-run` shows "
      + (self == .repair ? "what would be done" : "whether the batch would be finished or dropped")
  }

  /// The hint about a service that keeps the vault.
  private var aboutService: String {
    switch self {
    case .mergeCopies: "`vault merge` joins the other versions that a service for synced folders has put here"
    case .awaitSync: "if a service syncs this folder, wait until it is done: the newer version may still arrive"
    default: Self.askAboutDatabase
    }
  }

  private static let askAboutDatabase =
    "ask the administrator of the database: it may have been put back from a backup, or another server answers"

  private static let leaveBranch = [
    "if git has switched to another branch: `git switch -` goes back, and --at REV reads a commit without a switch",
    "if git has stashed a change: `git stash pop` brings it back",
    "if git has reset commits: `git reflog` names the earlier commit, and `git bisect reset` ends a bisect",
  ]

  static let afterDoubt = [
    "the vault has the change: do not run the command again",
    "ask the administrator of the database why the server stopped waiting for its standby; after a failover, "
      + "`vault show RECORD` shows whether the change is still there",
  ]

  static let afterLostConnection = [
    "check before you run the command again: the names and revisions in `vault list` and `vault show RECORD` tell "
      + "whether the change was stored; a second `vault add` makes a second record"
  ]

  private static let adoption =
    "if git has merged a branch from before a rekey, `vault merge --continue --adopt-old-root` adopts it"

  private static let tableOfAttachments =
    "the owner of the tables must run `vault store sql --attachments | psql DATABASE` once, with the --schema, --roles "
    + "and --row-security that made them"

  private static let findMissing = [
    "restore it from version control or a backup; `vault verify` lists all missing ones",
    "if it was deleted on purpose, run `vault checkpoint --accept-rollback`",
  ]

  private static func acceptance(of fingerprint: String?) -> String {
    "find out why; "
      + (fingerprint.map { acceptance(of: [], $0) }
        ?? "if this is intended, run `vault pin update --fingerprint HEX`, with HEX from somebody you trust")
  }

  private static func acceptance(of ids: [RecordID], _ fingerprint: String) -> String {
    // Without a record, everything that this machine knows about the vault would be given up.
    let records = ids.count > limit ? " --record ID…" : ids.map { " --record \($0.text)" }.joined()
    return "if this is intended, `vault pin update --fingerprint \(fingerprint)\(records)` accepts the present state"
  }

  /// The steps for files that two branches changed. The header and the checkpoint need further steps.
  private static func choice(of files: [String]) -> [String] {
    let (hasHeader, hasCheckpoint) = (files.contains("vault.json"), files.contains(StoreLocation.checkpoint.fileName))
    var sentences = [
      "two branches changed it: during the merge, `vault merge --continue` joins both sides",
      "or in the folder of the vault, `git checkout --ours -- \(list(files, "FILE"))` (or --theirs) keeps one side",
    ]
    if files.count > (hasHeader ? 1 : 0) + (hasCheckpoint ? 1 : 0) {
      sentences.append("if the conflict was committed, `vault repair --dry-run` shows where each side is")
    }
    if hasHeader { sentences.append("then change slots, kinds or keys again as on the other side") }
    if hasCheckpoint { sentences.append("then `vault checkpoint` makes a new one") }
    return sentences
  }

  private static func choice(among versions: String) -> String {
    "git has a good version of each side: \(versions); then `vault repair` puts it in its place"
  }

  /// A line has no room for more.
  private static let limit = 8

  private static func list(_ words: [any CustomStringConvertible], _ word: String) -> String {
    words.count > limit ? word : words.map(\.description).joined(separator: " ")
  }
}
