import VaultKit
import VaultSealing
import VaultStorage
import VaultSystem
import VaultTerminal

/// The attachment files that merged records name.
///
/// git deletes a file that one side has removed and the other has not changed. If the other side's record is taken, it
/// still names that file. So the file is restored from git, into the work tree and the index.
struct MergedAttachments {
  /// A git blob at a path below the vault's folder.
  private struct File {
    let path: String
    let blob: String
  }

  private let git: Git
  private let folder: String
  private let commits: [String]

  init(_ git: Git, in folder: String, of commits: [String]) {
    (self.git, self.folder, self.commits) = (git, folder, commits)
  }

  /// Restores missing files that records name.
  func bringBack(for records: [[UInt8]]) throws {
    let missing = records.flatMap { NamedAttachments(in: $0).attachments }.filter { !isHere($0) }
    guard !missing.isEmpty else { return }
    let prefix = git.lines(["rev-parse", "--show-prefix"]).first ?? ""
    let files = try missing.map { try file(of: $0) }
    let lines = files.map { "100644 \($0.blob)\t\(prefix)\($0.path)\0" }.joined()
    guard git.asPerson(["update-index", "-z", "--add", "--index-info"], lines)?.code == 0 else { throw refused(files) }
    for file in files where git.output(["checkout-index", "--force", "--", file.path]) == nil { throw refused(files) }
    guard let lost = missing.first(where: { !isHere($0) }) else { return }
    throw Self.lost(lost)
  }

  private func isHere(_ attachment: Attachment) -> Bool {
    let path = System.join(folder, StoreLocation.attachment(attachment.id).relativePath)
    return System.status(of: path)?.byteCount == attachment.storedByteCount
  }

  private func file(of attachment: Attachment) throws -> File {
    let path = StoreLocation.attachment(attachment.id).relativePath
    for commit in commits {
      // `MODE blob HASH`, a tab and the path.
      let words = git.parts(["ls-tree", "-z", commit, "--", path]).first?.prefix { $0 != "\t" }.split(separator: " ")
      if let words, words.count == 3, words[1] == "blob" { return File(path: path, blob: String(words[2])) }
    }
    throw Self.lost(attachment)
  }

  private static func lost(_ attachment: Attachment) -> CommandError {
    CommandError(
      .damaged, "damaged", subject: StoreLocation.attachment(attachment.id).relativePath,
      "is named by a record that would be merged, but neither side has it",
      hints: ["take the other side of that record, or run `vault merge --abort`"])
  }

  private func refused(_ files: [File]) -> CommandError {
    CommandError(
      .inputOutput, "io_failed", subject: files.first?.path, "is an attachment that git could not bring back",
      hints: ["`vault merge --abort` undoes the merge"])
  }
}
