import ArgumentParser
import VaultDocument
import VaultKit
import VaultPostgresStore
import VaultTerminal

extension StoreCommand {
  struct Sql: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sql",
      abstract: "Print the statements that make the tables of a database.",
      discussion: """
        For whoever administers it; nothing is connected with. With --roles four roles are made as well, none of which \
        may log in before somebody lets it: PREFIX_reader reads, PREFIX_writer also writes, PREFIX_backup reads, and \
        PREFIX_owner owns the tables and is used by nobody daily. With --row-security a role sees the vaults that the \
        table `grants` gives it. --attachments prints what tables of an earlier version lack: say the same --schema, \
        --roles and --row-security again.

        Example:
          vault store sql --roles ops | psql app
        """)

    @Option(help: ArgumentHelp("The schema of the tables, where it is not `vault`.", valueName: "name"))
    var schema: String?

    @Option(help: ArgumentHelp("Make roles whose names begin so, too.", valueName: "prefix"))
    var roles: String?

    @Flag(help: "Let the server itself keep vaults of different roles apart.")
    var rowSecurity = false

    @Flag(help: "Only the table of attachments, which tables of an earlier version lack.")
    var attachments = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let statements: [String]
      do throws(VaultError) {
        statements = try PostgresSchema.statements(
          inSchema: schema, roles: roles, rowSecurity: rowSecurity, onlyAttachments: attachments)
      } catch {
        throw CommandError(error).about(schema == nil ? "--roles" : roles == nil ? "--schema" : "--schema, --roles")
      }
      guard !global.json else {
        return try Output.document(["statements": statements])
      }
      try Output.lines(statements.map { $0 + ";" })
    }
  }
}
