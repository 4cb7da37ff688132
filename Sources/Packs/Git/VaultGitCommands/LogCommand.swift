import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultPackSupport
import VaultSealing
import VaultStorage
import VaultTerminal

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the versions of a record, or the commits of the vault, and what they changed.",
    discussion: """
      Example:
        vault log GitHub --fields username,password
        vault log --since 30d

      With a record the command shows each version that git has, the newest first, also those in the trash: revision, \
      time, commit, and the fields that changed. The command shows no sealed value: it only says whether the value was \
      replaced, resealed, moved or restored from a former value.

      If a key is available without a question, each version is verified. Authors, coding agents and times of commits \
      come from git, and nobody authenticates them.
      """,
    aliases: ["history"])

  @Argument(
    help: "A record, also a removed one: an id, the beginning of an id, or a name. Without it, the commits.")
  var record: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show only changes since then: 30d, 12h, 2026-11-20 or 2026-11-20T09:12:44Z.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Show only changes of these fields, separated by commas.", valueName: "path,…"))
  var fields: String?

  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard limit.map({ $0 > 0 }) ?? true else { throw CommandError.usage("--limit", "must be 1 or more") }
    let since = try since.map { try PastTime.argument($0, of: "--since") }
    let paths = try fields?.split(separator: ",").map { try MemberPath.argument(String($0), of: "--fields") }
    let session = try Session(vault, global)
    if let record {
      try await logRecord(record, fields: paths, since: since, session: session)
    } else {
      try logVault(paths, since: since, session: session)
    }
  }

  private func logVault(_ fields: [MemberPath]?, since: Timestamp?, session: Session) throws {
    guard !session.location.isDatabase else { throw CommandError.inDatabase(session.location.path) }
    let git = Git(at: session.location.path)
    let paths = ["vault.json", StoreLocation.checkpoint.fileName, "records", "trash"]
    guard let log = GitChanges.log(git, limit: since == nil && fields == nil ? limit : nil, of: paths) else {
      throw CommandError(
        .inputOutput, "no_git", subject: session.location.path, "has no git commits to show, or git is not installed",
        hints: [
          "`vault log RECORD` shows the versions of a record in the folder",
          "`git init` and `git commit` begin a history",
        ])
    }
    let objects = GitObjects(git)
    var commits: [LoggedCommit] = []
    for (commit, changes) in log where commits.count < limit ?? .max {
      if let since, let time = commit.time, time < since { continue }
      let logged = LoggedCommit(changes, commit: commit, objects: objects, kinds: session.locked.kinds)
      guard let fields else {
        commits.append(logged)
        continue
      }
      if let touching = logged.touching(fields) { commits.append(touching) }
    }
    if let fields, commits.isEmpty { try session.checkFields(fields, nil) }
    if global.json { return try Output.document(["commits": commits]) }
    try Pager.lines(commits.flatMap { $0.lines(global.style) }, global)
    global.messages.note(commits.isEmpty ? "no commit matches" : Messages.unverifiedNote)
    if limit == nil, GitCommit.areCutOff(git) { noteCutOff() }
  }

  private func noteCutOff() {
    global.messages.note(
      "older commits are not here, so what the oldest one adds may be older (`git fetch --unshallow`)")
  }

  private func logRecord(
    _ record: String, fields: [MemberPath]?, since: Timestamp?, session: Session
  ) async throws {
    let id = try await session.resolveEver(record)
    let isWhole = since == nil && fields == nil
    let history = RecordHistory(of: id, in: session.locked, at: session.location.path, limit: isWhole ? limit : nil)
    guard !history.versions.isEmpty else { throw Self.noVersion(of: record) }
    let chosen = history.versions.compactMap { version in
      LoggedVersion(version, fields: fields, since: since)
    }
    var versions = Array(chosen.prefix(limit ?? .max))
    if let fields, versions.isEmpty { try session.checkFields(fields, nil) }
    if var keys = try await HistoryKeys(session, vault: vault, unlocking: unlocking) {
      for index in versions.indices {
        versions[index].verdict = await keys.verdict(on: versions[index].version, of: id)
      }
    }
    try print(versions, id, isInGit: history.isInGit)
    if versions.contains(where: { $0.verdict == .underReplacedRoot }) {
      global.messages.note("somebody who had a replaced root key could have made versions under it, even later")
    }
    if history.isCutOff, versions.last?.version.comparison?.event == .added { noteCutOff() }
    if !history.isInGit {
      global.messages.note("there are no git commits here: only the versions in the vault are shown")
    }
  }

  private static func noVersion(of record: String) -> CommandError {
    CommandError(
      .notFound, "no_such_record", subject: record, "is not a record of this vault or of a commit",
      hints: ["give the full id of a record that was deleted for good"])
  }

  private func print(_ versions: [LoggedVersion], _ id: RecordID, isInGit: Bool) throws {
    guard !global.json else {
      return try Output.document(["id": id, "versions": versions])
    }
    try Pager.lines(versions.flatMap { $0.lines(global.style, isInGit: isInGit) }, global)
    if versions.isEmpty { global.messages.note("no version matches") }
  }
}

private struct LoggedVersion: DocumentValue {
  let version: HistoryVersion
  let changes: [RecordComparison.Change]
  let former: [RecordComparison.FormerChange]
  /// Empty if only some fields were asked for.
  let attachments: [AttachmentChange]
  /// Nil without a key, or if there is nothing to verify.
  var verdict: HistoryKeys.Verdict?

  /// Nil for a version that was not asked for.
  init?(_ version: HistoryVersion, fields: [MemberPath]?, since: Timestamp?) {
    if let since, let time = version.time, time < since { return nil }
    self.version = version
    let all = (changes: version.comparison?.changes ?? [], former: version.comparison?.former ?? [])
    attachments = fields == nil ? version.comparison?.attachments ?? [] : []
    guard let fields else {
      (changes, former) = all
      return
    }
    (changes, former) = (all.changes.filter { $0.isAbout(fields) }, all.former.filter { $0.isAbout(fields) })
    guard !changes.isEmpty || !former.isEmpty else { return nil }
  }

  private var trust: String? {
    guard version.state?.record != nil else { return nil }
    return switch verdict {
    case .authentic: "verified"
    case .underReplacedRoot: "verified under a replaced root key"
    case .refused: "DOES NOT VERIFY"
    case .unknownRoot: "not verified: its root key is missing"
    case nil: "not verified"
    }
  }

  /// The event, if it is more than a change.
  private var event: String? {
    switch version.comparison?.event {
    case .deleted: "deleted for good"
    case .changed, .unchanged: nil
    case let event?: event.rawValue
    case nil: version.state?.record == nil ? "not a record of this format" : "the version before is not a record"
    }
  }

  func lines(_ style: Style, isInGit: Bool) -> [String] {
    let envelope = version.state?.envelope
    let commit = version.commit?.line ?? (isInGit ? "not committed" : nil)
    let head = [envelope.map { "revision \($0.revision)" }, version.time?.text, commit, trust, event]
    let faults = version.fault.map { ["  " + style.bad($0.sentence)] } ?? []
    let form = version.comparison?.formLines ?? []
    return [style.bold(Printable.text(head.compactMap { $0 }.joined(separator: "  ")))] + faults + form
      + changes.map(\.line) + former.map(\.line) + attachments.map(\.line)
  }

  var document: JSONValue {
    let envelope = version.state?.envelope
    return .members([
      "agent": version.commit?.agent, "attachments": attachments, "author": version.commit?.author, "changes": changes,
      "commit": version.commit?.id,
      "committed_at": version.commit?.time,
      "event": version.comparison.flatMap { $0.event == .unchanged ? nil : $0.event.rawValue },
      "fault": version.fault?.name, "former": former, "replaced_root": verdict == .underReplacedRoot,
      "revision": envelope?.revision,
      "updated_at": envelope?.updatedAt, "verified": verdict == .authentic || verdict == .underReplacedRoot,
    ])
  }
}

extension Session {
  /// The record that a word names: live, removed, or only in git.
  func resolveEver(_ text: String) async throws -> RecordID {
    if let id = RecordID(parsing: text) { return id }
    do {
      return try await resolve(text)
    } catch let error as CommandError where error.vaultCode == .noSuchRecord {
      guard let id = try? resolveTrashed([text]).first else {
        throw error.hinting("give the full id of a record that was deleted for good")
      }
      return id
    }
  }

  /// Unlocks to verify old versions without a question; nil, with a note, if that is impossible.
  ///
  /// An older state than the remembered one does not prevent looking back.
  func vaultToLookBack(_ options: UnlockOptions) async throws -> Vault? {
    do {
      if let opened = try await unlockWithoutAsking(options, with: .own) { return opened }
      return try vaultByHolder()
    } catch let error as CommandError where !options.givesKey {
      messages.note("not verified: " + (error.subject.map { "\($0): " } ?? "") + error.reason)
      return nil
    }
  }
}

enum PastTime {
  /// An age, a day, which begins at midnight UTC, or a time.
  static func argument(_ text: String, of option: String) throws -> Timestamp {
    if let time = (try? Timestamp(parsing: text)) ?? (try? Timestamp(parsing: text + "T00:00:00Z")) { return time }
    do {
      return try Age(text, option: option).before(.now())
    } catch {
      throw CommandError.usage(option, "takes an age such as 30d or 12h, a day such as 2026-11-20, or a time")
    }
  }
}

extension LogCommand: RecordNaming {
  var recordWords: [String] {
    get { record.map { [$0] } ?? [] }
    set { record = newValue.first }
  }
}

extension LogCommand: RunsOverSet { var seeks: Bool { record != nil } }
