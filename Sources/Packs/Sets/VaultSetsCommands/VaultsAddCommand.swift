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
      abstract: "Give a vault a name in the set; the file is made where there is none.",
      discussion: """
        The place is written from the folder of the set's file on where it can be, so that the set may be moved, or lie in \
        git. --takes says which new records belong there: FIELD=VALUE, several with commas between have to hold together. \
        --pin-members writes down who has a key now, for `vault vaults check`.

        Example:
          vault vaults add contractors ./contractors --takes kind=database,tags=staging
        """)

    @Argument(help: "Letters, digits, - _ and .")
    var name: String

    @Argument(help: ArgumentHelp("The folder of the vault, or its address.", valueName: "dir"))
    var place: String

    @Option(help: ArgumentHelp("New records that belong there; may be repeated.", valueName: "field=value,…"))
    var takes: [String] = []

    @Flag(help: "Only the recipients that have a key now are to have one.")
    var pinMembers = false

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      guard VaultSet.Member.isName(name) else {
        throw CommandError.usage("NAME", "takes letters, digits, - _ and ., at most 64")
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
          .inputRefused, "input_refused", subject: path, "would lie in the folder of a vault, where it does not belong",
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
      abstract: "Say that names of the set stand for the vaults that its file names now.",
      discussion: """
        What a name stood for is remembered on this machine, and another vault under it is refused until it is accepted here; \
        so is the address of a database before the first connection. It shows what each would mean, who has a key there, and \
        asks. Without a name it goes through all.

        Example:
          vault vaults accept contractors
        """)

    @Argument(help: ArgumentHelp("Names in the set.", valueName: "name"))
    var names: [String] = []

    @Option(
      help: ArgumentHelp("Refuse every vault but the one with this fingerprint.", valueName: "hex"))
    var requireFingerprint: String?

    @OptionGroup var choice: SetOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let found = try FoundSet.required(choice.vaults)
      let members = try names.isEmpty ? found.all : names.map { try found.member($0) }
      guard let state = StateLocation.state(global.messages) else {
        throw CommandError(
          .inputOutput, "io_failed", subject: "state", "there is no home directory to remember anything in",
          hints: ["name a directory with CVAULT_STATE_DIR"])
      }
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
      if !isNew, isConnected, mark?.isAccepted == true { return false }
      if !isConnected {
        // The question comes before anything is sent to the address.
        try global.confirm("\(member.words) is at \(member.vault.place). Connect to it from now on?")
      }
      let locked = try VaultLocation(path: member.path, origin: .set, member: member).open(global)
      try member.check(locked)
      if let requireFingerprint {
        try RequiredFingerprint(requireFingerprint, option: "--require-fingerprint").check(locked, at: member.words)
      }
      let keys = locked.header.slots.map(\.words).joined(separator: ", ")
      let old = isNew ? mark.map { " It stood for the vault \($0.vaultID.text) until now." } ?? "" : ""
      try global.confirm(
        "\(member.words) means \(member.path), the vault \(try locked.fingerprint()), which these open: \(keys).\(old) "
          + "Accept it?")
      member.remember(state, isAccepted: true, slots: nil, global.messages)
      return true
    }
  }
}
