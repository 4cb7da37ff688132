internal import VaultDocument
internal import VaultStorage

/// The tables in one schema of a database, and the statements that make them.
///
/// They use only features that PostgreSQL and compatible systems share: no advisory locks, notifications, session
/// settings, named statements, temporary tables, sequences or triggers.
package struct PostgresSchema: Sendable {
  /// The layout of the tables that this program writes and reads.
  static let layout = 1
  /// The most bytes in one row.
  static let partByteCount = 1 << 20

  let vaults: String
  let locks: String
  let documents: String
  let staged: String
  let folders: String
  let attachments: String
  let deposits: String
  /// A view of the headers alone, for roles that may only deposit.
  let headers: String
  private let name: String

  /// - Precondition: the name is valid in an address.
  package init(_ name: String = "vault") {
    precondition(PostgresAddress.isPlainName(name), "a schema of another name would need quoting")
    self.name = name
    vaults = "\(name).vaults"
    locks = "\(name).locks"
    documents = "\(name).documents"
    staged = "\(name).staged"
    folders = "\(name).folders"
    attachments = "\(name).attachments"
    deposits = "\(name).deposits"
    headers = "\(name).headers"
  }

  /// The statements that make missing tables.
  package var creation: [String] { creation(partitions: 0) }

  /// - Parameter count: into how many partitions the server divides the documents by their vault; 0 for none.
  func creation(partitions count: Int) -> [String] {
    [
      "CREATE SCHEMA IF NOT EXISTS \(name)",
      """
      CREATE TABLE IF NOT EXISTS \(vaults) (
        vault uuid PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, layout int NOT NULL, live bigint NOT NULL,
        generation bigint NOT NULL, fence bigint NOT NULL, holder text)
      """,
      """
      CREATE TABLE IF NOT EXISTS \(locks) (
        vault uuid NOT NULL, gate smallint NOT NULL, PRIMARY KEY (vault, gate))
      """,
      """
      CREATE TABLE IF NOT EXISTS \(documents) (
        vault uuid NOT NULL, live bigint NOT NULL, place smallint NOT NULL, id uuid NOT NULL, part int NOT NULL,
        changed bigint NOT NULL, size bigint NOT NULL, bytes bytea NOT NULL,
        CHECK (octet_length(bytes) <= \(Self.partByteCount)), PRIMARY KEY (vault, live, place, id, part))
      """ + (count > 0 ? " PARTITION BY HASH (vault)" : ""),
      """
      CREATE TABLE IF NOT EXISTS \(staged) (
        vault uuid NOT NULL, batch uuid NOT NULL, live bigint NOT NULL, place smallint NOT NULL, id uuid NOT NULL,
        part int NOT NULL, old bytea, old_size bigint, new bytea, new_size bigint,
        PRIMARY KEY (vault, batch, place, id, part))
      """,
      // One row for each of at most 256 folders of live records, which tells the folders that a list must read again.
      """
      CREATE TABLE IF NOT EXISTS \(folders) (
        vault uuid NOT NULL, folder smallint NOT NULL, changed bigint NOT NULL, mark bigint NOT NULL,
        PRIMARY KEY (vault, folder))
      """,
      "ALTER TABLE \(documents) ALTER COLUMN bytes SET STORAGE EXTERNAL",
      "ALTER TABLE \(staged) ALTER COLUMN old SET STORAGE EXTERNAL, ALTER COLUMN new SET STORAGE EXTERNAL",
    ]
      + partitions(count).enumerated().map { index, partition in
        "CREATE TABLE IF NOT EXISTS \(partition) PARTITION OF \(documents) FOR VALUES WITH (MODULUS \(count), REMAINDER \(index))"
      } + attachmentCreation + depositCreation
  }

  private func partitions(_ count: Int) -> [String] { (0..<count).map { "\(documents)_\($0)" } }

  /// The statements that make the table of deposits and the view of headers, which the tables of an earlier program
  /// lack.
  var depositCreation: [String] {
    [
      """
      CREATE TABLE IF NOT EXISTS \(deposits) (
        vault uuid NOT NULL, id uuid NOT NULL, bytes bytea NOT NULL,
        CHECK (octet_length(bytes) <= \(StoreLocation.inbox(.random()).byteLimit)), PRIMARY KEY (vault, id))
      """,
      "ALTER TABLE \(deposits) ALTER COLUMN bytes SET STORAGE EXTERNAL", headerView(),
    ]
  }

  /// The barrier keeps functions of the depositor from rows that the view does not show (PostgreSQL manual, "Rules and
  /// Privileges").
  ///
  /// - Parameter condition: a further condition for a row; nil for none.
  private func headerView(_ condition: String? = nil) -> String {
    """
    CREATE OR REPLACE VIEW \(headers) WITH (security_barrier) AS SELECT d.vault, d.id, d.part, d.size, d.bytes FROM \(documents) AS d
      WHERE d.place = \(StoreLocation.Place.header) AND d.live = 0\(condition.map { " AND d.\($0)" } ?? "")
    """
  }

  /// The statements that make the table of attachments, which the tables of an earlier program lack.
  var attachmentCreation: [String] {
    [
      """
      CREATE TABLE IF NOT EXISTS \(attachments) (
        vault uuid NOT NULL, id uuid NOT NULL, part int NOT NULL, bytes bytea NOT NULL,
        CHECK (part >= 0), CHECK (octet_length(bytes) <= \(Self.partByteCount)), PRIMARY KEY (vault, id, part))
      """,
      "ALTER TABLE \(attachments) ALTER COLUMN bytes SET STORAGE EXTERNAL",
    ]
  }

  /// The statements that make five roles and grant their rights.
  ///
  /// - Parameter count: the number of partitions, which the owner gets as well.
  /// - Precondition: the prefix is a plain name, like that of a schema.
  package func roles(prefix: String, partitions count: Int = 0) -> [String] {
    precondition(PostgresAddress.isPlainName(prefix), "a role of another name would need quoting")
    let tables = [vaults, locks, documents, staged, folders]
    let all = tables.joined(separator: ", ")
    let (reader, writer, backup, owner) = Self.roles(prefix)
    return [reader, writer, backup, owner].map { "CREATE ROLE \($0)" } + [
      "GRANT USAGE ON SCHEMA \(name) TO \(reader), \(writer), \(backup)",
      "GRANT SELECT ON \(all) TO \(reader), \(backup), \(writer)",
      "GRANT UPDATE (gate) ON \(locks) TO \(writer)",
      "GRANT UPDATE (generation, live, fence, holder) ON \(vaults) TO \(writer)",
      "GRANT INSERT, UPDATE, DELETE ON \(documents), \(staged) TO \(writer)",
      "GRANT INSERT, UPDATE ON \(folders) TO \(writer)",
      "GRANT USAGE, CREATE ON SCHEMA \(name) TO \(owner)",
    ] + (tables + partitions(count)).map { "ALTER TABLE \($0) OWNER TO \(owner)" } + attachmentRights(of: prefix)
      + ["CREATE ROLE \(prefix)_depositor"] + depositRights(of: prefix)
  }

  /// A depositor sees the header and adds rows to one table, and nothing else.
  private func depositRights(of prefix: String) -> [String] {
    let (reader, writer, backup, owner) = Self.roles(prefix)
    let depositor = "\(prefix)_depositor"
    return [
      "GRANT SELECT ON \(deposits) TO \(reader), \(backup), \(writer)",
      "GRANT INSERT, DELETE ON \(deposits) TO \(writer)", "GRANT USAGE ON SCHEMA \(name) TO \(depositor)",
      "GRANT SELECT (vault, name, layout) ON \(vaults) TO \(depositor)",
      "GRANT SELECT ON \(headers) TO \(depositor)", "GRANT INSERT ON \(deposits) TO \(depositor)",
      "ALTER TABLE \(deposits) OWNER TO \(owner)", "ALTER VIEW \(headers) OWNER TO \(owner)",
    ]
  }

  private static func roles(_ prefix: String) -> (reader: String, writer: String, backup: String, owner: String) {
    ("\(prefix)_reader", "\(prefix)_writer", "\(prefix)_backup", "\(prefix)_owner")
  }

  private func attachmentRights(of prefix: String) -> [String] {
    let (reader, writer, backup, owner) = Self.roles(prefix)
    return [
      "GRANT SELECT ON \(attachments) TO \(reader), \(backup), \(writer)",
      "GRANT INSERT, DELETE ON \(attachments) TO \(writer)", "ALTER TABLE \(attachments) OWNER TO \(owner)",
    ]
  }

  /// The statements that add the tables of attachments and of deposits to the tables of an earlier program, with the
  /// rights of its roles.
  ///
  /// - Parameters:
  ///   - prefix: of those roles; nil if there are no roles.
  ///   - isWithRowSecurity: whether the other tables separate vaults by row.
  /// - Precondition: like ``roles(prefix:)``.
  func addedAttachments(roles prefix: String?, rowSecurity isWithRowSecurity: Bool) -> [String] {
    precondition(prefix.map(PostgresAddress.isPlainName) ?? true, "a role of another name would need quoting")
    let rights = prefix.map { prefix in
      attachmentRights(of: prefix) + ["CREATE ROLE \(prefix)_depositor"] + depositRights(of: prefix)
    }
    let apart = [attachments, deposits].flatMap { policy(on: $0, grantedRows) } + [headerView(grantedRows)]
    return attachmentCreation + depositCreation + (rights ?? []) + (isWithRowSecurity ? apart : [])
  }

  /// The statements that let the server itself control which role may see which vault: those that `grants` names for
  /// the role that is logged in.
  ///
  /// - Parameter prefix: of the roles that may read `grants`, and of its owner; nil for all roles, and the creator as
  ///   owner.
  package func rowSecurity(roles prefix: String?) -> [String] {
    let readers =
      prefix.map { prefix in ["reader", "writer", "backup", "depositor"].map { "\(prefix)_\($0)" } }
      ?? ["PUBLIC"]
    return [
      "CREATE TABLE IF NOT EXISTS \(grants) (role name NOT NULL, vault uuid NOT NULL, PRIMARY KEY (role, vault))",
      "GRANT SELECT ON \(grants) TO \(readers.joined(separator: ", "))",
    ] + (prefix.map { ["ALTER TABLE \(grants) OWNER TO \($0)_owner"] } ?? [])
      + [vaults, locks, documents, staged, folders, attachments, deposits].flatMap { policy(on: $0, grantedRows) }
      + [headerView(grantedRows)]
      + policy(on: grants, "role = current_user")
  }

  private var grants: String { "\(name).grants" }

  private var grantedRows: String {
    "vault = ANY (SELECT g.vault FROM \(grants) AS g WHERE g.role = current_user)"
  }

  private func policy(on table: String, _ condition: String) -> [String] {
    ["ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY", "CREATE POLICY granted ON \(table) USING (\(condition))"]
  }

  /// Whether a text can be the name of a schema, or the prefix of roles.
  package static func isName(_ text: String) -> Bool { PostgresAddress.isPlainName(text) }
}

extension StoreLocation {
  /// The kinds of place in the column `place`.
  enum Place {
    static let header: Int16 = 0
    static let checkpoint: Int16 = 1
    static let slot: Int16 = 2
    static let record: Int16 = 3
    static let trash: Int16 = 4
    /// Used by no row, because attachments have their own table.
    static let attachment: Int16 = 5
    /// Used by no row, because deposits have their own table.
    static let inbox: Int16 = 6
  }

  /// The id of documents that exist only once.
  private static let noID = Identifier(bytes: [UInt8](repeating: 0, count: Identifier.byteCount))

  var place: Int16 {
    switch self {
    case .header: Place.header
    case .checkpoint: Place.checkpoint
    case .slot: Place.slot
    case .record: Place.record
    case .trash: Place.trash
    case .attachment: Place.attachment
    case .inbox: Place.inbox
    }
  }

  var id: Identifier {
    switch self {
    case .header, .checkpoint: Self.noID
    case .slot(let id), .record(let id), .trash(let id), .attachment(let id), .inbox(let id): id
    }
  }

  /// Nil for a number that is not a kind of place.
  init?(place: Int16, id: Identifier) {
    switch place {
    case Place.header: self = .header
    case Place.checkpoint: self = .checkpoint
    case Place.slot: self = .slot(id)
    case Place.record: self = .record(id)
    case Place.trash: self = .trash(id)
    default: return nil
    }
  }
}
