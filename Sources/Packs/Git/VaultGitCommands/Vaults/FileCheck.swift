import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage

/// The check of one file of a vault by its bytes alone, from any source; it needs no key.
enum FileCheck {
  /// All faults of the file.
  static func faults(
    in bytes: [UInt8], at place: StoreLocation, kinds: KindCatalog
  ) throws(VaultError) -> [VaultFault] {
    let file = place.relativePath
    var faults: [VaultFault] = []
    var form: CanonicalForm?
    switch place {
    case .record(let id), .trash(let id):
      let lint = try RecordLint(.success(bytes), at: place, id, kinds)
      (faults, form) = (lint.findings, lint.form)
    case .header:
      do throws(VaultError) {
        let header = try VaultHeader(parsing: bytes)
        form = try CanonicalForm(of: .object(header.document), bytes, at: place)
      } catch {
        faults.append(try VaultFault(error, file: file))
      }
    case .checkpoint:
      do throws(VaultError) {
        _ = try Checkpoint(parsing: bytes)
      } catch {
        faults.append(try VaultFault(error, file: file))
      }
    case .inbox(let id): if let fault = InboxCheck.fault(in: bytes, of: id) { faults.append(fault) }
    case .slot, .attachment: break
    }
    if let form { faults.append(VaultFault(.notCanonical, form.reason, file: file, record: form.record)) }
    return faults
  }
}
