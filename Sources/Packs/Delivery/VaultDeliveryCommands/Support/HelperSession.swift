import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

/// A vault for another program. No questions are asked, and a vault in the working directory of that program is not
/// used.
struct HelperSession {
  let session: Session
  private let unlocking: UnlockOptions

  init(_ vault: VaultOptions, unlocking: UnlockOptions, global: GlobalOptions) throws {
    var global = global
    global.noInput = true
    let location = try VaultLocation.find(vault)
    guard location.origin != .parent, location.member?.isOfFoundSet != true else {
      throw CommandError(
        .unexpectedVault, "unknown_vault", subject: location.path,
        "was only found by searching, but a helper needs a vault that is named",
        hints: ["name the vault with --vault DIR in the helper's configuration, or with CVAULT_DIR"])
    }
    session = try Session(vault, global)
    self.unlocking = unlocking
  }

  /// The one login for a place, verified; nil for none.
  func login(for place: LoginPlace) async throws -> OpenRecord? {
    let found = try await session.locked.logins(for: place)
    guard let first = found.first else { return nil }
    guard found.count == 1 else {
      var error = CommandError(
        .notFound, "ambiguous_record", subject: nil, "\(found.count) logins have this address",
        hints: found.prefix(10).map { "\($0.id.text)  \($0.name)" })
      error.hints.append("let the program say which user, or give one of them a longer path")
      throw error
    }
    let record = try await record(first.id.text)
    guard place.isFor(record) else {
      throw VaultError(.changedUnderneath, "is now for another address", record: record.id)
    }
    return record
  }

  /// The record of a full id or a full name.
  func record(_ word: String) async throws -> OpenRecord {
    let id: RecordID
    do throws(VaultError) {
      id = try await session.locked.record(of: SecretReference(record: word, path: nil)).id
    } catch {
      throw CommandError(error).about(word)
    }
    let opened = try await explained { try await session.unlock(unlocking) }
    return try await session.record(id.text, in: opened)
  }

  /// The vault, to store data of the other program.
  func vaultToWrite() async throws -> Vault {
    try await explained { try await session.unlock(unlocking, to: .writing) }
  }

  private func explained(_ unlock: () async throws -> Vault) async throws -> Vault {
    do {
      return try await unlock()
    } catch let error as CommandError where error.status == .cannotUnlock {
      // The user has typed the name of another program, which can be run again.
      var locked = error
      locked.hints.insert("run `vault unlock` in a terminal and try again: this helper cannot ask", at: 0)
      throw locked
    }
  }
}

extension OpenRecord {
  /// A value for a line-based protocol.
  func line(at path: String) throws -> SecretBytes {
    let value = try value(of: SecretReference(record: id.text, path: MemberPath(parsing: path)))
    let isLine = value.withBytes { bytes in
      !bytes.byteOffsets.contains { [0, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes.byte(at: $0)) }
    }
    guard isLine else {
      var refused = CommandError(
        .inputRefused, "input_refused", subject: "\(path) of \(name)",
        "has several lines or a NUL, which cannot be passed to that program")
      (refused.record, refused.field) = (id.text, path)
      throw refused
    }
    return value
  }

  func has(_ path: String) -> Bool { fields[path]?.string != nil }
}
