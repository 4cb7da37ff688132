import VaultSystem
package import VaultTerminal

extension System {
  /// The nearest folder from the working directory upwards that holds a regular file of this name.
  package static func nearestFolder(with name: String) -> String? {
    guard var directory = ProcessEnvironment.workingDirectory, directory.hasPrefix("/") else { return nil }
    while !directory.isEmpty {
      if kind(of: (directory == "/" ? "" : directory) + "/" + name) == .regular { return directory }
      directory = parent(of: directory)
    }
    return nil
  }
}

/// The user's directories, as in the XDG Base Directory Specification.
enum XDG {
  /// The directory of a variable, or its default below the home directory. Relative paths are ignored.
  static func directory(_ variable: String, under standard: String) -> String? {
    if let path = System.environment(variable), path.hasPrefix("/") { return path }
    guard let home = System.environment("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/" + standard
  }
}
