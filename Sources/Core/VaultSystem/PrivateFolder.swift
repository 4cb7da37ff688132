/// A folder in which every file belongs to this user alone.
package struct PrivateFolder: Sendable {
  package typealias Files = FileSystem<UnexplainedFailure>

  package let path: String

  package init(_ path: String) { self.path = path }

  /// Makes the folder, unless it exists.
  ///
  /// - Returns: false if the folder cannot be made.
  package func make() throws(PrivateFolderError) -> Bool {
    guard (try? Files().makeFolders(path)) != nil else { return false }
    return try isThere()
  }

  package func isThere() throws(PrivateFolderError) -> Bool { try isOwn(path, .directory) }

  /// The names of the files in the folder, sorted. Empty if there is no folder.
  package func names() throws(PrivateFolderError) -> [String] {
    guard try isThere(), let open = try? open() else { return [] }
    let descriptor = open.descriptor
    let entries = try? Files().call(at: path) { (system) throws(Errno) in try system.entries(of: descriptor) }
    return (entries ?? []).map(\.name).sorted()
  }

  package func open() throws(UnexplainedFailure) -> OpenFile {
    try Files().open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
  }

  /// Whether a file of this kind is at a path. It is an error if somebody else can read or replace the file.
  package func isOwn(_ path: String, _ kind: FileStatus.Kind) throws(PrivateFolderError) -> Bool {
    let status: FileStatus?
    do throws(UnexplainedFailure) {
      status = try Files().callIfPresent(at: path) { (system) throws(Errno) in
        try system.status(of: path, in: OpenPurpose.noDirectory, followingLink: false)
      }
    } catch {
      throw PrivateFolderError(.foreign, "\(path) cannot be examined")
    }
    guard let status else { return false }
    guard status.kind == kind, status.owner == ProcessSession.user, !status.isOpenToOthers else {
      throw PrivateFolderError(.foreign, "\(path) does not belong to this user alone")
    }
    return true
  }
}

/// A fault of a private folder.
package struct PrivateFolderError: Error, Sendable {
  package enum Code: Sendable {
    /// Somebody else can read or replace a file.
    case foreign
    /// A file cannot be written.
    case refused
  }

  package let code: Code
  package let reason: String

  package init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}

/// A failed operation on a file. The caller does not need the cause.
package struct UnexplainedFailure: FileFailure {
  package let errno: Int32?

  package init(_ fault: FileFault, at path: String) { errno = fault.errno.number }
}
