internal import VaultSystem

extension DirectoryStore {
  /// The paths that the vault is known by: as it was given, and where that leads; one where they are the same.
  ///
  /// Whoever writes to a folder above the vault can put a link in its place: the first still says which vault was
  /// meant.
  package var knownPaths: [String] { Self.knownPaths(given: path, real: realPath) }

  /// The same for a vault that need not be there.
  package static func knownPaths(given path: String, real: String?) -> [String] {
    let given = givenPath(path)
    guard let real else { return given.map { [$0] } ?? [] }
    guard let given, !given.utf8.elementsEqual(real.utf8) else { return [real] }
    return [given, real]
  }

  /// The given path from the root on, without dots, its links as they are; nil in a working directory that is gone.
  private static func givenPath(_ path: String) -> String? {
    let slash = UInt8(ascii: "/")
    guard path.utf8.first != slash else { return normalized(path) }
    return ProcessEnvironment.workingDirectory.map { normalized($0 + "/" + path) }
  }

  /// The path without links and dots; nil when the vault was moved away meanwhile.
  private var realPath: String? { ProcessEnvironment.realPath(path) }

  /// An absolute path without empty components and dots, read as text: what is on disk, anybody may have put there.
  private static func normalized(_ path: String) -> String {
    var components: [Substring.UTF8View] = []
    // By bytes: a slash and a combining mark are one character.
    for component in path.utf8.split(separator: UInt8(ascii: "/")) where !component.elementsEqual(".".utf8) {
      if component.elementsEqual("..".utf8) {
        _ = components.popLast()
      } else {
        components.append(component)
      }
    }
    return "/" + components.map { String(Substring($0)) }.joined(separator: "/")
  }
}
