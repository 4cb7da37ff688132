import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultTerminal

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show how two states of the vault differ, by record and field.",
    discussion: """
      Example:
        vault diff
        vault diff origin/main HEAD --markdown
        vault diff HEAD~3 GitHub
        vault diff backups/team-20261121T014028Z.cvault.age --stat

      A state is a commit, @work for the vault as it is, or another copy of it: a folder, a database or a backup. \
      Without a state, HEAD is compared with @work. One state is compared with @work. A word that names no state names \
      a record.

      The command uses no key, except to open a backup. It shows no sealed value: it only says whether the value was \
      replaced, resealed, moved or restored from a former value.
      """)

  @Argument(help: ArgumentHelp("Up to two states, then records.", valueName: "state"))
  var words: [String] = []

  @Flag(help: "Print one line for each record, and their number.")
  var stat = false

  @Flag(help: "Print Markdown tables, for a review.")
  var markdown = false

  @Flag(help: "End with 14 if something differs.")
  var exitCode = false

  @Option(help: ArgumentHelp("Read the passphrase of a backup from a file.", valueName: "file"))
  var backupPassphraseFile: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !stat || !markdown else { throw CommandError.usage("--stat", "cannot be combined with --markdown") }
    guard !global.json || !stat && !markdown else {
      throw CommandError.usage(stat ? "--stat" : "--markdown", "cannot be combined with --json")
    }
    let session = try Session(vault, global)
    let files = Packs.first(\.stateFiles)?(unlocking, backupPassphraseFile, global)
    var (states, records) = ([ComparedState](), words[...])
    while states.count < 2, let word = records.first,
      let state = try await ComparedState.named(word, session: session, files: files)
    {
      states.append(state)
      records = records.dropFirst()
    }
    let isOfWork = states.isEmpty
    if isOfWork { states.append(try Self.head(session)) }
    if states.count == 1 { states.append(.work(session)) }
    let git = Git(at: session.location.path)
    var comparison = try VaultComparison(from: states[0], to: states[1], git, session.locked.kinds)
    if !records.isEmpty { comparison = try await comparison.only(Self.ids(of: records, comparison, session)) }
    try print(DiffReport(comparison: comparison, isInOrder: isOfWork), from: states[0].name, to: states[1].name)
    if exitCode, !comparison.isEmpty { throw Finished(status: .findings) }
  }

  private static func head(_ session: Session) throws -> ComparedState {
    do {
      return try .commit("HEAD", session)
    } catch let error as CommandError where error.status == .notFound {
      throw CommandError(
        .notFound, "no_such_state", subject: "HEAD", "there is no commit yet",
        hints: ["make one with `git commit`", "`vault diff DIR` compares with the folder of a copy"])
    } catch let error as CommandError where error.code == "no_git" {
      throw error.hinting("`vault diff DIR` compares with the folder of a copy")
    }
  }

  /// The records that words name: by id, or by the name of a changed, removed or present record.
  private static func ids(
    of words: ArraySlice<String>, _ comparison: VaultComparison, _ session: Session
  ) async throws -> Set<RecordID> {
    var ids: Set<RecordID> = []
    for word in words {
      let named = comparison.records.filter { $0.name == word }.map(\.id)
      if named.isEmpty {
        do {
          ids.insert(try await session.resolveEver(word))
        } catch let error as CommandError where error.vaultCode == .noSuchRecord {
          throw error.about(word).becoming("is not a commit, a folder of a vault or a record")
        }
      } else {
        ids.formUnion(named)
      }
    }
    return ids
  }

  private func print(_ report: DiffReport, from old: String, to new: String) throws {
    if global.json {
      return try Output.document([
        "from": old, "new_root": report.comparison.hasNewRoot, "records": report.records,
        "slots": report.comparison.slots, "to": new,
      ])
    }
    if markdown { return try Output.lines(report.markdown()) }
    try Pager.lines(stat ? report.statistics() : report.lines(global.style), global)
    global.messages.note(report.comparison.isEmpty ? "nothing differs" : Messages.unverifiedNote)
  }
}

extension CommandError {
  fileprivate func becoming(_ reason: String) -> CommandError {
    var error = self
    error.reason = reason
    return error
  }
}
