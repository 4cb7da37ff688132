package import VaultDocument
import VaultKit
package import VaultTerminal

enum IndexLocation {
  /// The user's cache folder, as in the XDG Base Directory Specification; nil without a home directory.
  static var directory: String? { XDG.directory("XDG_CACHE_HOME", under: ".cache").map { $0 + "/cvault" } }

  /// Why no index is used; nil if an index is used.
  static func reasonAgainst(_ global: GlobalOptions) -> String? {
    if global.withoutIndex { return "--no-index" }
    if System.variable("CVAULT_NO_INDEX") != nil { return "CVAULT_NO_INDEX" }
    return directory == nil ? "there is no home directory for it" : nil
  }

  /// The options of the index under these flags; nil for no index.
  static func options(_ global: GlobalOptions) -> IndexOptions? {
    guard reasonAgainst(global) == nil, let directory else { return nil }
    var options = IndexOptions(directory: directory)
    let messages = global.messages
    options.onNote = { text in messages.detail(text) }
    return options
  }
}

/// The index in `status` and `doctor`.
package struct IndexReport: DocumentValue {
  private let reasonAgainst: String?
  private let state: IndexState?

  package init(_ session: Session) {
    reasonAgainst = IndexLocation.reasonAgainst(session.global)
    state = session.locked.indexState
  }

  package var text: String {
    guard reasonAgainst == nil, let state else { return "not used: " + (reasonAgainst ?? "the vault is in no folder") }
    guard let size = state.byteCount else { return "none yet: \(state.path) is made when it is of use" }
    return "\(state.path), \(size >> 10) KiB; it may be deleted at any time"
  }

  package var document: JSONValue {
    guard let state else { return .null }
    return .members(["bytes": state.byteCount, "path": state.path])
  }

  package var check: DoctorCheck {
    guard let directory = IndexLocation.directory, state != nil, System.isOpenToOthers(directory) else {
      return .good("index", text)
    }
    return .warning(
      "index", "is not used, since others may enter \(directory)",
      advice: "`chmod go= \(directory.shellQuoted)` forbids it")
  }
}
