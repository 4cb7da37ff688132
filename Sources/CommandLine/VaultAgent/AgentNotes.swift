package import VaultDocument
internal import VaultSystem

/// A note for the time when a vault is locked.
package struct AgentNote: Sendable {
  package let vault: VaultID
  package let content: JSONObject
  fileprivate let name: String
}

extension AgentPlace {
  private static let notePrefix = "note-"
  private static let longestNote = 1 << 20

  /// Leaves a note beside the sockets, and replaces any note of the same name.
  ///
  /// - Parameter name: letters and digits.
  package func leave(_ content: JSONObject, for vault: VaultID, named name: String) throws(AgentError) {
    let files = FileSystem<AgentFileFailure>()
    guard let bytes = try? JSONValue.object(content).compactBytes() else {
      throw AgentError(.malformed, "a note has no form")
    }
    let file = "\(Self.notePrefix)\(vault.text)-\(name)"
    do throws(AgentFileFailure) {
      try files.makeFolders(folder)
    } catch {
      throw AgentError(.refused, "the folder of the agents cannot be made: \(folder)")
    }
    guard try isOwn(folder, .directory) else { throw Self.gone }
    do throws(AgentFileFailure) {
      let open = try files.open(folder, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder)
      AtomicFile.clearLeftovers(in: open.descriptor, files) { $0.hasPrefix(Self.notePrefix) }
      let new = try AtomicFile(beside: file, in: open.descriptor, files, at: folder)
      try new.append(bytes)
      try new.publish(as: file, replacing: true)
    } catch {
      throw AgentError(.refused, "nothing can be noted in \(folder)")
    }
  }

  /// All notes; other files are skipped.
  package func notes() throws(AgentError) -> [AgentNote] {
    guard try isOwn(folder, .directory) else { return [] }
    let files = FileSystem<AgentFileFailure>()
    guard let open = try? files.open(folder, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder) else {
      return []
    }
    let descriptor = open.descriptor
    let entries = try? files.call(at: folder) { (system) throws(Errno) in try system.entries(of: descriptor) }
    return (entries ?? []).map(\.name).sorted().compactMap { name in
      guard name.hasPrefix(Self.notePrefix), let hyphen = name.lastIndex(of: "-"),
        let vault = VaultID(parsing: String(name[..<hyphen].dropFirst(Self.notePrefix.count))),
        let bytes = try? files.contents(of: name, in: descriptor, limit: Self.longestNote, at: name),
        let content = try? JSONParser.parse(bytes).object
      else { return nil }
      return AgentNote(vault: vault, content: content, name: name)
    }
  }

  package func drop(_ note: AgentNote) {
    FileSystem<AgentFileFailure>().removeQuietly("\(folder)/\(note.name)", in: OpenPurpose.noDirectory)
  }
}
