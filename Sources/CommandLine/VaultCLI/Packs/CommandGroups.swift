import ArgumentParser

/// The commands by what people use them for, in the order of `vault help all`.
enum CommandGroups {
  private static let names: [(group: String, commands: [String])] = [
    (
      "Every day",
      [
        "get", "show", "copy", "otp", "find", "list", "add", "set", "edit", "generate", "remove", "move", "restore",
        "trash", "unlock", "lock",
      ]
    ),
    ("Programs", ["run", "inject", "ref", "refs", "scan", "uses", "credential", "ssh"]),
    ("In and out", ["import", "export", "attach", "attachments", "detach", "backup"]),
    ("People and keys", ["key", "rekey", "due", "vaults", "fingerprint", "pin"]),
    ("Health", ["check", "audit", "status", "doctor", "verify", "lint", "repair"]),
    (
      "Rare",
      [
        "init", "kinds", "unset", "migrate", "checkpoint", "accept", "agent", "git", "diff", "log", "merge", "store",
        "completion",
      ]
    ),
  ]

  /// The groups with the commands that the packs have; a command that no group names stands last.
  static func groups(of packs: [Pack]) -> [CommandGroup] {
    let commands = packs.flatMap(\.commands).filter { $0.configuration.shouldDisplay }
    let named = Set(names.flatMap(\.commands))
    let groups = names.enumerated().map { index, row in
      let known = row.commands.compactMap { name in commands.first { $0._commandName == name } }
      let others = index == names.count - 1 ? commands.filter { !named.contains($0._commandName) } : []
      return CommandGroup(name: row.group, subcommands: known + others)
    }
    return groups.filter { !$0.subcommands.isEmpty }
  }

  /// The commands that no list shows.
  static func hidden(of packs: [Pack]) -> [any ParsableCommand.Type] {
    packs.flatMap(\.commands).filter { !$0.configuration.shouldDisplay }
  }
}
