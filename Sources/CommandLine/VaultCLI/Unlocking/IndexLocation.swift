package import VaultKit
package import VaultTerminal

package enum IndexLocation {
  /// The user's cache folder, as in the XDG Base Directory Specification; nil without a home directory.
  package static var directory: String? { XDG.directory("XDG_CACHE_HOME", under: ".cache").map { $0 + "/cvault" } }

  /// Why no index is used; nil if an index is used.
  package static func reasonAgainst(_ global: GlobalOptions) -> String? {
    if global.withoutIndex { return "--no-index" }
    if System.variable("CVAULT_NO_INDEX") != nil { return "CVAULT_NO_INDEX" }
    return directory == nil ? "there is no home directory for the index" : nil
  }

  /// The options of the index under these flags; nil for no index.
  package static func options(_ global: GlobalOptions) -> IndexOptions? {
    guard reasonAgainst(global) == nil, let directory else { return nil }
    var options = IndexOptions(directory: directory)
    let messages = global.messages
    options.onNote = { text in messages.detail(text) }
    return options
  }
}
