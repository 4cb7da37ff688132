import ArgumentParser

/// The names that may stand first on the command line.
enum CommandNames {
  static let all =
    VaultCommand.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]

  /// What to say of a first argument that names no command; nil when it names one or is an option.
  ///
  /// The word itself is not repeated: somebody may have typed a secret in the wrong place.
  static func unknown(_ arguments: [String]) -> CommandError? {
    guard let word = arguments.first, !word.hasPrefix("-"), !all.contains(word) else { return nil }
    var error = CommandError.usage("arguments", "the first one names no command")
    if let name = nearest(to: word) { error.hints.append("did you mean `vault \(name)`?") }
    error.hints.append("`vault --help` lists the commands")
    return error
  }

  /// The name that two changed letters make of the word, or less; nil when there is none, or the word is very short.
  private static func nearest(to word: String) -> String? {
    let candidates = all.map { (name: $0, distance: distance(from: Array(word.lowercased()), to: Array($0))) }
    return candidates.filter { $0.distance <= min(2, $0.name.count - 2) }.min { $0.distance < $1.distance }?.name
  }

  /// How many letters have to be added, left out or replaced.
  private static func distance(from word: [Character], to name: [Character]) -> Int {
    guard word.count <= 20 else { return .max }
    var row = Array(0...name.count)
    for (index, letter) in word.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in name.indices {
        let replaced = diagonal + (name[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[name.count]
  }
}
