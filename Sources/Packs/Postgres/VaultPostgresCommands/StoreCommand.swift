import ArgumentParser

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Keep a vault in a database, check it there, and copy it.",
    discussion: """
      Example:
        vault store copy my-vault 'postgresql://db.example/app?vault=ops'

      A vault is in a folder, or in a database that speaks PostgreSQL's protocol. docs/postgresql.md describes the \
      address of a database. All other commands are the same for both. The commands of this group need no key.
      """,
    subcommands: [Sql.self, Check.self, Copy.self])
}
