import VaultDocument

/// A git tree: names, types and objects.
struct GitTree {
  enum Kind {
    case file, folder, link
    /// A commit of another repository.
    case module
  }

  struct Entry {
    let name: ArraySlice<UInt8>
    let kind: Kind
    let id: ArraySlice<UInt8>

    var object: String { Hex.encode(Array(id)) }
  }

  let entries: [Entry]

  /// Nil if the bytes are not a git tree, which repeats `MODE NAME`, a NUL and a hash.
  init?(_ object: GitObject) {
    guard object.kind == .tree else { return nil }
    let hashByteCount = object.id.utf8.count / 2
    var rest = object.bytes[...]
    var entries: [Entry] = []
    while !rest.isEmpty {
      guard let space = rest.firstIndex(of: UInt8(ascii: " ")), let end = rest[space...].firstIndex(of: 0),
        let kind = Kind(mode: rest[..<space]), rest.endIndex - end > hashByteCount
      else { return nil }
      let id = rest[(end + 1)...].prefix(hashByteCount)
      entries.append(Entry(name: rest[(space + 1)..<end], kind: kind, id: id))
      rest = rest[id.endIndex...]
    }
    self.entries = entries
  }

  func entry(_ name: some Sequence<UInt8>) -> Entry? { entries.first { $0.name.elementsEqual(name) } }
}

extension GitTree.Kind {
  /// Octal digits, as in a listing of files.
  fileprivate init?(mode: ArraySlice<UInt8>) {
    guard let mode = Int(String(decoding: mode, as: UTF8.self), radix: 8) else { return nil }
    switch mode & 0o170000 {
    case 0o100000: self = .file
    case 0o040000: self = .folder
    case 0o120000: self = .link
    case 0o160000: self = .module
    default: return nil
    }
  }
}
