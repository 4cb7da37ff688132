import VaultSystem
import VaultTerminal

/// The turn of this command among others that commit in the same clone. git itself refuses a commit during another one.
struct GitTurn: ~Copyable {
  private static let limit = Duration.seconds(10)
  private let lock: LockedFile?

  /// Waits for other commands. If their commits take longer than the limit, git decides.
  init(_ git: Git) { lock = Self.lock(git) }

  private static func lock(_ git: Git) -> LockedFile? {
    let folder = git.lines(["rev-parse", "--path-format=absolute", "--git-common-dir"]).first ?? ""
    guard folder.hasPrefix("/"), let state = StateLocation.path else { return nil }
    let (files, path) = (System.files, state + "/commit-" + MaskedText.hash(folder, byteCount: 16) + ".lock")
    let end = files.operations.now() + limit
    do {
      try System.makeDirectories(state)
      while files.operations.now() < end {
        let file = try files.open(path, in: System.here, as: .locking, at: path)
        if let lock = try files.lock(file, at: path) { return lock }
        files.operations.sleep(.milliseconds(20))
      }
    } catch {
      // Without a lock, git refuses one of two commits, and a note says so.
    }
    return nil
  }
}
