public import VaultDocument
public import VaultKit
public import VaultRecords
internal import VaultSealing
internal import VaultStorage
public import VaultTrust

/// The effect of a migration on one record.
public struct RecordMigrationPlan: Sendable {
  /// The record, as in a list.
  public let summary: RecordSummary
  /// The schema of its file.
  public let from: Int
  /// The present schema of its kind.
  public let to: Int
  /// The steps that change something; a record may need only the new number.
  public let steps: [MigrationStep]
  /// Whether a readable member becomes sealed.
  public let seals: Bool
  let change: StoreChange
}

/// The effect of a migration on a vault.
public struct MigrationPlan: Sendable {
  /// The effect on each record of an older schema.
  public internal(set) var records: [RecordMigrationPlan] = []
  /// The errors of records that the steps do not fit.
  public internal(set) var faults: [VaultError] = []

  /// The members that become readable, which needs a confirmation.
  public var opened: Set<MemberPath> {
    Set(records.flatMap(\.steps).compactMap { if case .open(let path) = $0 { path } else { nil } })
  }

  /// Whether readable members become sealed.
  public var seals: Bool { records.contains(where: \.seals) }
}

extension Vault {
  /// The effect of ``migrate(opening:)``; nothing is written.
  ///
  /// - Throws: ``VaultError`` of a record that does not verify; `.lockedByOther`.
  public func migrationPlan() async throws(VaultError) -> MigrationPlan {
    try await atOneMoment { vault throws(VaultError) in
      try await working { () throws(VaultError) in try vault.planMigration() }
    }
  }

  /// Migrates every live record to the present schema of its kind, all or none. The trash does not change.
  ///
  /// - Parameter opening: the members that a person has agreed to make readable.
  /// - Throws: ``VaultError`` `.inputRefused` if the steps do not fit a record, `.usage` if another member would become
  ///   readable, and like ``migrationPlan()`` and ``add(_:)``.
  @discardableResult
  public func migrate(opening: Set<MemberPath> = []) async throws(VaultError) -> MigrationPlan {
    try await writing { lock throws(VaultError) in
      let plan = try planMigration()
      if let fault = plan.faults.first { throw fault }
      if let path = plan.opened.subtracting(opening).first {
        throw VaultError(.usage, "is sealed, and nobody has agreed to make it readable", field: path.description)
      }
      if !plan.records.isEmpty { try apply(plan.records.map(\.change), lock) }
      return plan
    }
  }

  /// A record whose steps do not fit is a fault of the plan. A record that does not verify ends it.
  private func planMigration() throws(VaultError) -> MigrationPlan {
    var plan = MigrationPlan()
    let now = currentTime()
    var failure: VaultError?
    try locked.forEachFile { id, bytes in
      do throws(VaultError) {
        let record = try verify(bytes.get(), id)
        guard let kind = record.kind, record.envelope.schema < kind.schema else { return true }
        let migrated: Result<RecordMigrationPlan, VaultError>
        do throws(RecordError) {
          migrated = try self.migrated(record, kind: kind, now: now)
        } catch {
          plan.faults.append(VaultError(record: error, file: record.file, id: id, input: true))
          return true
        }
        plan.records.append(try migrated.get())
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return plan
  }

  /// The plan for one record. A thrown error is a fault of its content, and a failure in the result ends the
  /// migration.
  private func migrated(
    _ record: OpenRecord, kind: RecordKind, now: Timestamp
  ) throws(RecordError) -> Result<RecordMigrationPlan, VaultError> {
    var migrator = RecordMigration.migrator(record.verified, opening: true, at: now)
    try migrator.take(kind.steps(from: record.envelope.schema))
    try kind.validate(migrator.members, in: record.verified.context())
    var draft = EnvelopeDraft(next: record.verified, now: now)
    draft.schema = kind.schema
    let members = migrator.members
    return Result { () throws(VaultError) in
      let bytes = try sealedBytes(members, draft: draft, keys: record.verified.keys, in: .record(record.id))
      return RecordMigrationPlan(
        summary: RecordSummary(StoredRecord(record)), from: record.envelope.schema, to: kind.schema,
        steps: migrator.taken, seals: migrator.hasSealed,
        change: StoreChange(.record(record.id), from: record.bytes, to: bytes))
    }
  }
}
