import VaultCLI
import VaultDocument
import VaultKit
import VaultSets
import VaultSystem
import VaultTerminal

/// The set of vaults that a command uses, and how its file was found.
struct FoundSet {
  enum Origin: String {
    case option = "--vaults"
    case variable = "CVAULT_VAULTS"
    case parent = "nearest vaults.json"
  }

  let path: String
  let origin: Origin
  var set: VaultSet

  var folder: String { System.parent(of: path) }

  /// The set of `--vaults`, of `CVAULT_VAULTS`, or of the nearest `vaults.json` from the working directory upwards; nil
  /// without a set.
  static func find(_ option: String?) throws -> FoundSet? {
    guard let (path, origin) = try place(option) else { return nil }
    return try FoundSet(path, origin)
  }

  static func required(_ option: String?) throws -> FoundSet {
    guard let found = try find(option) else {
      throw CommandError(
        .noVault, "no_set", subject: VaultSet.fileName, "is not in this folder or in a folder above it",
        hints: ["name the file with --vaults FILE or CVAULT_VAULTS", "`vault vaults add NAME DIR` makes a set here"])
    }
    return found
  }

  /// The place of the set's file, which may not exist yet.
  static func place(_ option: String?) throws -> (path: String, origin: Origin)? {
    if let option {
      guard !option.isEmpty else { throw CommandError.usage("--vaults", "the name of the file is empty") }
      return (option, .option)
    }
    if let path = System.environment("CVAULT_VAULTS") { return (path, .variable) }
    return System.nearestFolder(with: VaultSet.fileName).map { (System.join($0, VaultSet.fileName), .parent) }
  }

  private init(_ path: String, _ origin: Origin) throws {
    (self.path, self.origin) = (path, origin)
    // Reading a FIFO or a device could wait forever.
    if let kind = System.kind(of: path), kind != .regular {
      throw CommandError(
        .inputOutput, "not_a_regular_file", subject: path, "is not a regular file",
        hints: ["name the file of the set with --vaults FILE or CVAULT_VAULTS"])
    }
    let bytes = try TextInput.bytes(of: NamedFile.reading(path), limit: VaultSet.byteLimit)
    do throws(VaultError) {
      set = try VaultSet(parsing: bytes, file: path)
    } catch {
      var refused = CommandError(error).about(error.field.map { "\(path): \($0)" } ?? path)
      refused.hints = ["correct the file, or undo the change"]
      throw refused
    }
  }

  init(new path: String, _ origin: Origin) { (self.path, self.origin, set) = (path, origin, VaultSet()) }

  func member(_ name: String) throws -> SetMember {
    guard let member = set[name] else {
      throw CommandError(.notFound, "no_such_vault", subject: name, "is not a vault of \(path)")
        .suggesting(name, among: set.members.map(\.name))
        .hinting("`vault vaults list` shows the vaults")
    }
    return SetMember(set: self, vault: member)
  }

  var all: [SetMember] { self.set.members.map { SetMember(set: self, vault: $0) } }

  /// Writes the file atomically.
  func write() throws {
    let bytes = try set.fileBytes()
    let file = try OutputFile.replacing(path)
    try file.write(bytes)
    try file.commit()
  }
}

/// A vault of a set.
struct SetMember {
  let set: FoundSet
  let vault: VaultSet.Member

  init(set: FoundSet, vault: VaultSet.Member) {
    (self.set, self.vault) = (set, vault)
  }

  var name: String { vault.name }

  /// Its address, or its folder relative to the working directory.
  var path: String {
    vault.isAddress || vault.place.hasPrefix("/") ? vault.place : System.join(set.folder, vault.place)
  }

  var words: String { "\(name) of \(set.path)" }
}

extension VaultOptions {
  /// The name of `--in`, which `--vaults` needs.
  func nameInSet() throws -> String {
    guard let name = names.first else {
      throw CommandError.usage("--vaults", "needs --in NAME or NAME:RECORD to choose a vault of the set")
    }
    guard vault == nil else { throw CommandError.usage("--in", "cannot be combined with --vault") }
    guard names.count == 1 else { throw CommandError.usage("--in", "can name only one vault here") }
    return name
  }
}
