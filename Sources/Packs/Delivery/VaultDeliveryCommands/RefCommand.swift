import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

struct RefCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "ref",
    abstract: "Print the reference to a value, for `vault run` and for files.",
    discussion: """
      Example:
        vault ref GitHub password

      The reference has the id of the record, followed by its present name as a label. It stays valid if the record is \
      renamed; the old label is then reported. With --name, the reference has the name alone. No key is needed.
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email; none with --view url.", valueName: "field"))
  var path: String?

  @Flag(help: "Use the record's name instead of its id.")
  var name = false

  @Option(help: ArgumentHelp("otp for the code of a key, url for the address of a database.", valueName: "view"))
  var view: View?

  enum View: String, ExpressibleByArgument, CaseIterable {
    case otp, url

    var ofReference: SecretReference.View { self == .otp ? .otp : .url }
  }

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard (path == nil) == (view == .url) else {
      throw CommandError.usage(
        nil, view == .url ? "--view url takes no field" : "a field is missing",
        view == .url ? "leave out the field" : "add a field")
    }
    let path = try path.map { text in try MemberPath.argument(text, of: "FIELD") }
    let session = try Session(vault, global)
    let record = try await session.locked.record(session.resolve(record))
    let word = name && !record.name.isEmpty ? record.name : record.id.text
    let label = name || record.name.isEmpty ? nil : record.name
    let reference = SecretReference(record: word, path: path, view: view?.ofReference, label: label)
    _ = try await session.field(of: reference)
    guard global.json else { return try Output.line("\(reference)") }
    try Output.document(["reference": "\(reference)", "id": record.id])
  }
}
