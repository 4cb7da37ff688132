/// Why a store could not do what it was asked: code, fixed reason, place. Equal by code.
///
/// It never holds bytes of a document.
public struct StoreError: Error, Sendable {
  /// What went wrong, for programs.
  public let code: Code
  /// What went wrong, for people: a fixed text without values.
  public let reason: String
  /// The place, as a path below the vault's directory, or the path that was given; nil where there is none.
  public let path: String?
  /// The system's error number, where a system call failed.
  public let errno: Int32?
  /// With `.locked`: the process that holds the lock, where it is known.
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

/// A fault of another machine, which is told in its words.
package protocol RemoteFault: Error {
  /// The words, which may be anybody's: escaped and cut, in one line.
  var words: String { get }
}

extension StoreError {
  /// A code that may grow: match against the constants, with a default case.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case notAVault, alreadyExists, changedUnderneath, locked, diskFull, permissionDenied, readOnly, missing
      case notARegularFile, notADirectory, symbolicLink, tooLarge, ioFailed, unverifiedWrite, malformedJournal
      case newerLayout, noLocks, mayBeLost, outcomeUnknown
    }

    private let kind: Kind

    public var description: String { kind.rawValue }

    /// The directory is no vault: it has no `vault.json`.
    public static let notAVault = Code(kind: .notAVault)
    /// A vault is there already.
    public static let alreadyExists = Code(kind: .alreadyExists)
    /// The bytes there are not the expected ones, or the vault's directory was replaced.
    public static let changedUnderneath = Code(kind: .changedUnderneath)
    /// Another process or store holds the lock; `holder` is its pid where known.
    public static let locked = Code(kind: .locked)
    /// No space, no inode or no quota is left.
    public static let diskFull = Code(kind: .diskFull)
    /// The system forbids it.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// The file system is mounted read-only.
    public static let readOnly = Code(kind: .readOnly)
    /// A file or directory that must be there is not.
    public static let missing = Code(kind: .missing)
    /// A directory, FIFO, socket or device stands where a file belongs.
    public static let notARegularFile = Code(kind: .notARegularFile)
    /// Something else stands where a directory belongs.
    public static let notADirectory = Code(kind: .notADirectory)
    /// A symbolic link stands inside the vault; none is followed.
    public static let symbolicLink = Code(kind: .symbolicLink)
    /// A document, or a set of changes, is over its limit.
    public static let tooLarge = Code(kind: .tooLarge)
    /// The system failed to read or write; `errno` says how.
    public static let ioFailed = Code(kind: .ioFailed)
    /// What was written does not read back the same; it was not put in place.
    public static let unverifiedWrite = Code(kind: .unverifiedWrite)
    /// `.journal.json` is not a journal of this program: neither state of the vault can be taken for the current one.
    public static let malformedJournal = Code(kind: .malformedJournal)
    /// A newer program has laid the store out in a way that this one does not know.
    public static let newerLayout = Code(kind: .newerLayout)
    /// The change is stored on a server, and may not survive the loss of that server: the wait for its standbys ended
    /// early. The store goes on with the new state.
    public static let mayBeLost = Code(kind: .mayBeLost)
    /// The connection ended while the change was being stored: the store has the whole change or nothing of it.
    public static let outcomeUnknown = Code(kind: .outcomeUnknown)
    /// The file system gives no locks, so that nothing is written there; `errno` says how it refused.
    public static let noLocks = Code(kind: .noLocks)
  }
}

extension StoreError: Equatable {
  public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}

extension StoreError: CustomStringConvertible {
  /// One line: place and reason, with the holder or the error number where there is one.
  public var description: String {
    var line = path.map { $0 + ": " + reason } ?? reason
    if let holder { line += " (process \(holder))" }
    if let errno, code == .ioFailed { line += " (error \(errno))" }
    return line
  }
}
