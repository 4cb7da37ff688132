internal import CDynamicLibraries
package import VaultCrypto
package import VaultSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Files without a name, in memory.
package enum MemoryFile {
  /// A file that holds a value. Nobody can write to it, and it ends with the last process that has it open.
  ///
  /// Linux only (memfd_create(2)); elsewhere it fails.
  ///
  /// - Parameter isInherited: whether every started program gets it, under the same number.
  /// - Returns: its descriptor, at the beginning of the file.
  package static func sealed(_ value: SecretBytes, isInherited: Bool) throws(Errno) -> Int32 {
    try value.withBytes { bytes throws(Errno) in try sealed(bytes, isInherited: isInherited) }
  }

  /// Like `sealed(_:isInherited:)`, for bytes that are not in locked memory.
  package static func sealed(_ bytes: RawSpan, isInherited: Bool) throws(Errno) -> Int32 {
    #if os(Linux)
      // MFD_CLOEXEC and MFD_ALLOW_SEALING of linux/memfd.h, F_ADD_SEALS and all four seals of linux/fcntl.h, which no
      // module declares.
      let (closing, allowSealing, addSeals, seals): (UInt32, UInt32, Int32, Int32) = (1, 2, 1033, 0xF)
      let descriptor = unsafe memfd_create("cvault", isInherited ? allowSealing : allowSealing | closing)
      guard descriptor >= 0 else { throw .current }
      do throws(Errno) {
        var count = 0
        while count < bytes.byteCount {
          count += try LiveFileOperations().write(bytes.extracting(droppingFirst: count), to: descriptor, from: count)
        }
        guard fchmod(descriptor, 0o400) == 0, fcntl(descriptor, addSeals, seals) == 0 else { throw .current }
      } catch {
        LocalSocket.close(descriptor)
        throw error
      }
      return descriptor
    #else
      throw .notSupported
    #endif
  }
}
