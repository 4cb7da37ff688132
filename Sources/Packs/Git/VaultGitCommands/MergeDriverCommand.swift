import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultStorage
import VaultSystem
import VaultTerminal

extension GitCommand {
  /// The merge driver for a file of a vault that both sides have changed (gitattributes(5)).
  struct MergeDriver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge-driver",
      abstract: "For git: merge three versions of a file into the second.",
      discussion: """
        Example:
          vault git merge-driver base.json ours.json theirs.json records/51/ID.json

        The command joins records field by field. If that is not possible, it leaves a text with the markers of git \
        that no program mistakes for a record. The command uses the key if that needs no question. The exit status is \
        0 if the file is merged, and 1 if there is a conflict. With any other exit status, the setting of `vault git \
        setup` makes git use its own markers.
        """)

    @Argument(help: "The common ancestor of both sides.")
    var base: String

    @Argument(help: "Our version, which is overwritten.")
    var ours: String

    @Argument(help: "Their version.")
    var theirs: String

    @Argument(help: "The path of the file in the work tree.")
    var path: String

    @Option(help: ArgumentHelp("The name of our side in the markers.", valueName: "text"))
    var oursLabel = "ours"

    @Option(help: ArgumentHelp("The name of their side in the markers.", valueName: "text"))
    var theirsLabel = "theirs"

    @Flag(help: "The versions are several common ancestors, which git joins first.")
    var ancestors = false

    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard let found = GitPlace(path) else {
        // The fallback in the configuration merges the file as text.
        throw CommandError.usage("PATH", "is not a file of a vault")
      }
      func version(_ file: String) throws -> StoredVersion {
        StoredVersion(try TextInput.file(file, limit: found.place.byteLimit))
      }
      let merge = FileMerge(
        place: found.place, base: try version(base), ours: try version(ours), theirs: try version(theirs),
        labels: ConflictLabels(ours: oursLabel, theirs: theirsLabel), areAncestors: ancestors)
      switch try await outcome(of: merge, in: found.folder) {
      case .merged(let bytes): try write(bytes)
      case .conflict(let conflicts, let text):
        try write(text)
        let name = merge.name.map { "\(path) (\($0))" } ?? path
        // git merges common ancestors itself. The following merge reports any remaining conflict.
        if ancestors { throw Finished(status: .failed) }
        for conflict in conflicts { Messages.print(Printable.text("vault: \(name): \(conflict.line)")) }
        var hints = Set(conflicts.compactMap(\.reason.advice)).sorted()
        if conflicts.contains(where: { $0.reason == .seen }), let id = merge.place.recordID {
          hints = Self.takingRecord(id, in: found.folder, global) + hints
        }
        for hint in hints { Messages.print("hint: " + hint) }
        throw Finished(status: .failed)
      }
    }

    /// The hint to accept a record on this machine, whatever version it has seen.
    private static func takingRecord(_ id: RecordID, in folder: String, _ global: GlobalOptions) -> [String] {
      let vault = VaultOptions.named(ProcessEnvironment.realPath(folder) ?? folder)
      let session = try? Session(vault, global, refusingOtherVaults: false)
      return Remedy.acceptRecords([id], fingerprint: try? session?.locked.fingerprint()).sentences
    }

    private func outcome(of merge: FileMerge, in folder: String) async throws -> MergeOutcome {
      var global = global
      global.noInput = true
      let path = ProcessEnvironment.realPath(folder) ?? folder
      let session = try? Session(VaultOptions.named(path), global, refusingOtherVaults: false)
      let keyless = merge.keyless(currentRoot: session?.locked.header.root.id)
      guard merge.isForKey(keyless), let session,
        let vault = await session.vaultForGit(unlocking, withRootKey: merge.place == .header)
      else {
        return keyless
      }
      var known = merge
      if let id = merge.place.recordID, !ancestors {
        let (git, places) = (Git(at: path), StoreLocation.places(of: id).map(\.relativePath))
        let objects = GitObjects(git)
        known.replayed = ReplayedBranch(git, objects)
        if let commit = SupersededVersions.mergedCommit {
          known.superseded = SupersededVersions(git, objects, theirs: commit, of: places)
            .superseded(merge.ours, merge.theirs, at: places)
        }
      }
      return try known.keyed(vault)
    }

    /// Writes the file of git. The file is briefly missing, and a crash at that moment leaves a conflict.
    private func write(_ bytes: [UInt8]) throws {
      System.remove(ours)
      try unsafe OutputFile.create(ours, bytes.span.bytes, isSynced: false)
    }
  }
}

extension Session {
  /// Unlocks a vault in a git work tree without a question; nil, with a note, without a key.
  ///
  /// The user has set up the clone, but has not named every vault that a branch may bring. So a nested vault is not
  /// opened, and no vault counts as named.
  func vaultForGit(_ unlocking: UnlockOptions, withRootKey: Bool) async -> Vault? {
    var session = self
    session.isNamed = session.pin.isNamed
    do {
      try session.pin.requireIdentity()
      return try await session.unlock(unlocking, withRootKey: withRootKey)
    } catch {
      let error = CommandError(any: error)
      messages.note("not unlocked: " + (error.subject.map { "\($0): " } ?? "") + error.reason)
      return nil
    }
  }
}
