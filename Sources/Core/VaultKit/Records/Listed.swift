internal import VaultTrust

/// Rows of a list, and the errors of records that could not be read or verified.
package typealias Listed<Row> = (records: [Row], faults: [VaultError])

/// The rows of a list.
///
/// - Parameter tell: gets each error; nil throws the first.
func listedRows<Row>(of list: Listed<Row>, leavingOut tell: ((VaultError) -> Void)?) throws(VaultError) -> [Row] {
  if let tell { list.faults.forEach(tell) } else if let fault = list.faults.first { throw fault }
  return list.records
}
