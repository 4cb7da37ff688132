import ArgumentParser

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Keep a vault in a database, look after it there, and copy it.",
    discussion: """
      A vault lies in a folder, or in a database that speaks PostgreSQL's protocol; docs/postgresql.md has the address. \
      The commands are the same for both. None of these takes a key.

      Example:
        vault store copy my-vault 'postgresql://db.example/app?vault=ops'
      """,
    subcommands: [Sql.self, Check.self, Copy.self])
}
