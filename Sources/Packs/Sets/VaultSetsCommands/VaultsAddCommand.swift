import ArgumentParser
import VaultAge
import VaultCLI
import VaultDocument
import VaultKit
import VaultSets
import VaultSystem
import VaultTerminal

extension VaultsCommand {
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Give a vault a name in the set; a missing set file is created.",
      discussion: """
        Example:
          vault vaults add contractors ./contractors --takes kind=database,tags=staging

        The set file records the place relative to its own folder if possible, so you can move the set or keep it \
        in git. --takes says which new records belong in the vault: FIELD=VALUE. If several are joined with commas, \
        all must match. --pin-members records who has a key now, for `vault vaults check`.
        """)

    @Argument(help: "The name: letters, digits, - _ and .")
    var name: String

    @Argument(help: ArgumentHelp("The folder of the vault, or its address.", valueName: "dir"))
    var place: String

    @Option(help: ArgumentHelp("Which new records belong there; may be repeated.", valueName: "field=value,…"))
    var takes: [String] = []

    @Flag(help: "Record who has a key now; `vault vaults check` reports others.")
    var pinMembers = false

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      guard VaultSet.Member.isName(name) else {
        throw CommandError.usage("NAME", "must be at most 64 letters, digits, - _ and .")
      }
      let rules = try takes.map { text in
        PlacementRule(
          try text.split(separator: ",").map { part in
            let (path, value) = try MemberPath.assignment(String(part), of: "--takes")
            return PlacementRule.Condition(path: path, value: value)
          })
      }
      var found = try set()
      let session = try Session(.named(place), global)
      let slots = session.locked.header.slots
      let member = VaultSet.Member(
        name: name, place: try written(place, from: found, session.locked.header.vaultID),
        id: session.locked.header.vaultID, takes: rules,
        recipients: pinMembers ? slots.compactMap { $0.recipient?.text } : nil)
      do throws(VaultError) { try found.set.add(member) } catch { throw CommandError(error).about(found.path) }
      try found.write()
      WrittenFiles.current?.note(.file, at: found.path, global.messages)
      SetMember(set: found, vault: member).remember(session.pin.state, isAccepted: true, slots: nil, global.messages)
      let fingerprint = try session.locked.fingerprint()
      if global.json {
        return try Output.document([
          "fingerprint": fingerprint, "id": member.id, "name": name, "place": member.place, "set": found.path,
        ])
      }
      let count = slots.count == 1 ? "1 key opens" : "\(slots.count) keys open"
      global.messages.note("\(name) of \(found.path) is the vault \(fingerprint), which \(count)")
    }

    /// The set, or a new one in the working directory.
    private func set() throws -> FoundSet {
      let (path, origin) = try FoundSet.place(choice.vaults) ?? (VaultSet.fileName, .parent)
      let found = System.isThere(path) ? try FoundSet.required(path) : FoundSet(new: path, origin)
      guard System.kind(of: System.join(found.folder, "vault.json")) == nil else {
        throw CommandError(
          .inputRefused, "input_refused", subject: path, "cannot be in the folder of a vault",
          hints: ["name a file beside the vaults with --vaults FILE"])
      }
      return found
    }

    private func written(_ place: String, from set: FoundSet, _ id: VaultID) throws -> String {
      guard !place.contains("://") else { return place }
      guard let folder = ProcessEnvironment.realPath(set.folder), let real = ProcessEnvironment.realPath(place) else {
        throw CommandError(SystemError.missing(place))
      }
      if real.hasPrefix(folder == "/" ? "/" : folder + "/") {
        return String(real.dropFirst(folder == "/" ? 1 : folder.count + 1))
      }
      guard !place.hasPrefix("/") else { return place }
      var (from, to) = (folder.split(separator: "/")[...], real.split(separator: "/")[...])
      while let first = from.first, first == to.first { (from, to) = (from.dropFirst(), to.dropFirst()) }
      return (from.map { _ in ".." } + to).joined(separator: "/")
    }
  }

  struct Accept: ParsableCommand, VaultNaming {
    static let configuration = CommandConfiguration(
      commandName: "accept",
      abstract: "Accept the vaults that the names of the set stand for now.",
      discussion: """
        Example:
          vault vaults accept contractors

        This machine remembers which vault each name stood for. It refuses another vault under that name until you \
        accept it here. It also refuses the address of a database until you accept it, before the first connection.

        The command shows which vault each name would stand for and who has a key there, and asks. Without a name it \
        goes through all names.
        """)

    @Argument(help: ArgumentHelp("Names in the set.", valueName: "name"))
    var names: [String] = []

    @Option(
      help: ArgumentHelp("Accept only the vault with this fingerprint.", valueName: "hex"))
    var requireFingerprint: String?

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let found = try FoundSet.required(choice.vaults)
      let members = try names.isEmpty ? found.all : names.map { try found.member($0) }
      guard let state = StateLocation.state(global.messages) else { throw CommandError.noStateFolder }
      var accepted: [String] = []
      for member in members where try accept(member, state) { accepted.append(member.name) }
      guard global.json else {
        return global.messages.note(
          accepted.isEmpty ? "nothing to accept" : "accepted: \(accepted.joined(separator: ", "))")
      }
      try Output.document(["accepted": accepted])
    }

    private func accept(_ member: SetMember, _ state: KnownVaults) throws -> Bool {
      let mark = try member.mark(state)
      let isNew = mark?.vaultID != member.vault.id
      let isConnected = !member.vault.isAddress || mark?.address == member.vault.place
      func open() throws -> LockedVault {
        let locked = try VaultLocation(path: member.path, origin: .set, member: member).open(global)
        try member.check(locked)
        return locked
      }
      if !isNew, isConnected, mark?.isAccepted == true {
        // Nothing can be accepted, not even another vault in the folder.
        if !names.isEmpty { _ = try open() }
        return false
      }
      if !isConnected {
        // The question comes before anything is sent to the address.
        try global.confirm("\(member.words) is at \(member.vault.place). Connect to it from now on?")
      }
      let locked = try open()
      if let requireFingerprint {
        try RequiredFingerprint(requireFingerprint, option: "--require-fingerprint").check(locked, at: member.words)
      }
      let keys = locked.header.slots.map(\.words).joined(separator: ", ")
      let old = isNew ? mark.map { " Until now it stood for the vault \($0.vaultID.text)." } ?? "" : ""
      try global.confirm(
        "\(member.words) stands for \(member.path), the vault \(try locked.fingerprint()). "
          + "These keys open it: \(keys).\(old) Accept it?")
      member.remember(state, isAccepted: true, slots: nil, global.messages)
      return true
    }
  }
}
