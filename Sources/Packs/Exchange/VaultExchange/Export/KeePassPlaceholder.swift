internal import VaultDocument

/// Placeholders in braces that KeePass and KeePassXC replace in every text of an entry.
enum KeePassPlaceholder {
  /// Names that are used alone or before a colon (KeePass 2, help: Placeholders, Field References, Text
  /// Transformations).
  private static let names: Set<String> = [
    "TITLE", "USERNAME", "URL", "PASSWORD", "PASSWORD_ENC", "NOTES", "UUID", "S", "TOTP", "TIMEOTP", "HMACOTP", "REF",
    "BASE", "APPDIR", "INTERNETEXPLORER", "FIREFOX", "OPERA", "GOOGLECHROME", "SAFARI", "EDGE", "ENV_DIRSEP",
    "ENV_PROGRAMFILES_X86", "NEWPASSWORD", "PICKCHARS", "PICKFIELD", "CLIPBOARD", "CLIPBOARD-SET", "CMD", "C", "T-CONV",
    "T-REPLACE-RX",
  ]
  /// Beginnings of names: times, groups, the database.
  private static let beginnings = ["DT_", "GROUP", "DB_"]

  static func isIn(_ text: String) -> Bool {
    var rest = text[...]
    while let start = rest.pair(separatedBy: "{") {
      rest = start.behind
      guard let end = rest.pair(separatedBy: "}") else { return false }
      let name = (end.before.pair(separatedBy: ":")?.before ?? end.before).uppercased()
      if names.contains(name) || beginnings.contains(where: name.begins) { return true }
    }
    return false
  }
}
