internal import VaultAge
internal import VaultCrypto
internal import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// The sealed file of a deposit (format 1, section 16, Deposits).
enum DepositFile {
  /// The bytes of the file, sealed to a recipient and padded like a token.
  static func seal(_ deposit: Deposit, for vault: VaultID, to recipient: AgeRecipient) throws(VaultError) -> [UInt8] {
    var payload: [UInt8]
    do throws(DocumentError) {
      payload = try deposit.document(for: vault).compactBytes()
    } catch {
      throw tooLarge
    }
    guard Padding.paddedCount(payload.count) <= Deposit.maximumByteCount else { throw tooLarge }
    Padding.withBytes(after: payload.count) { padding in payload += padding.copiedBytes() }
    do throws(AgeError) {
      return try unsafe AgeFile.seal(payload.span.bytes, to: [recipient])
    } catch {
      throw VaultError(error.isOfOlderLibrary ? .slotRefused : .internalFailure, error.reason, underlying: error)
    }
  }

  /// Opens a file that anybody may have written.
  static func open(
    _ bytes: [UInt8], as id: DepositID, of vault: VaultID, with identities: [AgeIdentity]
  ) throws(VaultError) -> Deposit {
    guard bytes.count <= StoreLocation.inbox(id).byteLimit else {
      throw .notADeposit("is larger than a deposit may be", id)
    }
    let header = try? unsafe AgeHeader.parse(bytes.span.bytes)
    guard header?.stanzas.count == 1 else { throw .notADeposit("is not an age file for one recipient", id) }
    let payload: SecretBytes
    do throws(AgeError) {
      payload = try unsafe AgeFile.open(
        bytes.span.bytes, with: identities.map { .identity($0) }, maximumByteCount: Deposit.maximumByteCount)
    } catch {
      switch error.code {
      case .noMatchingIdentity: throw .notADeposit("is sealed to another recipient than this vault's", id)
      case .cryptoFailed: throw VaultError(.memoryUnavailable, error.reason, underlying: error)
      default: throw .notADeposit("does not open: it was changed, cut or damaged", id)
      }
    }
    return try Deposit(document(in: payload, id), of: vault, named: id)
  }

  private static func document(in payload: SecretBytes, _ id: DepositID) throws(VaultError) -> JSONValue {
    let text = payload.withBytes { bytes in Padding.unpaddedCount(bytes).map { bytes.extracting(0..<$0).copiedBytes() }
    }
    guard let text else { throw .notADeposit("is not padded as the format says", id) }
    do throws(DocumentError) {
      return try JSONParser.parse(text, limits: JSONLimits(byteCount: Deposit.maximumByteCount))
    } catch {
      // The words of the parser could tell where a secret stands, but nothing of it.
      throw .notADeposit("is not strict JSON", id)
    }
  }

  private static var tooLarge: VaultError {
    VaultError(
      .inputRefused, "a deposit can have at most \(Deposit.maximumByteCount >> 10) KiB", remedies: ["make it smaller"])
  }
}

extension VaultError {
  static func file(_ id: DepositID) -> String { StoreLocation.inbox(id).relativePath }

  /// The error for a file in the inbox that is not a deposit for this vault.
  static func notADeposit(_ reason: String, _ id: DepositID) -> VaultError {
    VaultError(.inputRefused, reason, file: file(id), remedies: [])
  }
}
