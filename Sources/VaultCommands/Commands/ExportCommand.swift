import ArgumentParser
import VaultDocument
import VaultKit
import VaultSealing

/// `vault export`: records go out.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write records out as JSON or a property list, in the order of their ids.",
    discussion: """
      Sealed fields are left out unless they are revealed, which is asked about on a terminal. Without --json the format \
      json is a plain array that `vault import json` reads, as long as --keys does not change the names.

      Example:
        vault export --reveal --output customers.json --identity identity.txt
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, jsonl, plist
    case plistBinary = "plist-binary"
  }

  enum Keys: String, ExpressibleByArgument, CaseIterable {
    case snake, camel, kebab

    var style: KeyStyle {
      switch self {
      case .snake: .snake
      case .camel: .camel
      case .kebab: .kebab
      }
    }
  }

  @Option(help: "Only records of this kind.")
  var kind: String?

  @Option(help: "An array as json, plist (XML) or plist-binary, or one object a line (jsonl).")
  var format: Format = .json

  @Option(help: "How the words of member names are joined: snake, camel or kebab.")
  var keys: Keys?

  @Flag(help: "Open the sealed fields.")
  var reveal = false

  @Flag(help: "Keep the sealed fields as tokens.")
  var sealed = false

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to a file; it appears whole or not at all.", valueName: "file"))
  var output: String?

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    guard !(reveal && sealed) else { throw CommandError.usage("--sealed", "cannot be used together with --reveal") }
    guard !global.json || format == .json else {
      throw CommandError.usage("--format", "\(format.rawValue) cannot be used together with --json")
    }
    let session = try Session(vault, global)
    let opened = reveal ? try await session.unlock(unlocking) : try await session.unlockWhereItHelps(unlocking)
    if reveal, global.canAsk { try global.confirm("Write the secrets of this vault in clear to \(destination)?") }
    let count = try write(session, opened)
    if opened == nil { global.messages.note(Messages.unverifiedNote) }
    if count > 0 { global.messages.note("\(count) sealed field\(count == 1 ? "" : "s") left out: --reveal opens them") }
  }

  private var destination: String { output == nil || output == "-" ? "stdout" : output ?? "" }

  /// - Returns: how many sealed fields were left out.
  private func write(_ session: Session, _ opened: Vault?) throws -> Int {
    guard let output, output != "-" else { return try stream(session, opened) { try Output.write($0) } }
    let file = try AtomicFile.beginning(at: output)
    let count = try stream(session, opened) { try file.write($0) }
    try file.commit()
    return count
  }

  private func stream(_ session: Session, _ opened: Vault?, _ write: (RawSpan) throws -> Void) throws -> Int {
    try withoutActuallyEscaping(write) { write in
      var stream = RecordStream(shape: shape, keys: keys?.style, OutputBuffer(to: write))
      try stream.begin()
      try forEachView(session, opened) { view in try stream.append(view, reveal: reveal, sealed: sealed) }
      try stream.end(isVerified: opened != nil)
      return stream.leftOutCount
    }
  }

  private var shape: RecordStream.Shape {
    switch format {
    case .json: global.json ? .document : .array
    case .jsonl: .lines
    case .plist: .propertyList(.propertyList)
    case .plistBinary: .propertyList(.binaryPropertyList)
    }
  }

  /// Every record of the kind; the first one that is damaged ends it.
  private func forEachView(
    _ session: Session, _ opened: Vault?, _ body: (RecordView) throws -> Void
  ) throws {
    let progress = Progress("exported", global)
    var failure: (any Error)?
    func take(_ isWanted: (String) -> Bool, _ kind: String, _ view: () throws -> RecordView) -> Bool {
      guard isWanted(kind) else { return true }
      do {
        try body(view())
        progress.advance()
        return true
      } catch {
        failure = error
        return false
      }
    }
    let isWanted = { (name: String) in kind.map { $0.utf8.elementsEqual(name.utf8) } ?? true }
    if let opened {
      do throws(VaultError) {
        try opened.forEachOpenRecord { record throws(VaultError) in
          guard take(isWanted, record.envelope.kind, { try RecordView(record, revealed: reveal) }) else {
            throw VaultError(.internalFailure, "stopped")
          }
        }
      } catch {
        throw failure ?? error
      }
    } else {
      try session.locked.forEachRecord { result in
        switch result {
        case .success(let record): return take(isWanted, record.envelope.kind) { RecordView(record) }
        case .failure(let error):
          failure = error
          return false
        }
      }
    }
    progress.end()
    if let failure { throw failure }
  }
}
