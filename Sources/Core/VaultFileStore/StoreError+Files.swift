package import VaultStorage
package import VaultSystem

/// The file layer with the errors of stores.
package typealias FileSystem = VaultSystem.FileSystem<StoreError>

extension Fault: FileFailure where Layer == StoreLayer {
  package init(_ fault: FileFault, at path: String) {
    switch fault {
    case .system(let errno): self.init(errno, at: path)
    case .symbolicLink: self.init(.symbolicLink, reason: "is a symbolic link, which is not followed", path: path)
    case .notARegularFile: self.init(.notARegularFile, reason: "is not a regular file", path: path)
    case .tooLarge: self.init(.tooLarge, reason: "the file is over its size limit", path: path)
    case .changed: self.init(.changedUnderneath, reason: "the file changed while it was being read", path: path)
    case .unverified: self.init(.unverifiedWrite, reason: "the file does not read back as it was written", path: path)
    case .noLocks(let errno):
      self.init(.noLocks, reason: "the file system does not support locks", path: path, errno: errno.number)
    case .ending: self.init(.ioFailed, reason: "this process is ending", path: path)
    }
  }

  private init(_ errno: Errno, at path: String) {
    let (kind, reason) = errno.meaning
    let code: Code =
      switch kind {
      case .exists: .alreadyExists
      case .noSpace, .fileSizeLimit: .diskFull
      case .forbidden: .permissionDenied
      case .readOnly: .readOnly
      case .missing: .missing
      case .notADirectory: .notADirectory
      case .notARegularFile: .notARegularFile
      case .symbolicLink: .symbolicLink
      case .failed: .ioFailed
      }
    self.init(code, reason: reason, path: path, errno: errno.number)
  }
}
