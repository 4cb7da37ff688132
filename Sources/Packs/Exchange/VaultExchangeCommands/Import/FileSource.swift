import VaultExchange
import VaultSystem
import VaultTerminal

/// A file or standard input, which is read during the import.
final class FileSource {
  private let file: NamedFile?
  private let descriptor: Int32
  private let name: String
  private let passed: (Double) -> Void
  /// The file size; nil for a pipe or anything else without a size.
  let byteCount: Int?
  private var readCount = 0

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - passed: receives the part that was read, from 0 to 1.
  init(_ path: String, passed: @escaping (Double) -> Void) throws {
    self.passed = passed
    name = path == "-" ? "stdin" : path
    if path == "-" {
      descriptor = System.standardInput
      file = nil
    } else {
      let opened = try NamedFile.reading(path)
      descriptor = opened.descriptor
      file = consume opened
    }
    byteCount = System.byteCount(of: descriptor)
  }

  /// The source, which keeps the file open.
  ///
  /// - Parameter given: the name from the user; standard input has no other name.
  func importSource(named given: String?) -> ImportSource {
    let short = file == nil ? given ?? name : name.split(separator: "/").last.map(String.init) ?? name
    return ImportSource(name: short, identity: Self.identity(of: file == nil ? nil : name, named: given)) {
      () throws(ExchangeError) in
      do throws(SystemError) {
        return try self.piece()
      } catch {
        throw ExchangeError(.reading, "cannot be read", underlying: error)
      }
    }
  }

  /// The identity of a file or folder among others of its name; nil for standard input without a name.
  static func identity(of path: String?, named given: String?) -> String? {
    given.map { "name:\($0)" } ?? path.map { "path:\(ProcessEnvironment.realPath($0) ?? $0)" }
  }

  private func piece() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var span = bytes.mutableSpan
    // Unsafe because any bytes can be stored; a UInt8 may be any byte.
    var raw = unsafe span.mutableBytes
    let count = try System.readSome(into: &raw, at: 0, from: descriptor, path: name)
    bytes.removeLast(bytes.count - count)
    readCount += count
    if let byteCount, byteCount > 0 { passed(Double(readCount) / Double(byteCount)) }
    return bytes
  }
}
