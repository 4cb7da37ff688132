import ArgumentParser

struct GitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Let git merge and show a vault by field.",
    discussion: """
      Example:
        vault git setup

      Run `vault git setup` once in each clone. From then on git calls this program for the files of the vault. \
      Merges, rebases, cherry-picks and stashes join records by field, and `git diff` shows no sealed value. \
      docs/git.md shows a session.
      """,
    subcommands: [Setup.self, Check.self, Hook.self, MergeDriver.self, Textconv.self])
}
