import ArgumentParser

struct GitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Let git merge and show a vault by field.",
    discussion: """
      `vault git setup`, once in each clone, tells git to call this program for the files of the vault; docs/git.md has \
      a session. Merges, rebases, cherry-picks and stashes then join records by field, and `git diff` shows no sealed value.

      Example:
        vault git setup
      """,
    subcommands: [Setup.self, Check.self, Hook.self, MergeDriver.self, Textconv.self])
}
