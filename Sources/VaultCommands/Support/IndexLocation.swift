import VaultKit

/// Where the index of readable fields is kept.
enum IndexLocation {
  /// The user's cache folder, as the XDG Base Directory Specification names it; nil without a home directory.
  static var directory: String? { XDG.directory("XDG_CACHE_HOME", under: ".cache").map { $0 + "/cvault" } }

  /// Why no index is used; nil when one is.
  static func reasonAgainst(_ global: GlobalOptions) -> String? {
    if global.withoutIndex { return "--no-index" }
    if System.variable("CVAULT_NO_INDEX") != nil { return "CVAULT_NO_INDEX" }
    return directory == nil ? "there is no home directory for it" : nil
  }

  /// How an index is used under these flags; nil for not at all.
  static func options(_ global: GlobalOptions) -> IndexOptions? {
    guard reasonAgainst(global) == nil, let directory else { return nil }
    var options = IndexOptions(directory: directory)
    let messages = global.messages
    options.onNote = { text in messages.detail(text) }
    return options
  }
}
