import VaultKit
import VaultSystem
import VaultTerminal

/// A file system on which a lock of this program may hold for one machine, or for one mount, alone.
package struct UnsharedLocks {
  /// Its type as `mount` shows it: `nfs4`, `fuse.sshfs`.
  let type: String

  /// Network file systems, and those that share a folder of a host with its guests. Of FUSE every type counts, such as
  /// `fuse.sshfs`, but not `fuseblk`, which is a disk of this machine.
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

  /// The file system that holds a folder, or will hold a folder that is not there yet; nil if its locks are shared.
  package init?(at folder: String) {
    var place = folder
    while System.kind(of: place) == nil, place.contains("/"), place != "/" { place = System.parent(of: place) }
    if System.kind(of: place) == nil { place = "." }
    guard let type = System.mountType(of: ProcessEnvironment.realPath(place) ?? place) else { return nil }
    self.init(type: type)
  }

  package var text: String {
    "the vault lies on \(type), which may not share locks with other machines or other mounts"
  }

  package static let advice =
    "let one machine at a time write, or share the vault by git or in a database (`vault help scaling`)"
}

extension Session {
  /// Says before the first write of this machine that locks may not hold where the vault lies.
  func noteUnsharedLocks() {
    guard !location.isDatabase, let disk = UnsharedLocks(at: location.path) else { return }
    // If nothing can be remembered, every write says it.
    guard (try? pin.state?.noteDisk(disk.type, of: locked)) ?? true else { return }
    messages.note("\(disk.text): \(UnsharedLocks.advice)")
  }
}
