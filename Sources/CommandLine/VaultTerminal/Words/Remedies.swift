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
    case .noSuchMember: return ["`vault show \(record?.text ?? "RECORD")` shows its fields"]
    case .noCheckpoint: return ["`vault checkpoint` makes one"]
    case .noMatchingSlot:
      return ["`vault status` lists the slots", "use the identity or the passphrase of one of them"]
    case .lockedByOther: return ["wait for it to end, or give more time with --lock-timeout SECONDS"]
    case .changedUnderneath: return ["run the command again"]
    case .rotationUnfinished: return ["`vault rekey` finishes it; then repeat the change"]
    case .damagedState: return Remedy.acceptVault(fingerprint: nil).sentences
    case .mayBeLost: return Remedy.afterDoubt
    case .outcomeUnknown: return Remedy.afterLostConnection
    case .memoryUnavailable: return ["raise the limit of locked memory (`ulimit -l`)"]
    case .inputRefused where field != nil: return ["`vault kinds show KIND` lists its fields"]
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
      ["look at both, then `vault remove \(id.text)` the live one, or `vault trash empty \(id.text)` the other one"]
    case .enterSecret(let path): ["use --secret \(path), --secret-stdin \(path) or --secret-file \(path)=FILE"]
    case .migrate: ["the record is of an older schema: `vault migrate` first"]
    case .acceptEdits(let ids):
      ["if somebody edited it by hand, `vault accept \(Self.list(ids, "RECORD"))` shows what differs and takes it"]
    case .acceptVault(let fingerprint): [Self.acceptance(of: fingerprint)]
    case .leaveBranch: Self.leaveBranch
    case .askAboutDatabase: [Self.askAboutDatabase]
    case .acceptRecords(let ids, let fingerprint): [Self.acceptance(of: ids, fingerprint ?? "HEX")]
    case .acceptInCheckpoint(let isLast):
      [(isLast ? "then" : "when it is meant to be so,") + " `vault checkpoint --accept-rollback` makes a new list"]
    case .compareWithCheckpoint: ["`vault verify --since-checkpoint` shows what changed"]
    case .findMissing: Self.findMissing
    case .chooseSide(let files): Self.choice(of: files)
    case .chooseVersion(let commands): [Self.choice(among: commands.joined(separator: "; "))]
    case .adopt: [Self.adoption]
    case .repair: ["`vault repair --dry-run` shows what can be restored"]
    case .repairJournal: ["`vault repair --dry-run` shows what it would finish or drop"]
    case .useIdentity: ["name the identity of one of its recipients with --identity FILE"]
    case .allowWorkFactor(let factor): ["if you made it so yourself, allow it with --max-work-factor \(factor)"]
    case .addSlot: ["add another first with `vault key add`"]
    case .removeSlot(let id): ["or give it up with `vault key remove \(id.text)`"]
    case .finishRotation: ["`vault rekey` finishes it"]
    case .addAttachmentTable: [Self.tableOfAttachments]
    case .useNewerVersion: ["read it with a newer version of vault"]
    case .moveState: ["this machine remembers its vaults there: put it right, or name another with CVAULT_STATE_DIR"]
    case .verifyBackups: ["the backups themselves may be sound: `vault backup verify FILE` looks at each"]
    case .useStandardOutput: ["or write to standard output: --to -"]
    case .restoreUnattested: ["it was made without the vault's key; --unattested restores it all the same"]
    case .restoreOlder: ["--accept-rollback restores it all the same"]
    }
  }

  private static let askAboutDatabase =
    "ask the administrator of the database: it may have been put back from a backup, or another server answers"

  private static let leaveBranch = [
    "if git has switched to another branch: `git switch -` goes back, and --at REV reads a commit without a switch",
    "if git has put a change away: `git stash pop` brings it back",
    "if git has taken commits back: `git reflog` names the commit of before, and `git bisect reset` ends a bisect",
  ]

  static let afterDoubt = [
    "the vault has the change: do not run the command again",
    "ask the administrator of the database why the server stopped waiting for its standby; after a failover, "
      + "`vault show RECORD` says whether the change is still there",
  ]

  static let afterLostConnection = [
    "look before you run the command again: `vault list` and `vault show RECORD` say whether the change is there, by "
      + "its names and its revision; `vault add` twice makes two records"
  ]

  private static let adoption =
    "where git has merged a branch from before a rotation, `vault merge --continue --adopt-old-root` takes it over"

  private static let tableOfAttachments =
    "who owns the tables runs `vault store sql --attachments | psql DATABASE` once, with the --schema, --roles and "
    + "--row-security that they were made with"

  private static let findMissing = [
    "take it from version control or a backup; `vault verify` names every one",
    "if it was deleted on purpose, `vault checkpoint --accept-rollback` says so",
  ]

  private static func acceptance(of fingerprint: String?) -> String {
    "find out why; "
      + (fingerprint.map { acceptance(of: [], $0) }
        ?? "if it is meant to be so, `vault pin update --fingerprint HEX`, with HEX from somebody you trust")
  }

  private static func acceptance(of ids: [RecordID], _ fingerprint: String) -> String {
    // Without a record, everything that this machine knows about the vault would be given up.
    let records = ids.count > limit ? " --record ID…" : ids.map { " --record \($0.text)" }.joined()
    return "when it is meant to be so, `vault pin update --fingerprint \(fingerprint)\(records)` takes it as it is now"
  }

  private static func choice(of files: [String]) -> [String] {
    let (hasHeader, hasCheckpoint) = (files.contains("vault.json"), files.contains(StoreLocation.checkpoint.fileName))
    var sentences = [
      "two branches changed it: while git waits for it, `vault merge --continue` joins both, and "
        + "`git checkout --ours -- \(list(files, "FILE"))`, or --theirs, takes one side whole"
    ]
    if files.count > (hasHeader ? 1 : 0) + (hasCheckpoint ? 1 : 0) {
      sentences.append(
        "where it was committed like this, `vault repair` says where each side is"
      )
    }
    if hasHeader { sentences.append("then change slots, kinds or keys again as the other side had") }
    if hasCheckpoint { sentences.append("then `vault checkpoint` makes a new one") }
    return sentences
  }

  private static func choice(among versions: String) -> String {
    "git has a good version of each side: \(versions); then `vault repair` puts it where it belongs"
  }

  /// A line has no room for more.
  private static let limit = 8

  private static func list(_ words: [any CustomStringConvertible], _ word: String) -> String {
    words.count > limit ? word : words.map(\.description).joined(separator: " ")
  }
}
