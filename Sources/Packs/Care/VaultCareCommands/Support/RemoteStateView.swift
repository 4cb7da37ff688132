import VaultCLI
import VaultDocument
import VaultKit
import VaultStorage
import VaultTerminal

extension Session {
  /// The report of the vault's database about itself; nil for a folder.
  func remoteState() throws -> RemoteState? {
    guard let store = locked.store as? any RemoteStore else { return nil }
    do throws(StoreError) { return try store.state() } catch { throw location.explained(VaultError(store: error)) }
  }
}

extension RemoteState: DocumentValue {
  /// The lines of `status` and `doctor`, each with its name.
  var rows: [(String, String)] {
    [
      ("database", engine),
      ("connection", encryption ?? (isLocal ? "on this machine, not encrypted" : "not encrypted")),
      ("role", role), ("generation", String(generation)), ("lock", holder.map { "held by \($0)" } ?? "not held"),
    ]
  }

  var document: JSONValue {
    .members([
      "encryption": encryption, "engine": engine, "generation": Int(generation), "lock_holder": holder, "role": role,
    ])
  }
}
