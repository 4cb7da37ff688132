import ArgumentParser
import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

extension GitCommand {
  struct Hook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hook",
      abstract: "For git's hooks: check what is committed, pushed or merged.",
      discussion: """
        Example:
          vault git hook pre-commit

        `vault git setup --hooks` makes hooks that call this command, and records which vaults they check. \
        pre-commit and pre-push end with 14 if `vault git check` finds something, and git stops. post-merge says who \
        can unlock since the merge, and whether a checkpoint is due. No key is used.
        """)

    @Argument(help: ArgumentHelp("pre-commit, pre-push or post-merge.", valueName: "name"))
    var name: GitHooks.Name

    @Argument(help: "The arguments that git gives to the hook.")
    var given: [String] = []

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      // git runs hooks at the top of the work tree.
      let top = Git(at: ".")
      let pushed = name == .prePush ? pushedRanges(top) : []
      var hasFindings = false
      for vault in GitHooks.vaults(top) {
        // A branch may lack the vault.
        guard System.kind(of: vault) == .directory else { continue }
        let git = Git(at: vault, inHook: name == .preCommit)
        var check = GitCheck(git)
        switch name {
        case .preCommit: for change in GitChanges.staged(git) { try check.check(change) }
        case .prePush:
          for range in pushed { for change in GitChanges.commits(range, git) ?? [] { try check.check(change) } }
        case .postMerge: try tellMerged(git, &check)
        }
        let folder = vault == "." ? "" : vault + "/"
        let (findings, notes) = (check.findings.filter { !$0.isNote }, check.findings.filter(\.isNote))
        for finding in findings { Messages.print("vault: " + Printable.text(folder + finding.text)) }
        for note in notes { global.messages.note(folder + note.text) }
        hasFindings = hasFindings || !findings.isEmpty
      }
      guard hasFindings, name != .postMerge else { return }
      global.messages.note(
        "git stops: `vault git check` and `vault verify` say more, and `--no-verify` skips this check")
      throw Finished(status: .findings)
    }

    /// The new commits of each line `REF COMMIT REF COMMIT`, as far as the remote state is known here.
    private func pushedRanges(_ git: Git) -> [[String]] {
      let input = System.bytes(from: System.standardInput, limit: 16 << 20) ?? []
      return String(decoding: input, as: UTF8.self).split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, [words[1], words[3]].allSatisfy(isObjectName), !isNone(words[1]) else { return nil }
        let known = git.output(["cat-file", "-e", words[3] + "^{commit}"]) == nil ? [] : [words[3]]
        return [words[1], "--not"] + known + ["--remotes=" + (given.first ?? "")]
      }
    }

    private func isObjectName(_ word: String) -> Bool { word.allSatisfy(\.isHexDigit) && word.utf8.count >= 40 }
    private func isNone(_ word: String) -> Bool { word.allSatisfy { $0 == "0" } }

    private func tellMerged(_ git: Git, _ check: inout GitCheck) throws {
      guard let changes = GitChanges.between("ORIG_HEAD", new: "HEAD", git: git) else { return }
      let header = changes.files.filter { $0.path == StoreLocation.header.relativePath }
      if !header.isEmpty { try check.check(GitChanges(commit: changes.commit, files: header)) }
      // If only one side had commits, its checkpoint is still valid.
      let isJoined = git.output(["rev-parse", "--verify", "--quiet", "HEAD^2"]) != nil
      let hasRecords = changes.files.contains { StoreLocation(relativePath: $0.path)?.recordID != nil }
      guard isJoined, hasRecords, git.output(["cat-file", "-e", "HEAD:./checkpoint.jsonl"]) != nil else { return }
      global.messages.note("records of both sides were joined: `vault checkpoint` makes a checkpoint of all of them")
    }
  }
}

extension GitHooks.Name: ExpressibleByArgument {}
