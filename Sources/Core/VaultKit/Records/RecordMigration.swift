package import VaultDocument
package import VaultRecords
package import VaultSealing

/// Records of an older schema in the form of the present one.
package enum RecordMigration {
  /// The form for reading commands: values to be sealed are sealed, but values to be opened are not opened yet.
  ///
  /// - Returns: nil if the steps do not fit the record. It is then shown as it is; ``Vault/migrationPlan()`` says why.
  static func readable(_ record: VerifiedRecord, _ kind: RecordKind) -> JSONObject? {
    guard record.envelope.schema < kind.schema else { return record.fields }
    return try? members(record, kind, opening: false)
  }

  /// The form without a key: nothing is sealed or opened.
  static func readable(_ fields: JSONObject, schema: Int, kind: RecordKind) -> JSONObject {
    guard schema < kind.schema else { return fields }
    var migrator = Migrator(fields)
    return (try? migrator.take(kind.steps(from: schema))) == nil ? fields : migrator.members
  }

  /// The form that its type decodes, in which values to be opened are opened.
  static func typed(_ record: VerifiedRecord, _ kind: RecordKind) throws(RecordError) -> JSONObject {
    guard record.envelope.schema < kind.schema else { return record.fields }
    return try members(record, kind, opening: true)
  }

  /// Runs the steps of the kind. An error means that they do not fit the record, or leave a value in clear that must
  /// be sealed.
  private static func members(
    _ record: VerifiedRecord, _ kind: RecordKind, opening: Bool
  ) throws(RecordError) -> JSONObject {
    var migrator = Self.migrator(record, opening: opening, at: nil)
    let steps = kind.steps(from: record.envelope.schema)
    try migrator.take(steps)
    // Declared steps cannot do that.
    if steps.contains(where: { if case .compute = $0 { true } else { false } }),
      let path = kind.clearTextPath(in: migrator.members)
    {
      throw RecordError(.sealing, "is readable after a step, but must be sealed", path: path.description)
    }
    return migrator.members
  }

  /// - Parameter time: the time of new seals; nil means the clock's.
  package static func migrator(_ record: VerifiedRecord, opening: Bool, at time: Timestamp?) -> Migrator {
    let context = record.context(sealingAt: time)
    let seal = { (value: JSONValue) throws(RecordError) -> String in try RecordKind.token(of: value, in: context) }
    let reveal = { (token: String) throws(RecordError) -> String in
      try inSealingOfRecord { () throws(SealingError) in try record.keys.reveal(token) }
    }
    return Migrator(record.fields, seal: seal, reveal: reveal, opening: opening)
  }

  private static func inSealingOfRecord<Result>(
    _ step: () throws(SealingError) -> Result
  ) throws(RecordError) -> Result {
    do { return try step() } catch { throw RecordError(.sealing, error.reason, underlying: error) }
  }
}
