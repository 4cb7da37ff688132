#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

package enum ImportFolder {
  static let maximumFileCount = 100_000
  static let maximumDepth = 32
  static let maximumFileByteCount = 16 << 20

  /// The folder as a source. Links are not followed, and names that begin with a dot, such as `.git`, are skipped.
  package static func source(at folder: String, identity: String? = nil) throws(ExchangeError) -> ImportSource {
    var files: [ImportFile] = []
    try list(folder, below: "", depth: 0, into: &files)
    let name = folder.split(separator: "/" as Character).last.map(String.init) ?? ""
    return ImportSource(name: name, identity: identity, files: files)
  }

  private static func list(
    _ folder: String, below path: String, depth: Int, into files: inout [ImportFile]
  ) throws(ExchangeError) {
    guard depth < maximumDepth else { throw ExchangeError.folder("has too many levels of folders") }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw ExchangeError(.reading, "the folder cannot be read", at: SourcePlace(path: path))
    }
    for name in names.sorted() where !name.hasPrefix(".") {
      let own = path.isEmpty ? name : "\(path)/\(name)"
      let file = "\(folder)/\(name)"
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      let type = attributes?[.type] as? FileAttributeType
      if type == .typeDirectory {
        try list(file, below: own, depth: depth + 1, into: &files)
      } else {
        let size = (attributes?[.size] as? any BinaryInteger).map { Int($0) } ?? 0
        files.append(self.file(file, path: own, type: type, size: size))
      }
      guard files.count <= maximumFileCount else { throw ExchangeError.folder("has too many files") }
    }
  }

  private static func file(_ file: String, path: String, type: FileAttributeType?, size: Int) -> ImportFile {
    let refusal: String? =
      if type != .typeRegular {
        "the file is a link, or it is not a regular file"
      } else if size > maximumFileByteCount {
        "the file is larger than an entry can be"
      } else {
        nil
      }
    return ImportFile(path: path, refusal: refusal) { () throws(ExchangeError) in
      guard let data = FileManager.default.contents(atPath: file) else {
        throw ExchangeError(.reading, "the file cannot be read", at: SourcePlace(path: path))
      }
      return [UInt8](data)
    }
  }
}
