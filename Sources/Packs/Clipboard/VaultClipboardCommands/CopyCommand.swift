import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

struct CopyCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy one value of a record to the clipboard for a while.",
    discussion: """
      Example:
        vault copy GitHub

      Without a field it copies the main secret of the record, such as the password of a login. After 45 seconds it \
      empties the clipboard if that still holds the value. It uses wl-copy, xclip or xsel. Over ssh, --via osc52 gives \
      the value to the terminal, which must allow it.
      """,
    aliases: ["cp"])

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email.", valueName: "field"))
  var path: String?

  @OptionGroup(title: "Clipboard") var clipboard: ClipboardOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let field = try FieldArgument(record, path)
    let target = try clipboard.clipboard()
    let session = try Session(vault, global)
    let found = try await field.record(in: session, unlocking)
    let chosen = try field.path.map(found.readingPlace) ?? (field.view == .url ? .root : found.mainSecret())
    let seconds = try await CommandError.naming(membersOf: found) {
      func put(_ value: RawSpan) throws -> Int? {
        try clipboard.put(
          value, in: target,
          by: found.revealing(field.view == .url ? nil : chosen, view: field.view, "--via osc52", global))
      }
      if let reference = field.reference { return try found.value(of: reference).withBytes(put) }
      return try found.withValue(at: chosen, put)
    }
    guard !global.json else {
      return try Output.document(["id": found.id, "path": chosen.description, "clear_after": seconds])
    }
    clipboard.report(
      "\(field.view == .url ? "address" : "\(chosen)") of \(found.name)", in: target, clearedAfter: seconds, global)
  }
}

/// `vault clear-clipboard`: the process that continues after `vault copy`.
struct ClearClipboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear-clipboard", abstract: "Started by `vault copy`.", shouldDisplay: false)

  @OptionGroup var clipboard: ClipboardOptions

  func run() async throws {
    try await ClipboardClearing(clipboard: clipboard.clipboard(), seconds: clipboard.clearAfter).waitAndClear()
  }
}
