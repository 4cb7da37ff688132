/// Older versions of a vault's files, for example from version control. Callers must verify them.
package protocol FileHistory: Sendable {
  /// Gives the versions of a file to `body`, the newest first, until it returns false.
  ///
  /// - Parameter path: below the vault's directory.
  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool)

  /// The files below `records/` and `trash/` that the newest version of the vault holds, as paths below its directory.
  func newestFiles() -> [String]

  /// The versions of one record between which a merge left the choice to a person, ours first. Empty if no merge is
  /// under way. The origin of each version is the command that takes it.
  ///
  /// - Parameter paths: where the record may lie, below the vault's directory. A merge that takes a removal for a
  ///   renaming leaves both versions under one of them.
  func sides(of paths: [String]) -> [FileVersion]
}

extension FileHistory {
  package func sides(of paths: [String]) -> [FileVersion] { [] }
}

/// One older version of a file.
package struct FileVersion: Sendable {
  /// The whole content of the file.
  package let bytes: [UInt8]
  /// The origin in words: `git commit 1a2b3c4`.
  package let origin: String

  /// A version that somebody has at hand, verified or not.
  package init(_ bytes: [UInt8], origin: String) {
    self.bytes = bytes
    self.origin = origin
  }
}
