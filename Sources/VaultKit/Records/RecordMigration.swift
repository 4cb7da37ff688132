internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// Records of an older schema in the form of the present one.
enum RecordMigration {
  /// As reading commands see it: what is to be sealed is, what is to be opened is not yet.
  ///
  /// A record that the steps do not fit is seen as it is; `migrate` says why.
  static func readable(_ record: VerifiedRecord, _ kind: RecordKind) -> JSONObject {
    guard record.envelope.schema < kind.schema else { return record.fields }
    return (try? members(record, kind, opening: false)) ?? record.fields
  }

  /// The same without a key: nothing is sealed or opened.
  static func readable(_ fields: JSONObject, _ schema: Int, _ kind: RecordKind) -> JSONObject {
    guard schema < kind.schema else { return fields }
    var migrator = Migrator(fields, seal: nil, open: nil)
    return (try? migrator.take(kind.steps(from: schema))) == nil ? fields : migrator.members
  }

  /// As its type reads it: with what is to be opened.
  static func typed(_ record: VerifiedRecord, _ kind: RecordKind) throws(RecordError) -> JSONObject {
    guard record.envelope.schema < kind.schema else { return record.fields }
    return try members(record, kind, opening: true)
  }

  private static func members(
    _ record: VerifiedRecord, _ kind: RecordKind, opening: Bool
  ) throws(RecordError) -> JSONObject {
    var migrator = Self.migrator(record, opening: opening, at: nil)
    try migrator.take(kind.steps(from: record.envelope.schema))
    return migrator.members
  }

  /// - Parameter time: when what becomes sealed is sealed; the clock's when nil.
  static func migrator(_ record: VerifiedRecord, opening: Bool, at time: Timestamp?) -> Migrator {
    let context = record.context(sealingAt: time)
    let seal = { (value: JSONValue) throws(RecordError) -> String in try RecordKind.token(of: value, in: context) }
    let open = { (token: String) throws(RecordError) -> JSONValue in
      .string(try inSealingOfRecord { () throws(SealingError) in try record.keys.reveal(token) })
    }
    return Migrator(record.fields, seal: seal, open: opening ? open : nil)
  }

  private static func inSealingOfRecord<Result>(
    _ step: () throws(SealingError) -> Result
  ) throws(RecordError) -> Result {
    do { return try step() } catch { throw RecordError(.sealing, error.reason, underlying: error) }
  }
}
