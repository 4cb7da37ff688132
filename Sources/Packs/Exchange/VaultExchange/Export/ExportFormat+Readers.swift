extension ExportFormat {
  /// The parts of a value that readers of a format evaluate, and how the export handles them.
  ///
  /// `docs/formats.md` has the same rows.
  package var evaluation: (evaluated: String, export: String) {
    switch self {
    case .csv, .onePasswordCSV:
      ("spreadsheets: a cell that begins with `= + - @`, a tab or a line end", "unchanged; a note counts them")
    case .yaml: ("nothing: each text stands in double quotes", "unchanged")
    case .env: ("a shell: nothing between single quotes", "each value stands in single quotes")
    case .dotenv:
      (
        "`${NAME}`, and in double quotes `$NAME`, `$(…)` and `` `…` ``, each by some readers",
        "single quotes where all readers agree on them; notes count the others"
      )
    case .bitwarden: ("nothing", "unchanged")
    case .keepassXML, .kdbx:
      ("KeePass and KeePassXC: placeholders such as `{USERNAME}`", "unchanged: there is no escape")
    case .sops: ("nothing", "unchanged")
    case .netrc: ("nothing", "quotes where a word needs them; a note counts line ends, which only curl reads")
    case .pgpass: ("nothing", "`:` and `\\` escaped")
    case .kubernetes: ("nothing: values are in base64", "unchanged")
    case .ansibleVault:
      (
        "Ansible: templates such as `{{ … }}`",
        "the tag `!unsafe` for each text that is not like a number or a word such as `yes`; no name begins with `ansible_`"
      )
    }
  }
}
