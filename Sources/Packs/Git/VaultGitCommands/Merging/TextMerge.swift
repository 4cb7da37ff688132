import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// Has git merge the files of a vault as text in its own process: no driver is started, whatever a clone is set up to.
///
/// Only `info/attributes`, which all work trees of a repository share, is above what a commit brings along. So git is
/// shown another folder in the place of the shared one: links to all that is in it, and that one file, in which our
/// lines stand after those of the clone. Nothing of this lies in the repository, so nothing of it can stay there.
///
/// It is for a merge that moves no branch: packing branches would write into this folder, not through a link.
enum TextMerge {
  /// Runs git so.
  ///
  /// - Returns: how it ended; nil where it cannot be told so, or there is none.
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

  /// What says so of the files of a vault in a folder below the work tree's; nil where that cannot be written down.
  static func lines(below prefix: String) -> String? {
    guard !prefix.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0xFFFD }) else {
      return nil
    }
    // First for a pattern, in which a character is itself behind a backslash, then for the quotes around it.
    let pattern = prefix.map { "\\*?[".contains($0) ? "\\\($0)" : String($0) }.joined()
    let quoted = pattern.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined()
    return GitSetup.files.map { "\"/\(quoted)\($0)\" merge\n" }.joined()
  }
}
