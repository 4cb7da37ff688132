import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// Lets git merge the files of a vault as text in its own process, without a driver, whatever the clone's setup.
///
/// Only `info/attributes`, which all work trees of a repository share, has precedence over committed attributes. So git
/// gets a temporary folder instead of the shared one: with links to its content, and with an `info/attributes` that has
/// our lines after those of the clone. Nothing is written to the repository, so nothing can be left there.
///
/// It works only for a merge that moves no branch, because packed branches would be written into this folder.
enum TextMerge {
  /// Runs git, and returns its exit code; nil if this way is impossible, or without a git.
  static func run(_ git: Git, _ words: [String]) -> Int32? {
    let places = git.lines([
      "rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir", "--show-toplevel",
      "--show-prefix",
    ])
    // A line feed in one of them makes another number of lines.
    guard places.count == 5, places[0..<3].allSatisfy({ $0.hasPrefix("/") }), let lines = lines(below: places[3]),
      let parent = ProcessEnvironment.realPath(ProcessEnvironment.temporaryDirectory),
      let folder = try? System.makeTemporaryDirectory(in: parent)
    else { return nil }
    defer { System.removeDirectory(folder) }
    guard fill(folder, from: places[1], lines) else { return nil }
    return git.asPersonToTheEnd(
      words, variables: ["GIT_DIR=" + places[0], "GIT_COMMON_DIR=" + folder, "GIT_WORK_TREE=" + places[2]])
  }

  private static func fill(_ folder: String, from shared: String, _ lines: String) -> Bool {
    let (info, own) = (System.join(shared, "info"), System.join(folder, "info"))
    do {
      try System.makeDirectory(own)
      for name in try System.entries(in: shared).map(\.name) where name != "info" {
        try System.link(System.join(folder, name), to: System.join(shared, name))
      }
      for name in System.names(in: info) where name != "attributes" {
        try System.link(System.join(own, name), to: System.join(info, name))
      }
      var attributes: [UInt8] = []
      let theirs = System.join(info, "attributes")
      if System.kind(of: theirs) != nil { attributes = try TextInput.file(theirs, limit: 1 << 20) + [0x0A] }
      attributes += lines.utf8
      try unsafe OutputFile.create(System.join(own, "attributes"), attributes.span.bytes, isSynced: false)
      return true
    } catch {
      return false
    }
  }

  /// The attribute lines for the files of a vault below the work tree; nil if they cannot be written down.
  static func lines(below prefix: String) -> String? {
    guard !prefix.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0xFFFD }) else {
      return nil
    }
    // The first escape is for the pattern, the second for the quotes around it.
    let pattern = prefix.map { "\\*?[".contains($0) ? "\\\($0)" : String($0) }.joined()
    let quoted = pattern.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined()
    return GitSetup.files.map { "\"/\(quoted)\($0)\" merge\n" }.joined()
  }
}
