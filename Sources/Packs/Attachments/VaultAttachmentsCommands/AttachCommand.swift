import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSealing
import VaultSystem
import VaultTerminal

struct AttachCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Attach files of up to 1 GiB each to a record.",
    discussion: """
      Example:
        vault attach "Shai Mishali" contract.pdf scan.tiff
        tar c keys | vault attach Office - --name keys.tar

      Each file is sealed into a file of the vault while it is read, and is never in memory as a whole. Either all \
      files are attached, or none. Their names and sizes stay readable.
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("The files; - is standard input and needs --name.", valueName: "file"))
  var file: [String]

  @Option(help: ArgumentHelp("The name of the file in the vault; for one file only.", valueName: "name"))
  var name: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard name == nil || file.count == 1 else {
      throw CommandError.usage("--name", "can name only one file", "attach the files one after the other")
    }
    let sources = try sources()
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    let attached: [Attachment]
    do throws(VaultError) {
      attached = try await opened.attach(sources, to: found.id)
    } catch {
      guard error.code == .alreadyExists else { throw error }
      throw CommandError(error).hinting(
        "give the file another name with --name, or delete the old one with `vault detach RECORD NAME`")
    }
    let words = counted(attached.count, "file") + " attached"
    guard global.json else { return global.messages.note(words) }
    try Output.afterwards(words, hint: "`vault attachments RECORD` shows what is attached") {
      try Output.document(["attachments": attached, "id": found.id])
    }
  }
}

extension AttachCommand {
  private func sources() throws -> [AttachmentSource] {
    do {
      return try file.map { try AttachedFile($0).source(named: name) }
    } catch let error as SystemError where System.kind(of: record) == .regular {
      throw CommandError(any: error).hinting("the record comes first: `vault attach RECORD FILE`")
    }
  }
}

private final class AttachedFile: Sendable {
  private static let pieceByteCount = 1 << 18

  private let path: String
  /// Nil for standard input.
  private let file: NamedFile?

  init(_ path: String) throws {
    self.path = path
    file = path == "-" ? nil : try NamedFile.reading(path)
  }

  /// - Parameter given: the name that the user asked for.
  func source(named given: String?) throws -> AttachmentSource {
    guard file != nil || given != nil else {
      throw CommandError.usage("-", "standard input has no file name", "give a name with --name")
    }
    let name = given ?? path.split(separator: "/").last.map(String.init) ?? path
    guard Attachment.isGood(name: name) else {
      throw CommandError.usage(
        "--name", "the name of an attachment must have 1 to 255 bytes, no slash and no control character",
        "give another name with --name")
    }
    return AttachmentSource(name: name) { () throws(VaultError) in try self.next() }
  }

  private func next() throws(VaultError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
    do throws(SystemError) {
      var span = piece.mutableSpan
      // Unsafe because any bytes can be stored; a UInt8 may be any byte.
      var raw = unsafe span.mutableBytes
      let count = try System.readSome(into: &raw, at: 0, from: descriptor, path: path)
      piece.removeLast(piece.count - count)
      return piece
    } catch {
      throw VaultError(.ioFailed, "cannot be read", file: path, remedies: ["nothing was attached"], underlying: error)
    }
  }

  private var descriptor: Int32 {
    switch file {
    case .some(let file): file.descriptor
    case nil: System.standardInput
    }
  }
}
