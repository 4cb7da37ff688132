import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// git in a folder. Only this type starts git. The repository may be hostile.
///
/// Only plumbing is called, which runs no hook, pager, filter or text conversion. Nothing is fetched or locked, and no
/// configured program runs, unless the user has set up merging here and a file is added to the index.
package struct Git {
  private static let caution = [
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "protocol.allow=never",
  ]
  private static let withoutHooks = ["-c", "core.hooksPath=/dev/null"]
  /// An old git without `GIT_NO_LAZY_FETCH` would fetch missing objects. A repository can override the default
  /// `protocol.allow` above, so every protocol is forbidden as well.
  private static let variables = [
    "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
  ]
  /// The variables that tell a hook where the repository is.
  private static let ofRepository = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_LITERAL_PATHSPECS",
  ]
  /// The variables that show a server a push before it is accepted (git-receive-pack(1)).
  private static let ofQuarantine = ["GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
  private let directory: String
  private let environment: [String]

  /// - Parameter inHook: whether the variables of a hook count. `git commit -a` and `git commit FILE` have an index of
  ///   their own, which becomes the next commit. A push has objects of its own until it is accepted.
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

  /// The same git without bare repositories inside the work tree, because a commit can contain files that look like
  /// one.
  func withoutBareRepositories() -> Git {
    let config = ["GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"]
    return Git(at: directory, environment + config)
  }

  private init(at directory: String, _ environment: [String]) {
    (self.directory, self.environment) = (directory, environment)
  }

  /// The same git without configured filters, so that content is compared unchanged.
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

  /// The output; nil without a git, on failure, or if the output exceeds `limit` bytes.
  ///
  /// - Parameters:
  ///   - takesPatterns: for a command without an option that makes paths literal.
  ///   - namingHooks: for a command that only tells where hooks are.
  func output(
    _ arguments: [String], limit: Int = 1 << 20, takesPatterns: Bool = false, namingHooks: Bool = false
  ) -> [UInt8]? {
    System.outputOfTool(
      "git",
      words(
        (namingHooks ? [] : Self.withoutHooks) + (takesPatterns ? [] : ["--literal-pathspecs"]) + arguments),
      variables: environment, limit: limit)
  }

  /// Starts git for a series of questions.
  func asked(_ arguments: [String]) throws(SystemError) -> AskedTool {
    try AskedTool("git", words(Self.withoutHooks + arguments), variables: environment)
  }

  private func words(_ arguments: [String]) -> [String] { ["-C", directory] + Self.caution + arguments }

  /// Runs git as the user does, with configuration, environment, hooks and signatures, but without a terminal.
  ///
  /// Returns its exit code and its output; nil without a git.
  func asPerson(_ arguments: [String], _ input: String) -> (code: Int32, text: String)? {
    let bytes = Array(input.utf8)
    return try? unsafe System.answerOfTool(
      "git", arguments: personWords(arguments), value: bytes.span.bytes,
      variables: Self.asIn(System.variablesForTools()))
  }

  /// Runs git as the user does, without output. git continues if this process ends, so that it finishes its work.
  ///
  /// Returns its exit code; nil without a git.
  ///
  /// - Parameters:
  ///   - variables: further variables about the repository.
  ///   - callsUs: whether git starts this program, which then needs our variables. Hooks get them as well.
  func asPersonToTheEnd(_ arguments: [String], variables: [String] = [], callsUs: Bool = false) -> Int32? {
    let given = callsUs ? System.allVariables() : System.variablesForTools()
    return System.runTool("git", personWords(arguments), variables: Self.asIn(given) + variables)
  }

  private func personWords(_ arguments: [String]) -> [String] {
    ["-C", directory, "--no-pager", "--literal-pathspecs"] + arguments
  }

  private static func asIn(_ variables: [String]) -> [String] {
    variables.filter { variable in !ofRepository.contains { variable.hasPrefix($0 + "=") } }
  }

  static let unknownPerson = "git does not know who you are"

  static func reason(_ text: String, command: String, code: Int32) -> String {
    let lines = text.split(separator: "\n").map(String.init)
    if text.contains("Please tell me who you are") || text.contains("empty ident name") { return unknownPerson }
    let said = lines.first { $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ") } ?? lines.first { !$0.isEmpty }
    return "\(command) ended with exit status \(code)" + (said.map { ": \(Printable.cut($0))" } ?? "")
  }

  /// The output as lines; empty on failure.
  func lines(_ arguments: [String], limit: Int = 1 << 20, namingHooks: Bool = false) -> [String] {
    let text = String(decoding: output(arguments, limit: limit, namingHooks: namingHooks) ?? [], as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The output as parts that end with a NUL. Invalid UTF-8 is replaced, so that no name is lost.
  func parts(_ arguments: [String], limit: Int = 1 << 20) -> [String] {
    (output(arguments, limit: limit) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension CommandError {
  /// The error for a folder outside git.
  static func noGit(_ path: String) -> CommandError {
    guard !VaultPlace.isDatabase(path) else { return inDatabase(path) }
    guard let refusal = GitFolder.refusal(of: path) else {
      return CommandError(
        .inputOutput, "no_git", subject: path, "is not in a work tree of git", hints: ["`git init` makes a work tree"])
    }
    return CommandError(
      .inputOutput, "no_git", subject: path, "is in a work tree that cannot be read: \(refusal.reason)",
      hints: [refusal.hint])
  }

  /// The error for a database, because git keeps only files.
  static func inDatabase(_ address: String) -> CommandError {
    CommandError(
      .inputOutput, "no_git", subject: address, "is in a database, which has no commits",
      hints: ["`vault store copy` makes a folder of it, which you can keep in git"])
  }
}

enum GitFolder {
  static func holds(_ path: String) -> Bool { top(of: path) != nil }

  /// The real path of the work tree; nil for a folder outside.
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
  /// Why git cannot be asked about a folder in a work tree, and what to do; nil if it can, and outside any work tree.
  static func refusal(of path: String) -> (reason: String, hint: String)? {
    guard holds(path) else { return nil }
    guard System.hasTool("git") else { return ("git is not installed", "install git, or add it to the PATH") }
    let (git, words) = (Git(at: path), ["rev-parse", "--git-dir"])
    guard git.output(words) == nil else { return nil }
    let said = git.asPerson(words, "").map { Git.reason($0.text, command: "git rev-parse", code: $0.code) }
    return (said ?? "git does not run", "`git -C \(path.shellQuoted) status` shows what is wrong")
  }

  /// How git tracks a file, or would track a new one; nil if git ignores it.
  static func tracking(_ path: String) -> String? {
    let folder = System.parent(of: path)
    guard holds(folder) else { return nil }
    let (git, name) = (Git(at: folder), "./" + (path.split(separator: "/").last ?? ""))
    guard let place = git.lines(["rev-parse", "--is-inside-work-tree"]).first, !place.isEmpty else {
      return "is in a work tree of git that git cannot read"
    }
    // Nothing in `.git` is tracked.
    guard place == "true" else { return nil }
    if git.output(["ls-files", "--error-unmatch", "--", name]) != nil { return "is tracked by git" }
    let isIgnored = git.output(["check-ignore", "--quiet", "--", name], takesPatterns: true) != nil
    return isIgnored ? nil : "git would track this file"
  }
}

/// An operation of git in the work tree of a vault that waits for the user.
struct GitOperation {
  /// `merge`, `rebase`, `am`, `cherry-pick` or `revert`; nil if there are only unmerged files, as after
  /// `git stash pop`.
  let name: String?
  /// The git names of the merged commits, beside `HEAD`.
  let heads: [String]
  /// Versions of the vault's files that wait for a choice.
  let unmerged: [GitStage]

  private static let traces = [
    (file: "rebase-merge", name: "rebase"), (file: "rebase-apply/applying", name: "am"),
    (file: "rebase-apply", name: "rebase"), (file: "MERGE_HEAD", name: "merge"),
    (file: "CHERRY_PICK_HEAD", name: "cherry-pick"), (file: "REVERT_HEAD", name: "revert"),
  ]
  /// A revert merges the parent of the reverted commit.
  private static let headFiles = [
    (file: "MERGE_HEAD", head: "MERGE_HEAD"), (file: "REBASE_HEAD", head: "REBASE_HEAD"),
    (file: "CHERRY_PICK_HEAD", head: "CHERRY_PICK_HEAD"), (file: "REVERT_HEAD", head: "REVERT_HEAD^"),
  ]

  /// Nil if there is no operation, or no git.
  init?(_ git: Git) {
    guard let folder = git.lines(["rev-parse", "--absolute-git-dir"]).first, folder.hasPrefix("/") else { return nil }
    name = Self.traces.first { System.kind(of: folder + "/" + $0.file) != nil }?.name
    // A missing commit, such as the parent of the first commit, would make git refuse the whole command.
    heads =
      name == nil
      ? []
      : Self.headFiles.filter { System.kind(of: folder + "/" + $0.file) != nil }
        .flatMap { Self.several(in: folder + "/" + $0.file) ?? [$0.head] }
        .filter { git.output(["rev-parse", "--verify", "--quiet", "\($0)^{commit}"]) != nil }
    unmerged = git.parts(["ls-files", "--unmerged", "-z"], limit: 1 << 26).compactMap(GitStage.init)
    guard name != nil || !unmerged.isEmpty else { return nil }
  }

  /// The commits in a git file with more than one, as in a merge of three; nil for a single commit.
  private static func several(in file: String) -> [String]? {
    let text = (try? TextInput.file(file, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let lines = text.split(separator: "\n").filter { $0.allSatisfy(\.isHexDigit) }
    return lines.count > 1 ? lines.map(String.init) : nil
  }

  /// The unmerged files, each once, sorted.
  var unmergedFiles: [String] { Set(unmerged.map(\.path)).sorted() }

  /// Such as `a merge is under way: 2 files have conflicts, such as trash/ab/….json`.
  var line: String {
    let files = unmergedFiles
    let begun = name.map { ($0 == "am" ? "`git am`" : "a \($0)") + " is under way" } ?? "files are left unmerged"
    guard let first = files.first else { return "\(begun), and no file of the vault has conflicts" }
    return
      "\(begun): "
      + (files.count == 1 ? "\(first) has conflicts" : "\(files.count) files have conflicts, such as \(first)")
  }

  /// The command that finishes the operation after all files are merged.
  func ending(_ git: Git) -> String {
    switch name {
    case "merge": return "`git commit` finishes the merge"
    case let name?:
      // git refuses to go on with a commit in which nothing is left.
      let isEmpty = git.output(["diff-index", "--cached", "--quiet", "HEAD", "--"]) != nil
      return isEmpty
        ? "`git \(name) --skip` goes on: nothing of this commit is left to bring"
        : "`git \(name) --continue` finishes the \(name)"
    case nil: return "`git stash drop` drops the stash, which git has kept"
    }
  }

  var advice: String {
    guard let first = unmergedFiles.first else { return "finish it with git before you go on" }
    return
      "`vault merge --continue` joins both sides; in the folder of the vault, "
      + "`git checkout --ours -- \(first.shellQuoted)` (or --theirs) keeps one side"
  }
}

/// One version of an unmerged file in git's index.
struct GitStage {
  let blob: String
  /// 1 for the common ancestor, 2 for ours, 3 for theirs.
  let number: Int
  /// The path below the vault's folder.
  let path: String

  /// Parses a line of `git ls-files --unmerged`: mode, blob and number, then a tab and the path.
  init?(_ line: String) {
    guard let tab = line.firstIndex(of: "\t") else { return nil }
    let words = line[..<tab].split(separator: " ")
    guard words.count == 3, let number = Int(words[2]) else { return nil }
    (blob, self.number, path) = (String(words[1]), number, String(line[line.index(after: tab)...]))
  }
}

extension System {
  /// Runs a program of the PATH without a shell and without a terminal. Its input is empty and its output is dropped,
  /// so it can outlive this process.
  ///
  /// Returns its exit code, or 128 and the number of the signal that ended it; nil if there is no such program.
  ///
  /// - Parameter variables: the whole environment, as `NAME=VALUE`.
  fileprivate static func runTool(_ name: String, _ arguments: [String], variables: [String]) -> Int32? {
    let streams = ChildStreams(closesOthers: true, dropsOutput: true, isAlone: true)
    guard let process = try? spawn(name, [name] + arguments, variables: variables, streams: streams) else { return nil }
    return ChildProcess.end(of: process).shellStatus
  }
}
