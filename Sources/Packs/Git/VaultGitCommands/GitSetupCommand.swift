import ArgumentParser
import VaultCLI
import VaultDocument
import VaultTerminal

extension GitCommand {
  /// `vault git setup`: sets up a clone to merge and show the vault.
  struct Setup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "setup",
      abstract: "Tell this clone to merge and show the vault by field.",
      discussion: """
        Adds lines to the vault's .gitattributes, which are to be committed, and settings to the configuration of this \
        clone, which each clone needs for itself. No path is written: git calls `vault` from the PATH, and its own text \
        merge where that is missing.

        With --hooks it also writes the hooks pre-commit, pre-push and post-merge, which check without a key what is \
        committed and pushed, as `vault git check` does. A hook that is there is never changed. Where `vault` is \
        missing they say so, and let git go on.

        With --commit each command that writes to the vault makes one commit of its own files, with a message of ids and \
        names of fields. Nothing is pushed. CVAULT_GIT=off switches it off, CVAULT_GIT=commit on.

        Example:
          vault git setup
        """)

    @Flag(help: "Also write hooks that check what is committed and pushed.")
    var hooks = false

    @Flag(help: "Also let each command commit what it writes, on this machine.")
    var commit = false

    @Flag(help: "Change nothing, and end with 14 when something is missing.")
    var check = false

    @Flag(help: "Take the lines and the settings out again.")
    var remove = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard !check || !remove else { throw CommandError.usage("--check", "cannot stand with --remove") }
      guard !hooks && !commit || !check && !remove else {
        throw CommandError.usage(hooks ? "--hooks" : "--commit", "cannot stand with --check or --remove")
      }
      let session = try Session(vault, global)
      if check { return try report(Self.required(session.location.path).missing().map(\.line)) }
      let setup = try Self.required(session.confirmingUse(.writing).location.path)
      if remove {
        for hook in try setup.remove() { global.messages.note("\(hook) still calls `vault git hook`: it is your own") }
        return try report([], "git merges and shows the vault as text again")
      }
      let added = try setup.apply(withHooks: hooks, withCommits: commit)
      for part in added { global.messages.detail("added \(part.line)") }
      try report([], added.isEmpty ? "it was set up already" : "added: \(Self.summary(of: added))")
      if added.contains(where: { $0.sort == .attribute }) {
        global.messages.note("commit .gitattributes; each other clone needs `vault git setup` once")
      }
      if !System.hasTool("vault") {
        global.messages.note("`vault` is not on the PATH: git merges as text until it is")
      }
    }

    /// How many of each sort.
    private static func summary(of added: [GitSetup.Part]) -> String {
      let sorts: [(GitSetup.Part.Sort, String, String)] = [
        (.attribute, "line of .gitattributes", "lines of .gitattributes"),
        (.setting, "setting of this clone", "settings of this clone"), (.hook, "hook", "hooks"),
      ]
      return sorts.compactMap { sort, one, many in
        let count = added.count { $0.sort == sort }
        return count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
      }.joined(separator: ", ")
    }

    private static func required(_ path: String) throws -> GitSetup {
      guard let setup = GitSetup(vault: path) else { throw CommandError.noGit(path) }
      return setup
    }

    private func report(_ missing: [String], _ note: String = "this clone lacks nothing") throws {
      if global.json {
        try Output.document(["missing": missing])
      } else {
        try Output.lines(missing.map(Printable.text))
      }
      guard missing.isEmpty else { throw Finished(status: .findings) }
      global.messages.note(note)
    }
  }
}
