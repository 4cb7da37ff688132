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
      It names the record by its id, and its present name is a label behind it: the reference holds when the record gets \
      another name, and says then that it has. With --name it is the name alone. No key is needed.

      Example:
        vault ref GitHub password
      """)

  @Argument(help: "An id, an exact name, or the beginning of an id.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email; none with --view url.", valueName: "field"))
  var path: String?

  @Flag(help: "Name the record by its name.")
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
        "arguments", view == .url ? "--view url takes no field" : "names no field", "give a field")
    }
    let path = try path.map { text in try MemberPath.argument(text, of: "path") }
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
