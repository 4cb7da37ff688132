/// Why a store operation failed: code, fixed reason, place. Errors are equal if their codes are.
///
/// It never holds bytes of a document.
public struct StoreError: Error, Sendable {
  /// The kind of failure, for programs.
  public let code: Code
  /// The failure for people: a fixed text without values.
  public let reason: String
  /// The place, as a path below the vault's directory, or the given path; nil if there is no place.
  public let path: String?
  /// The system's error number if a system call failed.
  public let errno: Int32?
  /// With `.locked`: the process that holds the lock, if known.
  public let holder: Int32?
  /// The error that caused this one.
  public let underlying: (any Error)?

  /// An error with its place and cause.
  public init(
    _ code: Code, reason: String, path: String? = nil, errno: Int32? = nil, holder: Int32? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.reason = reason
    self.path = path
    self.errno = errno
    self.holder = holder
    self.underlying = underlying
  }
}

/// A fault that another machine reported in its own words.
package protocol RemoteFault: Error {
  /// The words, which may come from anybody: escaped and cut, in one line.
  var words: String { get }
}

extension StoreError {
  /// The kind of failure. Codes may be added, so match against the constants with a default case.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case notAVault, alreadyExists, changedUnderneath, locked, diskFull, permissionDenied, readOnly, missing
      case notARegularFile, notADirectory, symbolicLink, tooLarge, ioFailed, unverifiedWrite, malformedJournal
      case newerLayout, noLocks, mayBeLost, outcomeUnknown
    }

    private let kind: Kind

    public var description: String { kind.rawValue }

    /// The directory is not a vault: it has no `vault.json`.
    public static let notAVault = Code(kind: .notAVault)
    /// A vault already exists there.
    public static let alreadyExists = Code(kind: .alreadyExists)
    /// The present bytes are not the expected ones, or the vault's directory was replaced.
    public static let changedUnderneath = Code(kind: .changedUnderneath)
    /// Another process or store holds the lock; `holder` is its pid if known.
    public static let locked = Code(kind: .locked)
    /// No space, no inode or no quota is left.
    public static let diskFull = Code(kind: .diskFull)
    /// The system forbids it.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// The file system is mounted read-only.
    public static let readOnly = Code(kind: .readOnly)
    /// A required file or directory is missing.
    public static let missing = Code(kind: .missing)
    /// A directory, FIFO, socket or device stands where a file belongs.
    public static let notARegularFile = Code(kind: .notARegularFile)
    /// Something else stands where a directory belongs.
    public static let notADirectory = Code(kind: .notADirectory)
    /// A symbolic link stands inside the vault; links are never followed there.
    public static let symbolicLink = Code(kind: .symbolicLink)
    /// A document, or a set of changes, exceeds its limit.
    public static let tooLarge = Code(kind: .tooLarge)
    /// The system failed to read or write; `errno` says how.
    public static let ioFailed = Code(kind: .ioFailed)
    /// The written bytes read back differently; they were not put in place.
    public static let unverifiedWrite = Code(kind: .unverifiedWrite)
    /// `.journal.json` is not a journal of this program, so neither state of the vault is certain to be current.
    public static let malformedJournal = Code(kind: .malformedJournal)
    /// A newer program changed the layout of the store in a way that this one does not know.
    public static let newerLayout = Code(kind: .newerLayout)
    /// The change is stored on a server but may not survive the loss of that server, because the wait for its standbys
    /// ended early. The store continues with the new state.
    public static let mayBeLost = Code(kind: .mayBeLost)
    /// The connection ended while the change was being stored: the store has either the whole change or nothing.
    public static let outcomeUnknown = Code(kind: .outcomeUnknown)
    /// The file system has no locks, so nothing is written there; `errno` says how it refused.
    public static let noLocks = Code(kind: .noLocks)
  }
}

extension StoreError: Equatable {
  public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}

extension StoreError: CustomStringConvertible {
  /// One line: place and reason, with the holder or the error number if known.
  public var description: String {
    var line = path.map { $0 + ": " + reason } ?? reason
    if let holder { line += " (process \(holder))" }
    if let errno, code == .ioFailed { line += " (error \(errno))" }
    return line
  }
}
