import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

struct ForgetCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Drop the former values of a record for good.",
    discussion: """
      The present values stay. Without FIELD the command drops the former values of every field. It asks at a \
      terminal; without a terminal it needs --yes. Copies in git and in backups stay.

      Example:
        vault forget GitHub password
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email.", valueName: "field"))
  var path: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard global.yes || global.canAsk else { throw CommandError.unconfirmed() }
    let named = try path.map { text in try MemberPath.argument(text, of: "FIELD") }
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    let path = try named.map { path in try place(of: path, in: found) }
    let count = try path.map { path in try found.formerSecrets(at: path).count } ?? found.envelope.former.all.count
    if count > 0 {
      let values = counted(count, "former value")
      try global.confirm("Drop \(values) of \(path.map { "\($0) of " } ?? "")\(found.shownName) for good?")
    }
    let dropped = count > 0 ? try await opened.forgetFormer(at: path, of: found.id) : 0
    guard !global.json else { return try Output.document(["forgotten": dropped, "id": found.id]) }
    let words = dropped == 0 ? "there are no former values" : "\(counted(dropped, "former value")) dropped"
    global.messages.note("\(found.shownName): \(words)")
  }

  /// The field, in its own spelling. A field that the record cannot have is refused.
  private func place(of path: MemberPath, in found: OpenRecord) throws -> MemberPath {
    let place = found.formerPlace(of: path)
    guard !found.pathsWithFormerSecrets.contains(place), found.kind?.value(at: place) == nil else { return place }
    // A field without a description must be in the record.
    _ = try found.value(at: place)
    return place
  }
}
