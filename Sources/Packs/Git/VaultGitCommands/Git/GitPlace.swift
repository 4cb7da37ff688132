import VaultStorage

/// A file of a vault by its path in git: the vault's folder, and the place in it.
struct GitPlace {
  /// The folder in git; `.` for a vault at the top of the work tree.
  let folder: String
  let place: StoreLocation

  /// Nil for a path that no vault uses.
  init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for count in 1...3 where parts.count >= count {
      guard let place = StoreLocation(relativePath: parts.suffix(count).joined(separator: "/")) else { continue }
      let folder = parts.dropLast(count).joined(separator: "/")
      self.place = place
      self.folder = folder.isEmpty ? "." : folder
      return
    }
    return nil
  }
}
