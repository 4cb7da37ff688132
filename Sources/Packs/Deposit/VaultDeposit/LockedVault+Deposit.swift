public import VaultDocument
public import VaultKit
internal import VaultCare
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

extension LockedVault {
  /// Seals a deposit to the vault's recipient and puts it into the inbox. This needs no key.
  ///
  /// The header is not verified: without a key, a depositor trusts the recipient in it.
  ///
  /// - Returns: the id of the deposit.
  /// - Throws: ``VaultError`` `.inputRefused` for a vault that takes no deposits, a full inbox, or members that do not
  ///   fit the kind; `.unknownKind`, `.lockedByOther`, `.diskFull`, `.permissionDenied`, `.ioFailed`.
  @discardableResult
  public func deposit(_ deposit: Deposit, timeout: Duration = .seconds(10)) throws(VaultError) -> DepositID {
    guard let keys = header.deposit else {
      throw VaultError(.inputRefused, "the vault does not take deposits yet", remedies: [.enableDeposits])
    }
    guard let inbox = store as? any InboxStore else {
      throw VaultError(.inputRefused, "this store cannot keep deposits")
    }
    try check(deposit)
    // A store can let its users add a deposit without letting them count the others.
    let count = (try? inbox.deposits().count) ?? 0
    guard count < InboxCheck.maximumCount else {
      throw VaultError(
        .inputRefused, "\(count) deposits wait already, which is the limit", file: "inbox",
        remedies: ["a person with a key must accept or drop some of them first"])
    }
    let file = try DepositFile.seal(deposit, for: header.vaultID, to: keys.recipient)
    try inStore { () throws(StoreError) in try inbox.deposit(file, as: deposit.id, timeout: timeout) }
    return deposit.id
  }

  /// Checks as far as possible without a key what ``Vault/accept(_:)`` would refuse.
  private func check(_ deposit: Deposit) throws(VaultError) {
    guard deposit.from.map({ $0.utf8.count <= Deposit.maximumSenderByteCount }) ?? true else {
      throw VaultError(.inputRefused, "the name of the sender can have at most \(Deposit.maximumSenderByteCount) bytes")
    }
    switch deposit.content {
    case .record(let name, let members):
      guard let kind = kinds[name] else { throw VaultError(.unknownKind, "the vault has no such kind", field: name) }
      do throws(RecordError) { try kind.check(clear: members) } catch {
        throw VaultError(record: error, input: true)
      }
    case .value(let record, let field, let value, _):
      guard !value.isEmpty else {
        throw VaultError(.inputRefused, "cannot be replaced by an empty value", field: field.description)
      }
      guard let id = RecordID(parsing: record), let stored = try? self.record(id), let kind = stored.kind else {
        return
      }
      guard let schema = kind.value(at: kind.pathInCurrentSchema(field)) else {
        throw VaultError(
          .inputRefused, "is not a field of the kind \(kind.name)", field: field.description)
      }
      guard schema.isSealed else {
        throw VaultError(
          .inputRefused, "is a readable field: a deposit can replace only sealed values", field: field.description)
      }
    }
  }

  /// The time at which the present value of a sealed field was sealed, as its file says; nil for an empty field.
  package func sealingTime(of field: MemberPath, in id: RecordID) -> Timestamp? {
    guard let stored = try? record(id) else { return nil }
    return JSONValue.object(stored.fields).sealingTime(at: stored.kind?.pathInCurrentSchema(field) ?? field)
  }
}

extension JSONValue {
  func sealingTime(at path: MemberPath) -> Timestamp? {
    (try? value(at: path))?.string.flatMap { try? SealedToken(parsing: $0) }?.sealedAt
  }
}
