import ArgumentParser
import VaultDocument
import VaultKit
import VaultPostgresStore
import VaultTerminal

extension StoreCommand {
  struct Sql: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sql",
      abstract: "Print the SQL statements that create the tables of a database.",
      discussion: """
        Example:
          vault store sql --roles ops | psql app

        The statements are for the administrator of the database; the command does not connect to it. With --roles it \
        prints five roles as well, none of which can log in until you allow it. PREFIX_reader and PREFIX_backup read. \
        PREFIX_writer also writes. PREFIX_depositor sees the header and adds deposits. PREFIX_owner owns the tables \
        and is not for daily use. With --row-security a role \
        sees only the vaults that the table `grants` gives it. --partitions is for new tables. --attachments prints what the tables of an earlier \
        version do not have: give the same --schema, --roles and --row-security again.
        """)

    @Option(help: ArgumentHelp("The schema of the tables, if it is not `vault`.", valueName: "name"))
    var schema: String?

    @Option(help: ArgumentHelp("Also create roles whose names begin with this.", valueName: "prefix"))
    var roles: String?

    @Flag(help: "Let the server keep vaults of different roles apart.")
    var rowSecurity = false

    @Option(help: ArgumentHelp("Divide the documents by their vault, for many vaults.", valueName: "count"))
    var partitions: Int?

    @Flag(help: "Only what tables of an earlier version lack.")
    var attachments = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      if let partitions, !(2...1024).contains(partitions) {
        throw CommandError.usage("--partitions", "must be from 2 to 1024")
      }
      if partitions != nil, attachments {
        throw CommandError.usage("--partitions", "is only for new tables, and --attachments for older ones")
      }
      let statements: [String]
      do throws(VaultError) {
        statements = try PostgresSchema.statements(
          inSchema: schema, roles: roles, rowSecurity: rowSecurity, partitions: partitions ?? 0,
          onlyAttachments: attachments)
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
