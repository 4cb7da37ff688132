import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// A merge in the work tree of a vault: the conditions before it begins, and the state that git keeps.
struct MergeRun {
  let session: Session
  let git: Git
  /// Nil if git waits for nothing.
  let state: GitMergeState?
  /// The sides before the merge.
  let sides: GitSides?
  /// The text of a header with both sides in it, which was replaced by our header to read the vault.
  private var conflicted: [UInt8]?

  private init(_ session: Session, _ git: Git, state: GitMergeState? = nil, sides: GitSides? = nil) {
    (self.session, self.git, self.state, self.sides) = (session, git, state, sides)
  }

  /// The command that finishes the operation, as the index is now; nil without an operation.
  var ending: String? { state?.stopped?.ending ?? GitOperation(git)?.ending(git) }

  var joinsHeaders: Bool { sides?.changedOnBoth(.header) ?? true }

  // MARK: - A commit

  /// Refuses a merge whose conditions are not met.
  static func beginning(
    _ commit: String, vault: VaultOptions, global: GlobalOptions, dryRun: Bool
  ) throws -> MergeRun {
    let session = try Session(vault, global).confirmingUse(dryRun ? .reading : .writing)
    let (path, git) = (session.location.path, Git(at: session.location.path))
    guard git.lines(["rev-parse", "--is-inside-work-tree"]).first == "true" else { throw CommandError.noGit(path) }
    func refused(_ code: String, _ subject: String, _ reason: String, _ hints: String...) -> CommandError {
      CommandError(.findings, code, subject: subject, reason, hints: hints)
    }
    if let operation = GitOperation(git) {
      throw refused(
        "merge_under_way", path, operation.line, "`vault merge --continue` goes on, `vault merge --abort` aborts it")
    }
    guard GitChanges.areCommitted(git) else {
      throw refused("not_committed", path, "has changes that are not committed", "commit them first, or `git stash`")
    }
    guard !commit.hasPrefix("-"),
      git.output(["rev-parse", "--verify", "--quiet", commit + "^{commit}"]) != nil
    else {
      throw CommandError(
        .notFound, "no_such_commit", subject: commit, "is not a commit in this clone",
        hints: ["`git fetch` brings new commits"])
    }
    let place = commit + ":./" + StoreLocation.header.relativePath
    guard let bytes = git.output(["cat-file", "blob", place], limit: StoreLocation.header.byteLimit),
      let header = try? VaultHeader(parsing: bytes)
    else { throw CommandError(.noVault, "not_a_vault", subject: commit, "has no vault at this path") }
    guard header.vaultID == session.locked.header.vaultID else {
      throw CommandError(.unexpectedVault, "unexpected_vault", subject: commit, "has another vault at this path")
    }
    for (name, header) in [(path, session.locked.header), (commit, header)] where header.unfinishedRotation != nil {
      throw refused(
        "rotation_unfinished", name, "has an unfinished rekey", "`vault rekey` there finishes the rekey")
    }
    if let apart = RotatedApart(ours: session.locked.header, theirs: header, commit, git) { throw apart.error }
    return MergeRun(session, git, sides: GitSides(ours: "HEAD", theirs: commit, git))
  }

  /// Lets git begin the merge. Files that both sides have changed get git's conflict markers, whatever the clone's
  /// setup, so that both sides are there after an interruption.
  ///
  /// Returns the operation to merge or to commit; nil for none.
  func begin(_ commit: String) throws -> GitOperation? {
    let head = git.lines(["rev-parse", "HEAD"])
    let words = ["merge", "--no-commit", "--no-edit", commit]
    var code = textMerge(words)
    var operation = GitOperation(git)
    if code != 0, operation == nil {
      let driver = "merge.vault.driver=git merge-file -L ours -L base -L theirs %A %O %B"
      // git calls this program only to merge several common ancestors.
      code = git.asPersonToTheEnd(Self.with(driver) + words, callsUs: sides == nil)
      operation = GitOperation(git)
    }
    if let operation { return operation }
    guard code == 0 else {
      throw CommandError(
        .inputOutput, "io_failed", subject: commit,
        "is not merged: git merge ended with exit status \(code ?? 127), and nothing was begun",
        hints: ["run `git merge --no-commit \(commit.shellQuoted)` to see why"])
    }
    let isSame = git.lines(["rev-parse", "HEAD"]) == head
    session.messages.note(
      isSame
        ? "this branch already contains \(commit)"
        : "only the other side had commits: this branch is now where theirs is")
    return nil
  }

  /// Merges without a process for each file. Nil if that is impossible, if nothing needs merging, or if git must
  /// first merge several common ancestors, which needs the driver.
  private func textMerge(_ words: [String]) -> Int32? {
    guard let sides, sides.haveParted else { return nil }
    return TextMerge.run(git, Self.with("gc.auto=0") + words)
  }

  /// git would treat a folder whose records were all removed as renamed to the trash.
  private static func with(_ setting: String) -> [String] { ["-c", "merge.directoryRenames=false", "-c", setting] }

  // MARK: - An operation of git

  /// The operation that git waits for. A header with both sides is replaced by ours until the merged one is written.
  ///
  /// - Parameter begun: the result of ``begin(_:)`` in another run; nil to find the present operation.
  static func continuing(
    _ vault: VaultOptions, _ global: GlobalOptions, dryRun: Bool,
    _ begun: (run: MergeRun, operation: GitOperation)? = nil
  ) throws -> MergeRun {
    let location = try VaultLocation.find(vault)
    let stopped = StoppedMerge(vault: location.path, begun: begun.map { ($0.operation, $0.run.sides) })
    let ours = dryRun ? nil : stopped?.versions(of: .header)?.ours.bytes
    let conflicted = try Self.putBack(ours, location: location, global: global)
    do {
      let session = try Session(vault, global).confirmingUse(dryRun ? .reading : .writing)
      var run = MergeRun(
        session, Git(at: location.path),
        state: stopped.map { .stopped($0) }
          ?? SettledRecords(in: location.path, session.locked.header).map { .settled($0) })
      run.conflicted = conflicted
      return run
    } catch {
      if let conflicted { try? Self.write(conflicted, in: location.path) }
      throw error
    }
  }

  private static func putBack(
    _ ours: [UInt8]?, location: VaultLocation, global: GlobalOptions
  ) throws -> [UInt8]? {
    let place = StoreLocation.header
    let path = System.join(location.path, place.relativePath)
    guard let ours, let found = try? TextInput.file(path, limit: 2 * place.byteLimit),
      (try? VaultHeader(parsing: found)) == nil
    else { return nil }
    // Write nothing to a vault that nobody has named, not even its own header.
    let memory = MemoryStore()
    try? memory.apply([StoreChange(.header, from: nil, to: ours)])
    guard let locked = try? LockedVault(store: memory) else { return nil }
    let isNamed = try location.isNamed(PinCheck(locked, StateLocation.state(global.messages)))
    guard isNamed else { return nil }
    try write(ours, in: location.path)
    return found
  }

  private static func write(_ bytes: [UInt8], in folder: String) throws {
    let file = try OutputFile.replacing(System.join(folder, StoreLocation.header.relativePath))
    try file.write(bytes)
    try file.commit()
  }

  /// Unlocks. If that fails, the header with both sides is restored.
  func openVault(_ options: UnlockOptions, to use: Session.Use, withRootKey: Bool) async throws -> Vault {
    do {
      return try await session.unlock(options, to: use, withRootKey: withRootKey)
    } catch {
      if let conflicted { try? Self.write(conflicted, in: session.location.path) }
      throw error
    }
  }

  /// The merged header, if git waits for it. A conflict is noted in the report.
  ///
  /// - Parameter adopts: whether to take our header if it has replaced their root key.
  func header(
    _ state: GitMergeState, vault: Vault, report: inout MergeReport, adopts: Bool
  ) throws -> [UInt8]? {
    guard let versions = state.stopped?.versions(of: .header) else { return nil }
    let file = StoreLocation.header.relativePath
    switch try versions.keyed(vault) {
    case .merged(let bytes):
      report.merged.append(file)
      return bytes
    case .conflict(let conflicts, _):
      if adopts, keepsOurs(versions) {
        report.merged.append(file)
        return versions.ours.bytes
      }
      if let conflicted { try Self.write(conflicted, in: session.location.path) }
      let headers = [versions.ours, versions.theirs].compactMap { try? VaultHeader(parsing: $0.bytes) }
      if headers.count == 2,
        let apart = RotatedApart(ours: headers[0], theirs: headers[1], state.theirCommit, git)
      {
        for hint in ["`vault merge --abort` aborts the merge; then"] + apart.hints { session.messages.note(hint) }
      }
      report.left.append((file, conflicts.map(\.line).joined(separator: "; ")))
      return nil
    }
  }

  /// Whether our header has replaced their root key. The user must repeat other changes of their header, because
  /// anybody with the old key could have made them.
  private func keepsOurs(_ versions: FileMerge) -> Bool {
    let headers = [versions.base, versions.ours, versions.theirs].map { try? VaultHeader(parsing: $0?.bytes ?? []) }
    guard let ours = headers[1], let theirs = headers[2], ours.replacedRoot(hint: theirs.root.id.bytes) != nil else {
      return false
    }
    let changes = headers[0].map { HeaderComparison(from: $0, to: theirs).notes } ?? []
    for change in changes { session.messages.note("not taken from the other side, whose vault.json \(change)") }
    return true
  }

  /// The merged checkpoint, if both are authentic: neither lists newer versions than the merged ones.
  ///
  /// - Parameter adopts: whether to take the authentic one if the other is from before a rotation.
  func checkpoint(
    _ state: GitMergeState, vault: Vault, report: inout MergeReport, adopts: Bool
  ) -> CheckpointMerge? {
    guard let versions = state.stopped?.versions(of: .checkpoint),
      let merge = vault.checkpointMerge(
        base: versions.base?.bytes ?? [], ours: versions.ours.bytes, theirs: versions.theirs.bytes, takesOne: adopts)
    else { return nil }
    report.merged.append(StoreLocation.checkpoint.relativePath)
    return merge
  }

  /// Writes the merged files, and tells git.
  func write(_ report: MergeReport, header: [UInt8]?, checkpoint: CheckpointMerge?, _ vault: Vault) async throws {
    let merged = report.mergedRecords
    // Nothing can be written while the header is unmerged.
    guard let state, !(merged.isEmpty && report.merged.isEmpty) else { return }
    // Attachment files first, records last.
    try MergedAttachments(git, in: session.location.path, of: ["HEAD", state.theirCommit])
      .bringBack(for: merged.compactMap(\.bytes))
    var places = try await vault.put(merged.map { Vault.MergedRecord($0.record.id, $0.bytes) })
    if let checkpoint {
      try await vault.put(checkpoint)
      places.filled.append(.checkpoint)
    }
    // The header comes last, because any reader remembers it and continues with it.
    if let header {
      try await vault.put(header: header, replacing: session.locked.headerBytes)
      places.filled.append(.header)
    }
    try git.add(places.filled, removing: places.emptied)
  }

  // MARK: - Back

  static func giveUp(_ vault: VaultOptions, _ global: GlobalOptions) throws {
    let location = try VaultLocation.find(vault)
    let git = Git(at: location.path)
    // A header with both sides does not belong to the remembered vault.
    if let session = try? Session(vault, global, refusingOtherVaults: false) { _ = try session.confirmingUse(.writing) }
    guard GitOperation(git)?.name == "merge" else {
      throw CommandError(
        .findings, "no_merge", subject: location.path, "git has no merge under way",
        hints: ["`git status` says what git waits for"])
    }
    guard git.output(["merge", "--abort"]) != nil, GitOperation(git) == nil else {
      throw CommandError(
        .inputOutput, "io_failed", subject: location.path, "git does not abort the merge",
        hints: ["run `git merge --abort` to see why"])
    }
    _ = try Session(vault, global, refusingOtherVaults: false)
  }
}
