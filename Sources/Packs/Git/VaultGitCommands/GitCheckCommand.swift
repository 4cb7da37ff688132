import ArgumentParser
import VaultCLI
import VaultDocument
import VaultSystem
import VaultTerminal

extension GitCommand {
  /// `vault git check`: checks commits without a key, for hooks and continuous integration.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check what is staged and what git lacks, or the commits of a range, without a key.",
      discussion: """
        Example:
          vault git check origin/main..HEAD --format github

        The command checks each changed file of the vault as `vault lint` does, but takes the file from git and not \
        from the work tree. It also compares the file with the versions before it. It finds files that were changed \
        without a key, went back to an older state, were lost in a merge, or are both live and in the trash. New and \
        removed ways to unlock are notes. The exit status is 14 if the command finds something. Each finding names its \
        commit.

        Without a range and without --staged the command also compares the work tree with git. A slot, record, \
        attachment or removed record that git does not have is a finding, because no clone gets it. A slot that the \
        committed vault.json names and git lacks is also a finding.

        `vault git setup --hooks` makes git hooks that run this check.
        """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
      case text, github, gitlab
    }

    @Argument(help: ArgumentHelp("Commits, as BASE..HEAD; BASE alone means up to HEAD.", valueName: "range"))
    var range: String?

    @Flag(help: "Check only what is staged.")
    var staged = false

    @Option(help: "The form of the output: text, github or gitlab.")
    var format = Format.text

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard range == nil || !staged else { throw CommandError.usage("--staged", "cannot be combined with a range") }
      if let bare = BareRepository(vault) {
        return try report(bare.findings(range, isStaged: staged), prefix: bare.folder, advice: nil)
      }
      let path = try VaultLocation.find(vault).path
      let git = Git(at: path, inHook: true)
      guard let answer = git.output(["rev-parse", "--show-prefix"]) else { throw CommandError.noGit(path) }
      let prefix = String(decoding: answer, as: UTF8.self).filter { $0 != "\n" }
      let changes = try range.map { try GitChanges.required($0, git) } ?? GitChanges.staged(git)
      var check = GitCheck(git)
      for change in changes { try check.check(change) }
      let index = range == nil && !staged ? GitComparison(path, git, with: .index) : nil
      if let index { check.check(index) }
      try report(check.findings, prefix: prefix, advice: index?.advice)
    }

    /// - Parameter advice: the command to type if git lacks files.
    private func report(_ found: [GitCheck.Finding], prefix: String, advice: String?) throws {
      let (findings, notes) = (found.filter { !$0.isNote }, found.filter(\.isNote))
      if global.json {
        try Output.document([
          "findings": findings.map { $0.document(prefix) }, "notes": notes.map { $0.document(prefix) },
        ])
      } else {
        switch format {
        case .text:
          try Output.lines(findings.map { Printable.text($0.text) })
          for note in notes { global.messages.note(note.text) }
        case .github: try Output.lines(found.map { $0.github(prefix) })
        case .gitlab: try Output.write(JSONValue.array(found.map { $0.gitlab(prefix) }).prettyBytes(limits: .exchange))
        }
      }
      if let advice { global.messages.note(advice) }
      guard findings.isEmpty else { throw Finished(status: .findings) }
    }
  }
}

/// A bare repository, as on a server, and the folder of a vault in its commits.
private struct BareRepository {
  let git: Git
  /// The folder with a slash at its end; empty for a vault at the top.
  let folder: String

  /// Finds the repository in a path that continues inside it: `ops.git/customers`. Without a name, the working
  /// directory counts, which is the repository in a server's hook. Nil outside a bare repository.
  init?(_ options: VaultOptions) {
    var (path, folder) = (options.vault ?? System.variable("CVAULT_DIR") ?? ".", "")
    while path != ".", path != "/", !path.isEmpty, System.kind(of: path) == nil {
      folder = String(path.split(separator: "/").last ?? "") + "/" + folder
      path = System.parent(of: path)
    }
    guard System.kind(of: System.join(path, "vault.json")) == nil, System.kind(of: path) == .directory else {
      return nil
    }
    git = Git(at: path, inHook: true)
    guard git.lines(["rev-parse", "--is-bare-repository"]).first == "true" else { return nil }
    self.folder = folder
  }

  /// The findings in a range, or without one in the last commit as a whole.
  func findings(_ range: String?, isStaged: Bool) throws -> [GitCheck.Finding] {
    guard !isStaged else { throw CommandError.usage("--staged", "needs a work tree, and a bare repository has none") }
    var check = GitCheck(git)
    if let range {
      for change in try GitChanges.required(range, git, bareFolder: folder) { try check.check(change) }
    } else if let commit = GitComparison(git, inBareRepositoryAt: folder) {
      check.check(commit)
    } else {
      throw CommandError(
        .noVault, "not_a_vault", subject: folder.isEmpty ? "HEAD" : folder,
        "has no vault in the last commit of this bare repository",
        hints: ["`--vault PLACE` names the folder of a vault in it, such as `--vault ops`"])
    }
    return check.findings
  }
}

extension GitCheck.Finding {
  private var sentence: String { commit.map { "\(reason) (commit \($0.prefix(12)))" } ?? reason }
  var text: String { Sentence.about(file, sentence) }

  fileprivate func document(_ prefix: String) -> JSONValue {
    .members(["commit": commit, "file": prefix + file, "reason": reason])
  }

  /// A command of a GitHub workflow. Its separators are percent-encoded.
  fileprivate func github(_ prefix: String) -> String {
    func encoded(_ text: String, _ separators: String) -> String {
      text.unicodeScalars.map { scalar in
        let isPlain = scalar.value >= 0x20 && scalar != "%" && !separators.unicodeScalars.contains(scalar)
        guard !isPlain else { return String(scalar) }
        return String(scalar).utf8.map { "%" + Hex.encode([$0]).uppercased() }.joined()
      }.joined()
    }
    return "::\(isNote ? "notice" : "error") file=\(encoded(prefix + file, ":,"))::\(encoded(sentence, ""))"
  }

  /// An issue of a GitLab code quality report.
  fileprivate func gitlab(_ prefix: String) -> JSONValue {
    .members([
      "check_name": "vault", "description": sentence,
      "fingerprint": MaskedText.hash("\(prefix)\(file)\n\(sentence)", byteCount: 20),
      "location": JSONValue.members(["lines": JSONValue.members(["begin": 1]), "path": prefix + file]),
      "severity": isNote ? "info" : "critical",
    ])
  }
}
