import ArgumentParser

/// The groups of commands in `vault help all`, in order.
enum CommandGroups {
  private static let names: [(group: String, commands: [String])] = [
    (
      "Every day",
      [
        "get", "show", "copy", "otp", "find", "list", "add", "set", "edit", "generate", "remove", "move", "restore",
        "forget", "trash", "unlock", "lock",
      ]
    ),
    ("Programs", ["run", "inject", "ref", "refs", "scan", "uses", "credential", "ssh"]),
    ("Import and export", ["import", "export", "attach", "attachments", "detach", "backup"]),
    ("People and keys", ["deposit", "inbox", "key", "rekey", "due", "vaults", "fingerprint", "pin"]),
    ("Health", ["check", "audit", "status", "doctor", "verify", "lint", "repair"]),
    (
      "Less common",
      [
        "init", "kinds", "unset", "migrate", "checkpoint", "accept", "agent", "git", "diff", "log", "merge", "store",
        "completion",
      ]
    ),
  ]

  /// The command of this name; nil for an alias and for any other word.
  static func command(named word: String) -> (any ParsableCommand.Type)? {
    for pack in Packs.all {
      if let command = pack.commands.first(where: { $0.key == word }) { return command.value() }
    }
    return nil
  }

  /// The commands of the packs: those that no help shows, and the groups. A command that no group names is shown last.
  static func ofPacks() -> (hidden: [any ParsableCommand.Type], groups: [CommandGroup]) {
    var hidden: [any ParsableCommand.Type] = []
    var (shown, order): ([String: any ParsableCommand.Type], [String]) = ([:], [])
    // Each command is asked for its configuration only once, because every question sets the command up.
    for command in Packs.all.flatMap({ $0.commands.map { $0.value() } }) {
      let configuration = command.configuration
      guard configuration.shouldDisplay, let name = configuration.commandName else {
        hidden.append(command)
        continue
      }
      shown[name] = command
      order.append(name)
    }
    var groups = names.map { row in
      (name: row.group, commands: row.commands.compactMap { shown.removeValue(forKey: $0) })
    }
    groups[groups.count - 1].commands += order.compactMap { shown[$0] }
    return (
      hidden, groups.filter { !$0.commands.isEmpty }.map { CommandGroup(name: $0.name, subcommands: $0.commands) }
    )
  }
}
