#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files for the targets; failures here are not findings.
enum Files {
  private static var manager: FileManager { .default }

  static func write(_ bytes: [UInt8], to path: String) {
    needed(path) { try Data(bytes).write(to: URL(filePath: path)) }
  }

  static func contents(of path: String) -> [UInt8]? {
    // Foundation keeps a page for every empty file that it reads, which ends a long run.
    if let size = try? manager.attributesOfItem(atPath: path)[.size] as? Int, size == 0 { return [] }
    return (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) }
  }

  static func makeFolder(_ path: String) {
    needed(path) { try manager.createDirectory(atPath: path, withIntermediateDirectories: true) }
  }

  static func remove(_ path: String) { try? manager.removeItem(atPath: path) }

  /// Every regular file below a folder, by its path relative to it.
  static func tree(below path: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in (try? manager.subpathsOfDirectory(atPath: path)) ?? [] {
      if let bytes = contents(of: "\(path)/\(name)") { files[name] = bytes }
    }
    return files
  }

  /// A new folder for this process below `TMPDIR`, which Scripts/fuzz sets and removes.
  static func makeScratchFolder() -> String {
    let path = "\(manager.temporaryDirectory.path)/vault-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    makeFolder(path)
    return path
  }

  private static func needed(_ path: String, _ body: () throws -> Void) {
    do { try body() } catch { preconditionFailure("\(path) could not be made: \(error)") }
  }
}
