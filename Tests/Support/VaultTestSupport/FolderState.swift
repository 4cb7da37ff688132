/// The files of folders by their paths.
///
/// A failing expectation shows the names and sizes. As a dictionary of bytes, each byte of each file was a value of its
/// own to the report, which took gigabytes.
package struct FolderState: Equatable, Sequence {
  private var files: [String: [UInt8]] = [:]

  package init() {}

  /// The files below a folder, with paths from there.
  package init(below folder: String, where isIncluded: (String) -> Bool = { _ in true }) {
    for path in FileTree.files(below: folder) where isIncluded(path) {
      files[path] = FileTree.contents(of: folder + "/" + path) ?? []
    }
  }

  package subscript(path: String) -> [UInt8]? {
    get { files[path] }
    set { files[path] = newValue }
  }

  package var count: Int { files.count }
  package var keys: Dictionary<String, [UInt8]>.Keys { files.keys }
  package var values: Dictionary<String, [UInt8]>.Values { files.values }

  /// Takes a file out.
  ///
  /// - Returns: its bytes; nil if there is no such file.
  package mutating func remove(_ path: String) -> [UInt8]? { files.removeValue(forKey: path) }

  package func makeIterator() -> Dictionary<String, [UInt8]>.Iterator { files.makeIterator() }

  package func filter(_ isIncluded: ((key: String, value: [UInt8])) throws -> Bool) rethrows -> FolderState {
    var state = self
    state.files = try files.filter(isIncluded)
    return state
  }
}

extension FolderState: CustomDebugStringConvertible, CustomReflectable {
  package var debugDescription: String {
    files.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.count) bytes)" }.joined(separator: ", ")
  }

  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
