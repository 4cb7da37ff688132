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
        Example:
          vault git setup

        The command adds lines to .gitattributes of the vault, which you commit, and settings to the configuration of \
        this clone. Each clone needs its own settings. No path is written: git calls `vault` from the PATH. If `vault` \
        is missing, git merges as text.

        With --hooks the command also writes the hooks pre-commit, pre-push and post-merge. They check without a key \
        what is committed and pushed, as `vault git check` does. An existing hook is never changed. If `vault` is \
        missing, the hooks say so and let git go on.

        With --commit each command that writes to the vault commits its own files. The message has ids and names of \
        fields. Nothing is pushed. CVAULT_GIT=off switches this off, and CVAULT_GIT=commit switches it on.
        """)

    @Flag(help: "Also write hooks that check what is committed and pushed.")
    var hooks = false

    @Flag(help: "Also let commands commit what they write, on this machine.")
    var commit = false

    @Flag(help: "Change nothing, and end with 14 if something is missing.")
    var check = false

    @Flag(help: "Remove the lines and the settings again.")
    var remove = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard !check || !remove else { throw CommandError.usage("--check", "cannot be combined with --remove") }
      guard !hooks && !commit || !check && !remove else {
        throw CommandError.usage(hooks ? "--hooks" : "--commit", "cannot be combined with --check or --remove")
      }
      let session = try Session(vault, global)
      if check { return try report(Self.required(session.location.path).missing().map(\.line)) }
      let setup = try Self.required(session.confirmingUse(.writing).location.path)
      if remove {
        for hook in try setup.remove() {
          global.messages.note("\(hook) is your own hook and still calls `vault git hook`")
        }
        return try report([], "git merges and shows the vault as text again")
      }
      let added = try setup.apply(withHooks: hooks, withCommits: commit)
      for part in added { global.messages.detail("added \(part.line)") }
      try report([], added.isEmpty ? "this clone was set up already" : "added: \(Self.summary(of: added))")
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

    private func report(_ missing: [String], _ note: String = "nothing is missing in this clone") throws {
      if global.json {
        try Output.document(["missing": missing])
      } else {
        try Output.lines(missing.map(Printable.text))
      }
      guard missing.isEmpty else {
        global.messages.note("run `vault git setup` to add what is missing")
        throw Finished(status: .findings)
      }
      global.messages.note(note)
    }
  }
}
