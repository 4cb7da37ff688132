import VaultCLI
import VaultKit
import VaultStorage
import VaultSystem
import VaultTerminal

/// Commits the files that a command has written to its vault, if a person has asked for that on this machine. Otherwise
/// reports the files that git does not know.
enum GitKeeper {
  /// Commits the written files, or reports those that git does not know. An error is only reported, because the vault
  /// is written already.
  ///
  /// - Parameter words: the words of the command.
  static func commit(_ written: [WrittenFiles.Entry], _ words: String) {
    var news: [(top: String, messages: Messages, news: GitNews)] = []
    for watched in written {
      guard let top = GitFolder.top(of: watched.folder) else { continue }
      do {
        guard try !isCommitted(watched, words) else { continue }
      } catch {
        let error = CommandError(any: error)
        watched.messages.note("not committed: \(error.reason)")
        for hint in error.hints { watched.messages.note(hint) }
        continue
      }
      // Nobody would read the note.
      guard !watched.messages.isQuiet, !watched.messages.isJSON else { continue }
      let index = news.firstIndex { $0.top == top } ?? news.count
      if index == news.count { news.append((top, watched.messages, GitNews())) }
      add(watched, to: &news[index].news)
    }
    for (_, messages, news) in news { if let text = news.text { messages.note(text) } }
  }

  /// Commits the files written to a vault, if that is wanted; false if it is not.
  private static func isCommitted(_ watched: WrittenFiles.Entry, _ words: String) throws -> Bool {
    let git = Git(at: watched.folder)
    let scope: KeepingCommit.Scope
    switch watched.kind {
    case .vault(let vault): scope = .written(vault.writtenPlaces)
    case .newVault(let mayCommit):
      // The user commits a vault that takes the place of one that git has.
      guard mayCommit, !GitListing(git, [StoreLocation.header.relativePath]).isTracked(.header) else { return false }
      scope = .newVault
    case .file: return false
    }
    guard try isWanted(git) else { return false }
    let turn = GitTurn(git)
    try KeepingCommit(scope, in: git, at: watched.path, command: words).make(watched.messages, turn)
    return true
  }

  private static func add(_ watched: WrittenFiles.Entry, to news: inout GitNews) {
    switch watched.kind {
    case .vault(let vault):
      // `git commit -a` includes changed files.
      guard vault.hasMadeOrRemovedFiles else { return }
      news.add(Set(vault.writtenPlaces.map(\.relativePath)), inVaultAt: watched.path)
    case .newVault: news.add(newVaultAt: watched.path)
    case .file: news.add(fileAt: watched.path)
    }
  }

  private static func isWanted(_ git: Git) throws -> Bool {
    switch System.environment("CVAULT_GIT") {
    case "commit":
      guard GitConsent(git).isGiven || !GitConsent.startsPrograms(git) else {
        throw CommandError.usage(
          "CVAULT_GIT", "a commit in this clone starts programs, because of its hooks or settings",
          "`vault git setup --commit` allows that on this machine")
      }
      return true
    case "off": return false
    case nil: break
    default: throw CommandError.usage("CVAULT_GIT", "CVAULT_GIT must be commit or off")
    }
    let consent = GitConsent(git)
    guard consent.isSet else { return false }
    guard consent.isGiven else {
      throw CommandError.usage(
        GitConsent.setting, "this clone asks for commits, but nobody has allowed them on this machine",
        "`vault git setup --commit` allows them; a commit runs the hooks of the clone")
    }
    return true
  }
}
