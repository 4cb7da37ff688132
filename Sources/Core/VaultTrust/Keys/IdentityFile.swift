public import VaultAge
public import VaultCrypto
internal import VaultFileStore
internal import VaultStorage
internal import VaultSystem

extension AgeIdentityFile {
  /// The identities in a file, as `age-keygen` writes it. The content of the file stays in secure memory.
  ///
  /// ```swift
  /// let key = VaultKey.identities(try AgeIdentityFile.read(at: "identity.txt"))
  /// let vault = try await Vault.open(at: "customers", unlockingWith: key)
  /// ```
  ///
  /// - Returns: at least one identity, in the order of the file.
  /// - Throws: ``VaultError`` `.ioFailed`, `.permissionDenied` if the file cannot be read; `.inputRefused` if it holds
  ///   no identity, or has more than 1 MiB, or is sealed.
  public static func read(at path: String) throws(VaultError) -> [AgeIdentity] {
    try read(at: path, passphrase: nil)
  }

  /// The identities in a file that `age -p` may have sealed. The content of the file stays in secure memory.
  ///
  /// - Parameter passphrase: the UTF-8 bytes of the passphrase, which opens a sealed file. Other files do not need it.
  /// - Returns: at least one identity, in the order of the file.
  /// - Throws: ``VaultError`` as ``read(at:)``, and `.wrongPassphrase` if the passphrase does not open the file.
  public static func read(at path: String, passphrase: SecretBytes?) throws(VaultError) -> [AgeIdentity] {
    let file = try inStore { () throws(StoreError) in try Self.bytes(at: path) }
    do throws(AgeError) {
      return try file.withBytes { (bytes) throws(AgeError) in
        guard let passphrase else { return try parse(bytes) }
        return try parse(bytes, passphrase: passphrase)
      }
    } catch {
      throw VaultError(error.code == .wrongPassphrase ? .wrongPassphrase : .inputRefused, error.reason, file: path)
    }
  }

  /// The bytes of a file, or of a pipe that a shell names as a file. Reading stops once the file is known to be too
  /// large.
  private static func bytes(at path: String) throws(StoreError) -> SecretBytes {
    let files = FileSystem<StoreError>()
    let file = try files.open(path, in: OpenPurpose.noDirectory, as: .readingStream, at: path)
    var held: SecretBytes?
    var capacity = 4096
    while true {
      let (more, count) = try filled(held, capacity: capacity) { (span, count) throws(StoreError) in
        try files.call(at: path) { (_) throws(Errno) in
          try LocalSocket.read(file.descriptor, into: &span, at: count)
        }
      }
      if count < capacity || capacity > maximumByteCount {
        guard let bytes = try? more.slice(0..<count) else { break }
        return bytes
      }
      (held, capacity) = (more, capacity * 2)
    }
    throw StoreError(.ioFailed, reason: "does not fit into secure memory", path: path)
  }

  /// The bytes read so far and those that can be read after them, up to `capacity`. The memory has `capacity` bytes,
  /// of which `count` are filled. A lower `count` means the end of the file.
  private static func filled(
    _ held: SecretBytes?, capacity: Int, read: (inout MutableRawSpan, Int) throws(StoreError) -> Int
  ) throws(StoreError) -> (SecretBytes, count: Int) {
    var count = held?.count ?? 0
    var failure: StoreError?
    let bytes = try? SecretBytes(count: capacity) { (span) throws(CryptoError) in
      held?.withBytes { bytes in
        unsafe span.withUnsafeMutableBytes { target in
          unsafe bytes.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
        }
      }
      do throws(StoreError) {
        while count < capacity {
          let added = try read(&span, count)
          if added == 0 { break }
          count += added
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard let bytes else { throw StoreError(.ioFailed, reason: "does not fit into secure memory", path: nil) }
    return (bytes, count)
  }
}
