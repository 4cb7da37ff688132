@_exported public import VaultDocument

/// Why a store could not do what it was asked.
///
/// `path` is a path below the vault's directory, or the path that was given. With `.locked`, `holder` is the process
/// that holds the lock, if known. No error holds bytes of a document.
public typealias StoreError = Fault<StoreLayer>

/// Stores of records.
public enum StoreLayer: FaultLayer {
  /// One line: place and reason, with the holder or the error number if known.
  public static func description(of fault: StoreError) -> String {
    var line = Sentence.about(fault.path, fault.reason)
    if let holder = fault.holder { line += " (process \(holder))" }
    if let errno = fault.errno, fault.code == .ioFailed { line += " (error \(errno))" }
    return line
  }
}

extension StoreError {
  /// An error with its place and cause.
  public init(
    _ code: Code, reason: String, path: String? = nil, errno: Int32? = nil, holder: Int32? = nil,
    underlying: (any Error)? = nil
  ) {
    self.init(layer: code, reason, path: path, errno: errno, holder: holder, underlying: underlying)
  }
}

/// A fault that another machine reported in its own words.
package protocol RemoteFault: Error {
  /// The words, which may come from anybody: escaped and cut, in one line.
  var words: String { get }
}

extension FaultCode<StoreLayer> {
  /// The directory is not a vault: it has no `vault.json`.
  public static var notAVault: Self { Self() }
  /// A vault already exists.
  public static var alreadyExists: Self { Self() }
  /// The bytes there are not the expected ones, or the vault's directory was replaced.
  public static var changedUnderneath: Self { Self() }
  /// Another process or store holds the lock; `holder` is its pid if known.
  public static var locked: Self { Self() }
  /// No space, no inode or no quota is left.
  public static var diskFull: Self { Self() }
  /// The system forbids it.
  public static var permissionDenied: Self { Self() }
  /// The file system is mounted read-only.
  public static var readOnly: Self { Self() }
  /// A file or directory that must be there is not.
  public static var missing: Self { Self() }
  /// A directory, FIFO, socket or device stands where a file belongs.
  public static var notARegularFile: Self { Self() }
  /// Something else stands where a directory belongs.
  public static var notADirectory: Self { Self() }
  /// A symbolic link stands inside the vault; none is followed.
  public static var symbolicLink: Self { Self() }
  /// A document, or a set of changes, is over its limit.
  public static var tooLarge: Self { Self() }
  /// The system failed to read or write; `errno` says how.
  public static var ioFailed: Self { Self() }
  /// The written bytes do not read back the same, so the file was not put in place.
  public static var unverifiedWrite: Self { Self() }
  /// `.journal.json` is not a journal of this program: neither state of the vault can be taken for the current one.
  public static var malformedJournal: Self { Self() }
  /// A newer program has laid the store out in a way that this one does not know.
  public static var newerLayout: Self { Self() }
  /// The change is stored on a server, and may not survive the loss of that server: the wait for its standbys ended
  /// early. The store goes on with the new state.
  public static var mayBeLost: Self { Self() }
  /// The connection ended while the change was being stored: the store has the whole change or nothing of it.
  public static var outcomeUnknown: Self { Self() }
  /// The file system gives no locks, so that nothing is written there; `errno` says how it refused.
  public static var noLocks: Self { Self() }
}
