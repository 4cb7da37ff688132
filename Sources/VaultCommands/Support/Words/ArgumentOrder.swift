/// Lets options that every command takes stand before the command: `vault --vault DIR list`.
///
/// The parser knows them only behind the command, so they are moved there.
enum ArgumentOrder {
  private static let optionsWithValue: Set<String> = [
    "--vault", "--vaults", "--in", "--require-fingerprint", "--identity", "--passphrase-file", "--passphrase-fd",
    "--passphrase-command",
    "--max-work-factor", "--lock-timeout",
  ]
  private static let flags: Set<String> = [
    "-q", "--quiet", "-v", "--verbose", "-y", "--yes", "--json", "--no-color", "--no-input", "--no-reveal",
  ]

  /// The arguments with leading global options behind the command; unchanged where they begin with anything else.
  static func normalised(_ arguments: [String]) -> [String] {
    var leading: [String] = []
    var rest = arguments[...]
    while let argument = rest.first, argument.hasPrefix("-") {
      let name = argument.prefix { $0 != "=" }
      if flags.contains(argument) || (argument.contains("=") && optionsWithValue.contains(String(name))) {
        leading.append(rest.removeFirst())
      } else if optionsWithValue.contains(argument), rest.count > 1 {
        leading += rest.prefix(2)
        rest.removeFirst(2)
      } else {
        return arguments
      }
    }
    guard !leading.isEmpty, !rest.isEmpty else { return arguments }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + leading + rest[end...]
  }
}
