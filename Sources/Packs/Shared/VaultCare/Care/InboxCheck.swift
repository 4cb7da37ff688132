internal import VaultAge
package import VaultDocument
package import VaultStorage
package import VaultTrust

/// The form of deposits, which needs no key: whether each can be a sealed file for one recipient.
package enum InboxCheck {
  /// The most deposits that one inbox may hold. More are neither taken nor listed.
  package static let maximumCount = 10_000

  /// The faults of all deposits in a store, and the number of those that wait.
  package static func faults(in store: any RecordStore) -> (count: Int, faults: [VaultFault]) {
    var faults: [VaultFault] = []
    do throws(StoreError) {
      let ids = try store.heldDeposits()
      for id in ids.prefix(maximumCount) {
        do throws(StoreError) {
          if let bytes = try store.read(.inbox(id)), let fault = fault(in: bytes, of: id) { faults.append(fault) }
        } catch {
          faults.append(
            VaultFault(VaultError.Code(error), error.reason, file: StoreLocation.inbox(id).relativePath))
        }
      }
      return (ids.count, faults)
    } catch {
      return (0, [VaultFault(VaultError.Code(error), error.reason, file: error.path ?? "inbox")])
    }
  }

  /// The fault of the bytes of one deposit; nil if they have the form.
  package static func fault(in bytes: [UInt8], of id: DepositID) -> VaultFault? {
    let file = StoreLocation.inbox(id).relativePath
    guard bytes.count <= StoreLocation.inbox(id).byteLimit else {
      return VaultFault(.tooLarge, "is larger than a deposit may be", file: file)
    }
    guard let header = try? unsafe AgeHeader.parse(bytes.span.bytes), header.stanzas.count == 1,
      AgeFile.canBePayload(byteCount: bytes.count - header.byteCount)
    else { return VaultFault(.malformedDeposit, "is not an age file for one recipient", file: file) }
    return nil
  }

  /// Whether a fault is about an entry of the inbox, which does not belong to the vault itself.
  static func isAbout(_ fault: VaultFault) -> Bool { fault.file.hasPrefix("inbox/") }

  /// The note about deposits that wait, for checks; nil for an empty inbox.
  package static func note(_ count: Int) -> String? {
    switch count {
    case 0: nil
    case 1: "1 deposit waits in inbox/"
    default: "\(count) deposits wait in inbox/"
    }
  }
}
