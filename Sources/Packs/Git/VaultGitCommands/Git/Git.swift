import VaultDocument
import VaultKit
import VaultSystem
package import VaultTerminal

/// git at a folder: the one place that starts it. The repository may be hostile.
///
/// Only plumbing is asked, which runs no hook, pager, filter or text conversion. Nothing is fetched or locked, and no
/// program that the configuration names is run, unless a person has git merge there and a file is added to the index.
package struct Git {
  private static let caution = [
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "protocol.allow=never",
  ]
  private static let withoutHooks = ["-c", "core.hooksPath=/dev/null"]
  /// A git that does not know `GIT_NO_LAZY_FETCH` fetches what is missing, and `protocol.allow` above is only a default
  /// that the repository can override: that no protocol at all is allowed is what stops it.
  private static let variables = [
    "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
  ]
  /// What says to git, in a hook of its own, where a repository is.
  private static let ofRepository = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_LITERAL_PATHSPECS",
  ]
  /// Where git shows a server a push that nobody has agreed to yet (git-receive-pack(1)).
  private static let ofQuarantine = ["GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
  private let directory: String
  private let environment: [String]

  /// - Parameter inHook: whether what git says to a hook counts: `git commit -a` and `git commit FILE` have an index of
  ///   their own, which becomes the next commit, and a push has objects of its own until it is taken.
  package init(at directory: String, inHook: Bool = false) {
    self.directory = directory
    // Plumbing starts no program of ours, so it needs none of our variables, some of which lead to keys.
    var environment = System.variablesForTools().filter { !$0.hasPrefix("GIT_") } + Self.variables
    if inHook, let index = System.environment("GIT_INDEX_FILE").flatMap(ProcessEnvironment.realPath) {
      environment.append("GIT_INDEX_FILE=" + index)
    }
    if inHook, System.environment("GIT_QUARANTINE_PATH") != nil {
      environment += Self.ofQuarantine.compactMap { name in System.environment(name).map { "\(name)=\($0)" } }
    }
    self.environment = environment
  }

  /// The same git, which takes no folder for a repository that only looks like one inside: a commit can bring its
  /// files.
  func withoutBareRepositories() -> Git {
    let config = ["GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"]
    return Git(at: directory, environment + config)
  }

  private init(at directory: String, _ environment: [String]) {
    (self.directory, self.environment) = (directory, environment)
  }

  /// The same git with no filter of the configuration, so that content is compared as it is.
  func withoutFilters() -> Git {
    let filters = parts([
      "config", "-z", "--name-only", "--get-regexp", #"^filter\..*\.(clean|smudge|process|required)$"#,
    ])
    let off = filters.enumerated().flatMap { index, name in
      let value = name.lowercased().hasSuffix(".required") ? "false" : ""
      return ["GIT_CONFIG_KEY_\(index)=\(name)", "GIT_CONFIG_VALUE_\(index)=\(value)"]
    }
    return Git(at: directory, environment + ["GIT_CONFIG_COUNT=\(filters.count)"] + off)
  }

  /// What it prints; nil when there is no git, when it fails, or when it prints more than `limit` bytes.
  ///
  /// - Parameters:
  ///   - takesPatterns: for a command that refuses to be told that paths are no patterns.
  ///   - namingHooks: for a command that only says where hooks are.
  package func output(
    _ arguments: [String], limit: Int = 1 << 20, takesPatterns: Bool = false, namingHooks: Bool = false
  ) -> [UInt8]? {
    System.outputOfTool(
      "git",
      words(
        (namingHooks ? [] : Self.withoutHooks) + (takesPatterns ? [] : ["--literal-pathspecs"]) + arguments),
      variables: environment, limit: limit)
  }

  /// Starts it to be asked one thing after the other.
  func asked(_ arguments: [String]) throws(SystemError) -> AskedTool {
    try AskedTool("git", words(Self.withoutHooks + arguments), variables: environment)
  }

  private func words(_ arguments: [String]) -> [String] { ["-C", directory] + Self.caution + arguments }

  /// Runs it as a person does: with all that the configuration and the environment say, hooks and signatures included,
  /// and without a terminal.
  ///
  /// - Returns: how it ended and what it said; nil when there is no git.
  package func asPerson(_ arguments: [String], _ input: String) -> (code: Int32, text: String)? {
    let bytes = Array(input.utf8)
    return try? unsafe System.answerOfTool(
      "git", arguments: personWords(arguments), value: bytes.span.bytes,
      variables: Self.asIn(System.variablesForTools()))
  }

  /// Runs it as a person does, and lets it go on when this process ends, so that git finishes what it has begun; its
  /// output is dropped.
  ///
  /// - Parameters:
  ///   - variables: what git is told of the repository beside.
  ///   - callsUs: whether git starts this program, which then needs our variables. Hooks get them as well.
  /// - Returns: how it ended; nil when there is no git.
  package func asPersonToTheEnd(_ arguments: [String], variables: [String] = [], callsUs: Bool = false) -> Int32? {
    let given = callsUs ? System.allVariables() : System.variablesForTools()
    return System.runTool("git", personWords(arguments), variables: Self.asIn(given) + variables)
  }

  private func personWords(_ arguments: [String]) -> [String] {
    ["-C", directory, "--no-pager", "--literal-pathspecs"] + arguments
  }

  private static func asIn(_ variables: [String]) -> [String] {
    variables.filter { variable in !ofRepository.contains { variable.hasPrefix($0 + "=") } }
  }

  /// What git says is wrong, in a line.
  static func reason(_ text: String, command: String, code: Int32) -> String {
    let lines = text.split(separator: "\n").map(String.init)
    if text.contains("Please tell me who you are") { return "git does not know who you are: `git config user.email`" }
    let said = lines.first { $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ") } ?? lines.first { !$0.isEmpty }
    return "\(command) ended with \(code)" + (said.map { ": \(Printable.cut($0))" } ?? "")
  }

  /// The same as lines; none when it fails.
  package func lines(_ arguments: [String], limit: Int = 1 << 20, namingHooks: Bool = false) -> [String] {
    let text = String(decoding: output(arguments, limit: limit, namingHooks: namingHooks) ?? [], as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The same of an answer whose parts end with a NUL. None is left out: a name that is no text has other characters.
  package func parts(_ arguments: [String], limit: Int = 1 << 20) -> [String] {
    (output(arguments, limit: limit) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension CommandError {
  /// git has nothing to do with a folder.
  package static func noGit(_ path: String) -> CommandError {
    guard !VaultPlace.isDatabase(path) else { return inDatabase(path) }
    return CommandError(
      .inputOutput, "no_git", subject: path, "lies in no work tree of git, or there is no git",
      hints: ["`git init` makes one"])
  }

  /// git keeps files.
  package static func inDatabase(_ address: String) -> CommandError {
    CommandError(
      .inputOutput, "no_git", subject: address, "is in a database, which has no commits",
      hints: ["`vault store copy` makes a folder of it, which git can keep"])
  }
}

/// The git work tree that a folder lies in.
package enum GitFolder {
  package static func holds(_ path: String) -> Bool { top(of: path) != nil }

  /// The top of the work tree, as a path without links; nil for a folder in no work tree.
  static func top(of path: String) -> String? {
    guard var directory = ProcessEnvironment.realPath(path) else { return nil }
    while !directory.isEmpty {
      if System.kind(of: (directory == "/" ? "" : directory) + "/.git") != nil { return directory }
      directory = System.parent(of: directory)
    }
    return nil
  }
}

extension GitFolder {
  /// How git has a file, or would have it once it is there; nil where it leaves it alone.
  package static func tracking(_ path: String) -> String? {
    let folder = System.parent(of: path)
    guard holds(folder) else { return nil }
    let (git, name) = (Git(at: folder), "./" + (path.split(separator: "/").last ?? ""))
    guard let place = git.lines(["rev-parse", "--is-inside-work-tree"]).first, !place.isEmpty else {
      return "lies in a work tree of git, of which git says nothing"
    }
    // Within `.git` nothing is tracked.
    guard place == "true" else { return nil }
    if git.output(["ls-files", "--error-unmatch", "--", name]) != nil { return "is tracked by git" }
    let isIgnored = git.output(["check-ignore", "--quiet", "--", name], takesPatterns: true) != nil
    return isIgnored ? nil : "would be tracked by git"
  }
}

/// What git has begun in the work tree of a vault and waits for a person to finish.
package struct GitOperation {
  /// `merge`, `rebase`, `cherry-pick` or `revert`; nil where only files are left unmerged, as by `git stash pop`.
  package let name: String?
  /// What it brings in, beside `HEAD`, as git calls it.
  package let heads: [String]
  /// Versions of the vault's files that wait for a choice.
  package let unmerged: [GitStage]

  private static let traces = [
    (file: "rebase-merge", name: "rebase"), (file: "rebase-apply", name: "rebase"), (file: "MERGE_HEAD", name: "merge"),
    (file: "CHERRY_PICK_HEAD", name: "cherry-pick"), (file: "REVERT_HEAD", name: "revert"),
  ]
  /// What a revert brings in is the commit before the one that it takes back.
  private static let headFiles = [
    (file: "MERGE_HEAD", head: "MERGE_HEAD"), (file: "REBASE_HEAD", head: "REBASE_HEAD"),
    (file: "CHERRY_PICK_HEAD", head: "CHERRY_PICK_HEAD"), (file: "REVERT_HEAD", head: "REVERT_HEAD^"),
  ]

  /// Nil where git has nothing under way, or there is no git.
  package init?(_ git: Git) {
    guard let folder = git.lines(["rev-parse", "--absolute-git-dir"]).first, folder.hasPrefix("/") else { return nil }
    name = Self.traces.first { System.kind(of: folder + "/" + $0.file) != nil }?.name
    // One that leads nowhere, such as the parent of the first commit, would make git refuse all that is asked with it.
    heads =
      name == nil
      ? []
      : Self.headFiles.filter { System.kind(of: folder + "/" + $0.file) != nil }
        .flatMap { Self.several(in: folder + "/" + $0.file) ?? [$0.head] }
        .filter { git.output(["rev-parse", "--verify", "--quiet", "\($0)^{commit}"]) != nil }
    unmerged = git.parts(["ls-files", "--unmerged", "-z"], limit: 1 << 26).compactMap(GitStage.init)
    guard name != nil || !unmerged.isEmpty else { return nil }
  }

  /// The commits in a file of git's where it holds more than one, as after a merge of three; nil for one alone.
  private static func several(in file: String) -> [String]? {
    let text = (try? TextInput.file(file, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let lines = text.split(separator: "\n").filter { $0.allSatisfy(\.isHexDigit) }
    return lines.count > 1 ? lines.map(String.init) : nil
  }

  /// The unmerged files, each once, sorted.
  var unmergedFiles: [String] { Set(unmerged.map(\.path)).sorted() }

  /// `a merge is under way: 2 files wait for a choice, such as trash/ab/….json`
  package var line: String {
    let files = unmergedFiles
    let begun = name.map { "a \($0) is under way" } ?? "files are left unmerged"
    guard let first = files.first else { return "\(begun), and no file of the vault waits for a choice" }
    return
      "\(begun): \(files.count == 1 ? "\(first) waits" : "\(files.count) files, such as \(first), wait") for a choice"
  }

  /// What finishes it once nothing is left unmerged.
  package var ending: String {
    switch name {
    case "merge": "`git commit` finishes it"
    case let name?: "`git \(name) --continue` finishes it"
    case nil: "`git stash drop` drops the stash, which git has kept"
    }
  }

  /// What to do next.
  package var advice: String {
    guard let first = unmergedFiles.first else { return "finish it with git before you go on" }
    return
      "`vault merge --continue` joins both sides; `git checkout --ours -- \(first.shellQuoted)`, or --theirs, takes one whole"
  }
}

/// One version of an unmerged file in git's index.
package struct GitStage {
  package let blob: String
  /// 1 for what both sides come from, 2 for ours, 3 for theirs.
  package let number: Int
  /// Below the vault's directory.
  package let path: String

  /// A line of `git ls-files --unmerged`: mode, blob and number, then a tab and the path.
  package init?(_ line: String) {
    guard let tab = line.firstIndex(of: "\t") else { return nil }
    let words = line[..<tab].split(separator: " ")
    guard words.count == 3, let number = Int(words[2]) else { return nil }
    (blob, self.number, path) = (String(words[1]), number, String(line[line.index(after: tab)...]))
  }
}
