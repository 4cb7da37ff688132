package import VaultDocument
package import VaultSystem

/// Notes about what must be taken back when a vault is locked. They lie in a private folder, beside files of others.
package struct KeyNotes: Sendable {
  /// A note for one vault.
  package struct Note: Sendable {
    package let vault: VaultID
    package let content: JSONObject
    fileprivate let name: String
  }

  private static let prefix = "note-"
  private static let longest = 1 << 20
  private let folder: PrivateFolder

  package init(in folder: PrivateFolder) { self.folder = folder }

  /// Writes a note. One of the same name is replaced.
  ///
  /// - Parameter name: letters and digits.
  package func leave(_ content: JSONObject, for vault: VaultID, named name: String) throws(PrivateFolderError) {
    guard let bytes = try? JSONValue.object(content).compactBytes() else {
      throw PrivateFolderError(.refused, "the note cannot be written as JSON")
    }
    guard try folder.make() else {
      throw PrivateFolderError(.refused, "the folder of the agents cannot be created: \(folder.path)")
    }
    let (files, file) = (PrivateFolder.Files(), "\(Self.prefix)\(vault.text)-\(name)")
    do throws(UnexplainedFailure) {
      let open = try folder.open()
      AtomicFile.clearLeftovers(in: open.descriptor, files) { $0.hasPrefix(Self.prefix) }
      let new = try AtomicFile(beside: file, in: open.descriptor, files, at: folder.path)
      try new.append(bytes)
      try new.publish(as: file, replacing: true)
    } catch {
      throw PrivateFolderError(.refused, "no note can be written in \(folder.path)")
    }
  }

  /// All notes. Other files are skipped.
  package func all() throws(PrivateFolderError) -> [Note] {
    let names = try folder.names()
    guard !names.isEmpty, let open = try? folder.open() else { return [] }
    let descriptor = open.descriptor
    return names.compactMap { name in
      guard name.hasPrefix(Self.prefix), let hyphen = name.lastIndex(of: "-"),
        let vault = VaultID(parsing: String(name[..<hyphen].dropFirst(Self.prefix.count))),
        let bytes = try? PrivateFolder.Files().contents(of: name, in: descriptor, limit: Self.longest, at: name),
        let content = try? JSONParser.parse(bytes).object
      else { return nil }
      return Note(vault: vault, content: content, name: name)
    }
  }

  /// Removes a note.
  package func drop(_ note: Note) {
    PrivateFolder.Files().removeQuietly("\(folder.path)/\(note.name)", in: OpenPurpose.noDirectory)
  }
}
