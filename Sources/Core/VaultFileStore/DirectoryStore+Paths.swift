internal import VaultSystem

extension DirectoryStore {
  /// The paths by which the vault is known: the given one and the real one, or one path if they are the same.
  ///
  /// Anybody who can write to a folder above the vault can put a link in its place; the given path still says which
  /// vault was meant.
  package var knownPaths: [String] { Self.knownPaths(given: path, real: realPath) }

  /// Like `knownPaths`, for a vault that may be missing.
  package static func knownPaths(given path: String, real: String?) -> [String] {
    let given = givenPath(path)
    guard let real else { return given.map { [$0] } ?? [] }
    guard let given, !given.utf8.elementsEqual(real.utf8) else { return [real] }
    return [given, real]
  }

  /// The given path as an absolute path without dots, keeping links; nil if the working directory was deleted.
  private static func givenPath(_ path: String) -> String? {
    let slash = UInt8(ascii: "/")
    guard path.utf8.first != slash else { return normalized(path) }
    return ProcessEnvironment.workingDirectory.map { normalized($0 + "/" + path) }
  }

  /// The path without links and dots; nil if the vault was moved away.
  private var realPath: String? { ProcessEnvironment.realPath(path) }

  /// An absolute path without empty components and dots, computed from the text alone, because anybody may have changed
  /// the disk.
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
