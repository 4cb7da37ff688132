import ArgumentParser
import VaultTerminal

extension GitCommand {
  /// The text conversion that shows a file of a vault (gitattributes(5)).
  struct Textconv: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "textconv",
      abstract: "For git: print a file of a vault as lines, with sealed values masked.",
      discussion: """
        Example:
          vault git textconv records/51/ID.json

        The command prints one line for each member. For a sealed value it shows the time of sealing, and six digits \
        that change with the value. A file that is not a document is printed as it is.
        """)

    @Argument(help: "The file.")
    var file: String

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      try Output.write(
        Array((MaskedText(TextInput.file(file, limit: 512 << 20)).lines.joined(separator: "\n") + "\n").utf8))
    }
  }
}
