import ArgumentParser
import VaultTerminal

extension GitCommand {
  /// The text conversion that shows a file of a vault (gitattributes(5)).
  struct Textconv: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "textconv",
      abstract: "For git: print a file of a vault as lines, sealed values masked.",
      discussion: """
        A member each line. Of a sealed value it says when it was sealed, and six digits that change with it. A file that \
        is no document is printed as it is.

        Example:
          vault git textconv records/51/ID.json
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
