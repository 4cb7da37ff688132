package import VaultDocument
package import VaultTerminal

extension GlobalOptions {
  /// Says whether a command has changed a record.
  package func report(hasChanged: Bool, _ id: RecordID) throws {
    if json {
      return try Output.afterwards(hasChanged ? "the change is stored" : "nothing had to be changed") {
        try Output.document(["changed": hasChanged, "id": id])
      }
    }
    if !hasChanged { messages.note("nothing changed") }
  }
}
