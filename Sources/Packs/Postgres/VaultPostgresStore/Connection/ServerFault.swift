internal import VaultStorage

/// The answer of a server, or of the connection to it, in place of a result.
package struct ServerFault: RemoteFault, CustomStringConvertible {
  /// The five characters of the SQL standard; empty if none came.
  let state: String
  /// The server's own words, which may come from anybody: escaped and cut.
  let text: String
  /// Whether the connection can no longer be used.
  var isLost = false
  /// Whether no answer came for too long. Asking again would wait as long, and leave another waiting session.
  var isSilent = false
  /// The number of the statement in its pipeline, from 0.
  var step = 0

  var words: String { description }
  package var description: String { state.isEmpty ? text : "SQLSTATE \(state): \(text)" }

  static let malformed = ServerFault(state: "", text: "the answer does not have the form that the statement needs")
  static let tooMuch = ServerFault(state: "", text: "the answer is larger than allowed", isLost: true)
  static let silent = ServerFault(state: "", text: "no answer came in time", isLost: true, isSilent: true)
  static let ended = ServerFault(state: "", text: "the transaction has already ended")
  static let elsewhere = ServerFault(
    state: "", text: "PGHOSTADDR, a service file or the table of hosts leads to another machine", isLost: true)

  /// Whether the whole transaction may be repeated, because others were in its way.
  var isConflict: Bool { state == "40001" || state == "40P01" }
  /// lock_not_available: another session held a row for the whole wait.
  var isLockTimeout: Bool { state == "55P03" }

  /// A division by zero, by which a statement ends a pipeline before its commit.
  var isRefusal: Bool { state == "22012" }

  /// Whether the server does not support the statement at all.
  var isUnsupported: Bool { state == "0A000" }

  /// Text of a server without terminal controls, in one line.
  static func printable(_ bytes: some Sequence<UInt8>) -> String {
    let line = String(decoding: Array(bytes.prefix(2000)), as: UTF8.self).prefix(200)
    let safe = line.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n" || scalar == "\t": " "
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "?"
      default: scalar
      }
    }
    var text = String.UnicodeScalarView(safe)
    while text.last == "?" || text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension StoreError {
  /// Translates a fault of the server.
  init(_ fault: ServerFault, path: String? = nil, writing: Bool = false) {
    let (code, reason): (Code, String) =
      switch fault.state {
      case "53100", "53200": (.diskFull, "the database has no space left; nothing was changed")
      case "25006": (.readOnly, "the database is read-only")
      case "42501":
        writing
          ? (.readOnly, "this role of the database is not allowed to write")
          : (.permissionDenied, "this role of the database is not allowed to read")
      case "42P01", "3F000", "42703": (.notAVault, "the database does not have the tables of a vault")
      case "55P03": (.locked, "another session in the database holds rows or tables of the vault")
      case "40001", "40P01": (.changedUnderneath, "other sessions kept writing at the same time")
      case "42P17", "0A000": (.ioFailed, "the database does not have a feature that is needed")
      default:
        (.ioFailed, fault.isLost ? "the connection to the database was lost" : "the database refused the statement")
      }
    self.init(code, reason: reason, path: path, underlying: fault)
  }

  /// The server's fault inside this error.
  var serverFault: ServerFault? { underlying as? ServerFault }
}
