public import VaultDocument
public import VaultKit

/// A file in the inbox, opened with the vault's key.
public struct WaitingDeposit: Sendable {
  /// The effect that accepting the deposit would have.
  public enum State: Sendable, Equatable {
    /// It adds a record, and so many live records have its name already.
    case adds(namesakes: Int)
    /// It gives this record a new value, and the field has the state that the depositor saw.
    case replaces(RecordID)
    /// It gives this record a new value, but the field was changed since, or the depositor could not see it. An old
    /// deposit that somebody puts back looks like this.
    case mayBeOld(RecordID)
    /// The record has the id of the deposit: it was accepted already.
    case isAccepted
    /// The vault has no such kind, or the record or value does not fit it. Accepting it is refused with the reason.
    case doesNotFit
    /// The record that it names does not exist, or several have the name.
    case hasNoTarget
  }

  /// The id in the name of the file.
  public let id: DepositID
  /// The deposit; an error if the file is not a deposit for this vault.
  public let deposit: Result<Deposit, VaultError>
  /// The effect of accepting it; nil if the file is not a deposit.
  public internal(set) var state: State?
  /// The verified name of the record that it changes; nil for a new record.
  public internal(set) var target: String?
  /// The bytes that were opened.
  let bytes: [UInt8]?
}

/// The result of ``Vault/accept(_:)``.
public struct AcceptedDeposit: Sendable {
  /// The record that was added or changed.
  public let record: RecordID
  /// Whether the vault had the record or the value already, for example because an earlier run was interrupted.
  public let wasThere: Bool
  /// The revision of the record before the change; nil for a new record.
  public let replacedRevision: Int?
  /// The changed record, and the effect on its values; nil for a new record.
  package let change: (record: OpenRecord, effect: EditEffect)?
}
