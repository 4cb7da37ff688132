import VaultKit
import VaultSystem
import VaultTerminal

/// A file system whose locks may hold only for one machine or for one mount.
package struct UnsharedLocks {
  /// Its type in `mount`, such as `nfs4` or `fuse.sshfs`.
  let type: String

  /// Network file systems, and shared folders of virtual machines. Every FUSE type counts, such as `fuse.sshfs`, except
  /// `fuseblk`, which is a local disk.
  private static let types: Set<String> = [
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fhgfs", "fuse", "glusterfs", "gpfs",
    "lustre", "ncp", "ncpfs", "nfs", "nfs4", "orangefs", "panfs", "prl_fs", "pvfs2", "smb2", "smb3", "smbfs", "vboxsf",
    "virtiofs", "vmhgfs",
  ]

  /// Nil for any other type.
  init?(type: String) {
    guard Self.types.contains(type) || type.hasPrefix("fuse.") else { return nil }
    self.type = type
  }

  /// The file system of a folder, which may not exist yet; nil if its locks are shared.
  package init?(at folder: String) {
    var place = folder
    while System.kind(of: place) == nil, place.contains("/"), place != "/" { place = System.parent(of: place) }
    if System.kind(of: place) == nil { place = "." }
    guard let type = System.mountType(of: ProcessEnvironment.realPath(place) ?? place) else { return nil }
    self.init(type: type)
  }

  package var text: String {
    "the vault is on \(type), which may not share locks with other machines or other mounts"
  }

  package static let advice =
    "let only one machine write at a time, or share the vault by git or in a database (`vault help scaling`)"
}

extension Session {
  /// Warns before the first write of this machine that locks may not hold at the place of the vault.
  func noteUnsharedLocks() {
    guard !location.isDatabase, let disk = UnsharedLocks(at: location.path) else { return }
    // If nothing can be remembered, every write prints the warning.
    guard (try? pin.state?.noteDisk(disk.type, of: locked)) ?? true else { return }
    messages.note("\(disk.text): \(UnsharedLocks.advice)")
  }
}
