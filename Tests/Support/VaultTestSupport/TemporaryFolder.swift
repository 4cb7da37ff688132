package import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A new empty folder that goes, with all it holds, at the end of its life.
public final class TemporaryFolder: Sendable {
  /// Its absolute path.
  public let path: String

  /// Makes the folder below `TMPDIR`, else `/tmp`.
  public init() {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    path = parent + "/vault-test-\(UInt64.random(in: .min ... .max))"
    // A test without its folder has nothing to show.
    unsafe precondition(mkdir(path, 0o700) == 0, "no temporary folder")
  }

  deinit { FileTree.remove(path) }
}

/// Operations on whole trees of files, without following links.
public enum FileTree {
  private static let system = LiveFileOperations()

  /// Removes a file, or a folder with its content; a missing one is fine.
  public static func remove(_ path: String) {
    if (try? system.removeFile(path, in: OpenPurpose.noDirectory)) != nil { return }
    unsafe _ = chmod(path, 0o700)
    for name in names(in: path) { remove(path + "/" + name) }
    try? system.removeDirectory(path, in: OpenPurpose.noDirectory)
  }

  /// Makes a folder of 0700.
  public static func makeFolder(_ path: String) {
    // A test that cannot set its scene has nothing to show.
    unsafe precondition(mkdir(path, 0o700) == 0, "a test could not make its folder")
  }

  /// Makes a symbolic link.
  public static func link(_ path: String, to target: String) {
    unsafe precondition(symlink(target, path) == 0, "a test could not make its link")
  }

  /// Whether a path itself is a symbolic link.
  public static func isLink(_ path: String) -> Bool { kind(of: path) == .symbolicLink }

  /// Sets the mode of a file or folder.
  public static func setMode(_ mode: UInt16, of path: String) { unsafe _ = chmod(path, mode_t(mode)) }

  /// Sets when a file was written last, in seconds since 1970.
  public static func setTime(_ seconds: Int, of path: String) {
    let time = timeval(tv_sec: seconds, tv_usec: 0)
    unsafe _ = utimes(path, [time, time])
  }

  /// The mode of the file at a path, without its type; nil if it is missing.
  public static func mode(of path: String) -> UInt16? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? UInt16(truncatingIfNeeded: status.st_mode & 0o7777) : nil
  }

  /// The names in a folder, sorted; none when it is not there.
  public static func names(in path: String) -> [String] {
    guard let folder = try? system.open(path, in: OpenPurpose.noDirectory, as: .directory) else { return [] }
    defer { system.close(folder) }
    return ((try? system.entries(of: folder)) ?? []).map(\.name).sorted()
  }

  /// The paths of all regular files below a folder, relative to it, sorted.
  public static func files(below path: String) -> [String] {
    names(in: path).flatMap { name -> [String] in
      switch kind(of: path + "/" + name) {
      case .directory: files(below: path + "/" + name).map { name + "/" + $0 }
      case .regular: [name]
      default: []
      }
    }
  }

  /// The kind of the entry at a path itself; nil if it is missing.
  package static func kind(of path: String) -> FileStatus.Kind? {
    try? system.status(of: path, in: OpenPurpose.noDirectory, followingLink: false).kind
  }

  /// The content of a file; nil when it cannot be read.
  public static func contents(of path: String) -> [UInt8]? {
    guard let file = try? system.open(path, in: OpenPurpose.noDirectory, as: .reading) else { return nil }
    defer { system.close(file) }
    guard let status = try? system.status(of: file), status.kind == .regular else { return nil }
    var bytes = [UInt8](repeating: 0, count: status.byteCount)
    guard !bytes.isEmpty else { return [] }
    guard (try? system.read(file, from: 0, into: &bytes, at: 0)) == bytes.count else { return nil }
    return bytes
  }

  /// Writes a file of 0600 in place of whatever file is there.
  public static func write(_ bytes: [UInt8], to path: String) {
    try? system.removeFile(path, in: OpenPurpose.noDirectory)
    guard let file = try? system.open(path, in: OpenPurpose.noDirectory, as: .creating) else {
      preconditionFailure("a test could not write its file")
    }
    defer { system.close(file) }
    if !bytes.isEmpty, (try? unsafe system.write(bytes.span.bytes, to: file, from: 0)) != bytes.count {
      preconditionFailure("a test could not write its file")
    }
  }

  /// Copies all regular files below a folder into another one.
  public static func copy(_ source: String, to target: String) {
    for name in files(below: source) {
      guard let bytes = contents(of: source + "/" + name) else { preconditionFailure("a test could not read its file") }
      writeWithFolder(bytes, to: target + "/" + name)
    }
  }

  /// Writes a file and the folders that it lies in.
  public static func writeWithFolder(_ bytes: [UInt8], to path: String) {
    makeFolders(above: path)
    write(bytes, to: path)
  }

  private static func makeFolders(above path: String) {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard !folder.isEmpty, kind(of: folder) == nil else { return }
    makeFolders(above: folder)
    // Writing into it tells when it could not be made.
    unsafe _ = mkdir(folder, 0o700)
  }
}
