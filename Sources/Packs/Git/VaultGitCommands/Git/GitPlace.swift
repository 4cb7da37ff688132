package import VaultStorage

/// A file of a vault by the path that git has for it: the vault's folder, and the place in it.
package struct GitPlace {
  /// As git's path has it; `.` for a vault at the top of the work tree.
  package let folder: String
  package let place: StoreLocation

  /// Nil for a path at which no vault keeps anything.
  package init?(_ path: String) {
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
