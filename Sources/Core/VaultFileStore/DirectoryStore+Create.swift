public import VaultStorage
package import VaultSystem

extension DirectoryStore {
  /// Makes the directories and files of an empty vault at `path` and opens it; the caller writes its `vault.json`.
  ///
  /// The directory may exist and hold other things, such as a git repository. Nothing there is overwritten, and missing
  /// lines are appended to its `.gitignore` and `.gitattributes`. The parent directory must exist.
  ///
  /// - Throws: `StoreError` `.alreadyExists` if there is a `vault.json`; `.missing`, `.notADirectory`, `.diskFull`,
  ///   `.permissionDenied`, `.readOnly`, `.symbolicLink`, `.ioFailed`.
  @discardableResult
  public static func create(at path: String) throws(StoreError) -> DirectoryStore {
    try PendingWrites.during { () throws(StoreError) in try create(at: path, operations: LiveFileOperations()) }
  }

  /// Like `create(at:)`, with other system calls.
  @discardableResult
  package static func create(
    at path: String, operations: any FileOperations
  ) throws(StoreError) -> DirectoryStore {
    let files = FileSystem(operations)
    let store = DirectoryStore(root: try makeRoot(at: path, files), path: path, files: files)
    guard try !store.hasHeader() else {
      throw StoreError(.alreadyExists, reason: "a vault already exists here", path: path)
    }
    for directory in [StoreDirectory.records, .slots, .trash, .staging] {
      try store.withMadeDirectory(directory) { _ in }
    }
    for (name, lines) in gitFiles { try store.appendMissing(lines, to: name) }
    // Otherwise a clone that attaches a file before it merges this line would get a conflict.
    try store.noteAttachmentsForGit()
    try store.noteInboxForGit()
    try files.sync(store.root.descriptor, at: path)
    return store
  }

  /// The name of a folder, such as `records`, with files of a vault that lost its `vault.json`; nil without such files.
  ///
  /// Hidden files do not count: they keep empty folders in git, or belong to the file manager.
  package static func remains(at path: String) -> String? {
    let files = FileSystem(LiveFileOperations())
    let header = "\(path)/\(StoreLocation.header.fileName)"
    let status = try? files.call(at: header) { (system) throws(Errno) in
      try system.status(of: header, in: OpenPurpose.noDirectory, followingLink: false)
    }
    guard (status ?? nil) == nil else { return nil }
    return [StoreDirectory.records, .slots, .trash, .attachments, .inbox].map(\.name)
      .first { files.holdsFile("\(path)/\($0)", depth: 2) }
  }

  /// The settings of git for a vault's files (format 1, section 3, Directory).
  private static let gitFiles = [
    (name: ".gitattributes", lines: ["*.json text eol=lf", "*.jsonl text eol=lf", "slots/*.age binary"]),
    (name: ".gitignore", lines: [".lock", ".staging/", ".journal.json"]),
  ]

  /// The additional setting for a vault with attachments: git neither merges them nor shows differences.
  private static let attachmentLine = "attachments/** binary"
  /// The additional setting for a vault with deposits.
  private static let inboxLine = "inbox/*.age binary"

  /// Adds git's setting for attachments before the first one exists.
  func noteAttachmentsForGit() throws(StoreError) {
    try appendMissing([Self.attachmentLine], to: Self.gitFiles[0].name)
  }

  /// Adds git's setting for deposits, for the same reason.
  func noteInboxForGit() throws(StoreError) {
    try appendMissing([Self.inboxLine], to: Self.gitFiles[0].name)
  }

  /// The lines that are missing in git's files of the vault, by file.
  ///
  /// - Throws: `StoreError`, like `read`.
  public func missingGitLines() throws(StoreError) -> [(name: String, lines: [String])] {
    var missing: [(name: String, lines: [String])] = []
    let optional =
      (try entries(of: .attachments).isEmpty ? [] : [Self.attachmentLine])
      + (try entries(of: .inbox).isEmpty ? [] : [Self.inboxLine])
    for (name, lines) in Self.gitFiles {
      let lines = lines + (name == Self.gitFiles[0].name ? optional : [])
      let absent = try missingLines(lines, in: gitFile(name))
      if !absent.isEmpty { missing.append((name, absent)) }
    }
    return missing
  }

  package static let gitFileNames = gitFiles.map(\.name)
  /// The largest size, in bytes, of a git file that is read.
  package static let gitFileByteLimit = 1 << 20

  /// The bytes of one of ``gitFileNames``; nil if it is missing.
  package func gitFile(_ name: String) throws(StoreError) -> [UInt8]? {
    try files.contents(of: name, in: root.descriptor, limit: Self.gitFileByteLimit, at: name)
  }

  private func missingLines(_ lines: [String], in text: [UInt8]?) -> [String] {
    let present = (text ?? []).split(separator: UInt8(ascii: "\n")).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    return lines.filter { line in !present.contains { $0.elementsEqual(line.utf8) } }
  }

  /// Makes the vault's own directory, durably, or opens an existing one.
  private static func makeRoot(at path: String, _ files: FileSystem) throws(StoreError) -> OpenFile {
    do throws(StoreError) {
      try files.call(at: path) { (system) throws(Errno) in
        try system.makeDirectory(path, in: OpenPurpose.noDirectory)
      }
    } catch {
      guard error.errno == Errno.exists.number else { throw error }
      return try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
    }
    let root = try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
    let parent = try files.open("..", in: root.descriptor, as: .directory, at: path)
    try files.sync(parent.descriptor, at: path)
    return root
  }

  private func hasHeader() throws(StoreError) -> Bool {
    let name = StoreLocation.header.fileName
    return try files.callIfPresent(at: name) { (system) throws(Errno) in
      try system.status(of: name, in: root.descriptor, followingLink: false)
    } != nil
  }

  /// Appends lines to a text file of the vault's directory and keeps its content.
  private func appendMissing(_ lines: [String], to name: String) throws(StoreError) {
    let old = try gitFile(name)
    let missing = missingLines(lines, in: old)
    guard !missing.isEmpty else { return }
    var text = old ?? []
    if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
    for line in missing { text += Array((line + "\n").utf8) }
    try replace(name, in: .root, path: name, from: old, to: text)
  }
}

extension FileSystem {
  /// Whether a folder, down to a depth, holds a file that is not hidden.
  fileprivate func holdsFile(_ path: String, depth: Int) -> Bool {
    guard let folder = try? open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path) else { return false }
    let descriptor = folder.descriptor
    let entries = try? call(at: path) { (system) throws(Errno) in try system.entries(of: descriptor) }
    return (entries ?? []).contains { entry in
      guard !entry.name.hasPrefix(".") else { return false }
      guard entry.kind == .directory else { return true }
      return depth > 1 && holdsFile("\(path)/\(entry.name)", depth: depth - 1)
    }
  }
}
