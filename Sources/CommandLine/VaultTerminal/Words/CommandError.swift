package import VaultAge
import VaultCrypto
package import VaultDocument
package import VaultKit
import VaultRecords
import VaultSealing
package import VaultSystem

/// An error of the command line: its subject, the reason, and what to do next.
///
/// Like the errors of lower layers, it never holds a field's value, a key, a passphrase or imported text.
package struct CommandError: Error {
  package var status: ExitStatus
  /// The code for programs, such as `no_such_record`.
  package var code: String
  /// A file, record, field or option.
  package var subject: String?
  package var reason: String
  package var file: String?
  package var record: String?
  package var field: String?
  package var hints: [String] = []
  package private(set) var vaultCode: VaultError.Code?
  /// The text that `--verbose` adds.
  package var detail: String?

  package init(_ status: ExitStatus, _ code: String, subject: String?, _ reason: String, hints: [String] = []) {
    self.status = status
    self.code = code
    self.subject = subject
    self.reason = reason
    self.hints = hints
  }

  package init(_ error: VaultError) {
    self.init(
      ExitStatus(error.code), snakeCase(error.code.description), subject: error.subject, error.reason,
      hints: error.hints)
    vaultCode = error.code
    file = error.file
    record = error.record?.text
    field = error.field
    detail = error.underlying.map { "\($0)" }
    if let words = error.wordsOfDatabase { hints.append("the database: \(words)") }
  }

  /// The same error with a subject that the lower layer does not know, such as the word for a record.
  package func about(_ subject: String) -> CommandError {
    var error = self
    error.subject = subject
    return error
  }

  package func hinting(_ hints: String...) -> CommandError {
    var error = self
    error.hints += hints
    return error
  }

  package func suggesting(_ word: String, among names: [String]) -> CommandError {
    Suggestion.hint(for: word, among: names).map { hinting($0) } ?? self
  }

  package static func usage(_ subject: String?, _ reason: String, _ hints: String...) -> CommandError {
    CommandError(.usage, "usage", subject: subject, reason, hints: hints)
  }
}

extension CommandError {
  /// An error of an unknown type becomes a fixed sentence, so that its text cannot show a value.
  package init(any error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as VaultError: self.init(error)
    case let error as SystemError: self.init(error)
    case let error as PrivateFolderError: self.init(error)
    case let error as any CommandErrorConvertible: self = error.commandError
    case let error as AgeError: self.init(error, subject: nil)
    case let error as CryptoError: self.init(error)
    case let error as RecordError: self.init(error)
    case let error as DocumentError:
      self.init(.inputRefused, "input_refused", subject: nil, error.description)
    case let error as SealingError:
      self.init(.damaged, "damaged", subject: error.path, error.reason)
    default: self.init(.failed, "internal_failure", subject: "vault", "an unknown error occurred")
    }
  }

  package init(_ error: SystemError) {
    let path = error.path
    if error.isMissing {
      // The name of an empty variable would be invisible.
      let subject = path == "" ? "\"\"" : path
      let isNew = error.isOfNewFile
      self.init(
        .inputOutput, "io_failed", subject: isNew ? subject.map { "the folder of \($0)" } : subject, "does not exist",
        hints: [isNew ? "make the folder, or name another path" : "check the path"])
    } else if error.kind == .exists {
      self.init(.alreadyExists, "already_exists", subject: path, "already exists", hints: ["name another file"])
    } else if error.isForbidden {
      self.init(
        .inputOutput, "permission_denied", subject: path, "cannot be \(error.action): the system forbids it",
        hints: ["check its owner and its mode"])
    } else if error.kind == .noSpace {
      self.init(
        .inputOutput, "disk_full", subject: path, "cannot be \(error.action): no space is left",
        hints: ["free some space and try again"])
    } else if error.isClosed, path?.hasPrefix("--") == true {
      self.init(
        .inputOutput, "io_failed", subject: path, "the descriptor is not open",
        hints: ["open the descriptor, such as with `3< FILE`, and try again"])
    } else if error.isDirectory {
      self.init(.inputOutput, "io_failed", subject: path, "is a folder", hints: ["name a file"])
    } else {
      self.init(
        .inputOutput, "io_failed", subject: path, "cannot be \(error.action) (error \(error.number))",
        hints: ["check the path and its device"])
    }
    file = path
  }

  /// The error for an age file, identity or recipient from the user.
  package init(_ error: AgeError, subject: String?) {
    let place = error.line.map { "line \($0): " } ?? ""
    self.init(.cannotUnlock, "no_key", subject: subject, place + error.reason)
    detail = error.underlying.map { "\($0)" }
  }

  init(_ error: CryptoError) {
    self.init(.failed, "crypto_failed", subject: "memory", error.reason)
    hints = ["raise the limit of locked memory (`ulimit -l`)"]
  }

  init(_ error: RecordError) {
    self.init(.inputRefused, snakeCase(error.code.description), subject: error.path, error.reason)
    field = error.path
  }

  /// The error for a document from the user that is not JSON of this format.
  package init(_ error: DocumentError, in file: String) {
    self.init(.inputRefused, "input_refused", subject: file, error.description)
    self.file = file
    hints = ["correct the file and try again; nothing was changed"]
  }
}

/// The name in snake case: `noSuchRecord` becomes `no_such_record`.
package func snakeCase(_ name: String) -> String { KeyStyle.snake.name(for: name) }

/// An error of a pack, which no other part of the program knows.
package protocol CommandErrorConvertible: Error {
  var commandError: CommandError { get }
}

/// Ends a command that has said everything already.
package struct Finished: Error {
  package let status: ExitStatus

  package init(status: ExitStatus) {
    self.status = status
  }
}

extension CommandError {
  /// The error for a fault of the folder whose files last only as long as a login.
  package init(_ error: PrivateFolderError) {
    switch error.code {
    case .foreign:
      self.init(
        .unexpectedVault, "foreign_agent", subject: "agent", error.reason,
        hints: [
          "somebody else may be listening: check the owner and the mode of the folder",
          "CVAULT_NO_AGENT=1 uses no agent",
        ])
    case .refused: self.init(.inputOutput, "agent_failed", subject: "agent", error.reason)
    }
  }
}
