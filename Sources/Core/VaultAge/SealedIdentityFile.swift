public import VaultCrypto

// Identity files that are themselves sealed with a passphrase, as `age -p` writes them.

extension AgeIdentityFile {
  /// Whether an identity file is itself an age file, binary or armored.
  public static func isSealed(_ file: RawSpan) -> Bool {
    if file.has("age-encryption.org/") { return true }
    return AgeArmor.start(of: file).map { $0 <= AgeArmor.maximumWhiteSpaceCount && file.has(AgeArmor.begin, at: $0) }
      ?? false
  }

  /// The base-two logarithm of scrypt's N for a sealed identity file. No key is derived.
  ///
  /// - Throws: `.noMatchingIdentity` if the file is sealed to recipients; `.malformedHeader`, `.malformedArmor`,
  ///   `.tooLarge`, `.workFactorOutOfRange`.
  public static func workFactor(ofSealed file: RawSpan) throws(AgeError) -> Int {
    let header: AgeHeader
    if AgeArmor.isBegun(in: file) {
      let binary = try AgeArmor.decode(file)
      header = try AgeHeader.parse(RawSpan(_elements: binary.span))
    } else {
      header = try AgeHeader.parse(file)
    }
    guard let workFactor = try header.scryptWorkFactor() else {
      throw AgeError(.noMatchingIdentity, "the identity file is sealed to recipients, not with a passphrase")
    }
    return workFactor
  }

  /// Reads an identity file that may be sealed with a passphrase. The passphrase of a file that is not sealed is
  /// ignored.
  ///
  /// - Parameter passphrase: the UTF-8 bytes of the passphrase.
  /// - Parameter maximumWorkFactor: the highest cost (base-two logarithm) that may be spent on it.
  /// - Returns: at least one identity, in the order of the file.
  /// - Throws: as ``parse(_:)`` and `AgeFile.open`, above all `.wrongPassphrase` and `.workFactorOutOfRange`.
  public static func parse(
    _ file: RawSpan, passphrase: SecretBytes, maximumWorkFactor: Int = 20
  ) throws(AgeError) -> [AgeIdentity] {
    guard isSealed(file) else { return try parse(file) }
    _ = try workFactor(ofSealed: file)
    let opened = try AgeFile.open(
      file, with: [.passphrase(passphrase, maximumWorkFactor: maximumWorkFactor)], encoding: .detected)
    return try opened.withBytes { (bytes) throws(AgeError) in try parse(bytes) }
  }
}
