import Synchronization
import VaultDocument

/// A file that appears whole under its name, or not at all; for its owner only.
struct AtomicFile: ~Copyable {
  let path: String
  private let temporary: String
  private let file: OpenFile
  private var isDone = false

  /// Begins in the same directory, so that the last step is a rename.
  static func beginning(at path: String) throws -> AtomicFile {
    switch System.kind(of: path) {
    case .directory:
      throw CommandError(.inputOutput, "io_failed", subject: path, "is a directory", hints: ["name a file"])
    case .other:
      throw CommandError(
        .inputOutput, "io_failed", subject: path, "is no regular file", hints: ["write to stdout and redirect that"])
    case .file, nil: break
    }
    let directory = System.parent(of: path)
    let name =
      directory.isEmpty ? path : (directory == "." ? path : String(path.dropFirst(directory.count)).droppingSlashes)
    let temporary = System.join(directory, ".\(name).\(Identifier.random().text.prefix(8)).tmp")
    // Registered before it is made, so that no signal in between leaves it behind.
    Pending.shared.withLock { $0.temporaryFiles.append(temporary) }
    let file = try Self.named(path) { () throws(SystemError) in try OpenFile.creating(temporary) }
    return AtomicFile(path: path, temporary: temporary, file: file)
  }

  /// An error names the file that was asked for.
  private static func named<Result: ~Copyable>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw SystemError(number: error.number, path: path, deed: error.deed)
    }
  }

  private init(path: String, temporary: String, file: consuming OpenFile) {
    self.path = path
    self.temporary = temporary
    self.file = file
  }

  func write(_ bytes: RawSpan) throws {
    do throws(SystemError) {
      try file.write(bytes)
    } catch {
      throw SystemError(number: error.number, path: path, deed: error.deed)
    }
  }

  // Unsafe only in that padding could be read: bytes have none.
  func write(_ bytes: [UInt8]) throws { try unsafe write(bytes.span.bytes) }

  /// Puts the file in place, durably.
  consuming func commit() throws {
    try Self.named(path) { () throws(SystemError) in try file.sync() }
    try System.move(temporary, to: path)
    try System.syncDirectory(System.parent(of: path))
    isDone = true
  }

  deinit {
    if !isDone { System.remove(temporary) }
    let registered = temporary
    Pending.shared.withLock { $0.temporaryFiles.removeAll { $0 == registered } }
  }
}

extension String {
  fileprivate var droppingSlashes: String { String(drop { $0 == "/" }) }
}

extension System {
  static func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty || directory == "." ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
