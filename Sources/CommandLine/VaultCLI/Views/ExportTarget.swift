package import VaultAge
package import VaultCrypto
import VaultSystem
package import VaultTerminal

/// The target of an export: standard output or a file, in clear or sealed to recipients.
package struct ExportTarget {
  /// Nil for standard output.
  package let file: String?
  /// The recipients that can open the whole export; empty for an export in clear.
  package let recipients: [AgeRecipient]

  package init(output: String?, recipients: [AgeRecipient]) {
    file = output == "-" ? nil : output
    self.recipients = recipients
  }

  /// Asks before a file is replaced. Without a terminal, `--yes` is required.
  package func checkReplacing(_ global: GlobalOptions) throws {
    guard let file, case .regular? = System.kind(of: file), !global.yes else { return }
    guard global.canAsk else {
      throw CommandError(
        .alreadyExists, "already_exists", subject: file, "already exists",
        hints: ["add --yes to replace it", "or name another file"])
    }
    try global.confirm("\(file) already exists. Replace it?")
  }

  /// Refuses a file that git would track.
  package func checkGit(_ global: GlobalOptions) throws {
    guard let file, !global.yes, let reason = Packs.history?.tracking(file) else { return }
    throw CommandError(
      .inputRefused, "input_refused", subject: file, reason,
      hints: ["add the file to .gitignore, or write it elsewhere; --yes writes it anyway"])
  }

  /// The end of the question whether secrets may go there.
  package var description: String {
    let place = file ?? "stdout"
    return switch recipients.count {
    case 0: "in clear to \(place)"
    case 1: "to \(place), sealed to 1 recipient"
    default: "to \(place), sealed to \(recipients.count) recipients"
    }
  }

  /// Gives `body` a function that takes the bytes. A file appears only after `body` has returned.
  package func write(_ body: (@escaping (RawSpan) throws -> Void) async throws -> Void) async throws {
    guard let file else { return try await sealing(body) { try Output.write($0) } }
    let whole = WholeFile(try OutputFile.replacing(file))
    try await sealing(body) { try whole.write($0) }
    try whole.commit()
  }

  /// Writes one secret.
  package func write(_ secret: SecretBytes, by _: Revealing) async throws {
    try await write { write in try secret.withBytes { try write($0) } }
  }

  private func sealing(
    _ body: (@escaping (RawSpan) throws -> Void) async throws -> Void, _ write: @escaping (RawSpan) throws -> Void
  ) async throws {
    guard !recipients.isEmpty else { return try await body(write) }
    do {
      let writer = try AgeWriter(to: recipients, write: write)
      try await body { try writer.append($0) }
      try writer.finish()
    } catch let error as AgeError {
      // The underlying error says more than the failure to write the file.
      throw error.underlying ?? error
    }
  }
}

extension VaultLocation {
  /// Refuses an output file inside the vault: it could replace the header, and would travel with the vault.
  package func checkOutside(_ file: String?) throws {
    guard let file, try holds(file) else { return }
    throw CommandError(
      .inputRefused, "input_refused", subject: file, "is in the vault, but exported values must stay outside",
      hints: ["name a file outside the vault; nothing was written"])
  }
}

/// Holds a file that cannot be copied, so that an escaping closure can write to it.
private final class WholeFile {
  private var file: OutputFile?

  init(_ file: consuming OutputFile) { self.file = consume file }

  func write(_ bytes: RawSpan) throws { try file?.write(bytes) }

  func commit() throws {
    if let file = file.take() { try file.commit() }
  }
}
