import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

/// The index in `status` and `doctor`.
struct IndexReport: DocumentValue {
  private let reasonAgainst: String?
  private let state: IndexState?

  init(_ session: Session) {
    reasonAgainst = IndexLocation.reasonAgainst(session.global)
    state = session.locked.indexState
  }

  var text: String {
    guard reasonAgainst == nil, let state else {
      return "not used: " + (reasonAgainst ?? "the vault is not in a folder")
    }
    guard let size = state.byteCount else { return "none yet: it will be made at \(state.path) when it is useful" }
    return "\(state.path), \(size >> 10) KiB; it may be deleted at any time"
  }

  var document: JSONValue {
    guard let state else { return .null }
    return .members(["bytes": state.byteCount, "path": state.path])
  }

  var check: DoctorCheck {
    guard let directory = IndexLocation.directory, state != nil, System.isOpenToOthers(directory) else {
      return .good("index", text)
    }
    return .warning(
      "index", "the index is not used, because other users can enter \(directory)",
      advice: "run `chmod go= \(directory.shellQuoted)`")
  }
}
