import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal

struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Show, update or forget what this machine remembers of a vault.",
    discussion: """
      Example:
        vault pin show

      This machine remembers a vault from its first use. It refuses another vault at the same path, another root key, \
      and an older or forked state, until you accept them here.
      """,
    subcommands: [Show.self, Update.self, Forget.self])
}

extension PinCommand {
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show what is remembered, and whether the vault matches.",
      discussion: """
        Example:
          vault pin show --json

        The exit status is 16 if the vault does not match what is remembered.
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(vault, global, refusingOtherVaults: false)
      try PinReport(session).facts.print(global)
      if let refusal = session.pin.refusal { throw CommandError(refusal) }
    }
  }

  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Accept the vault as it is now.",
      discussion: """
        Example:
          vault pin update --fingerprint 3f0c6f0a1d7b52e984c6a3b8d1e0f79a2c4b5d6e

        The command needs no key, but it needs the fingerprint from somebody you trust. This machine also forgets which \
        versions of the records it has seen; `vault verify` remembers them again. With --record it forgets only those \
        records.
        """)

    @Option(help: ArgumentHelp("The fingerprint that the vault must have.", valueName: "hex"))
    var fingerprint: String

    @Option(help: ArgumentHelp("Forget only this record, by its id; may be repeated.", valueName: "id"))
    var record: [String] = []

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let records = try record.map { text in
        guard let id = RecordID(parsing: text) else { throw CommandError.usage("--record", "needs a full id") }
        return id
      }
      let session = try Session(vault, global, refusingOtherVaults: false)
      try RequiredFingerprint(fingerprint, option: "--fingerprint").check(session.locked, at: session.location.path)
      let state = try session.requiredState()
      if records.isEmpty {
        try state.accept(session.locked)
      } else {
        try session.pin.requireKnownState()
        try state.memory(of: session.pin.known?.copy).forgetSeen(records, of: session.locked.header.vaultID)
      }
      try report(session, records)
    }

    private func report(_ session: Session, _ records: [RecordID]) throws {
      let fingerprint = try session.locked.fingerprint()
      let replaced = records.isEmpty ? session.pin.refusal : nil
      if global.json {
        return try Output.document([
          "fingerprint": fingerprint, "records": records, "replaced": replaced.map(\.description),
        ])
      }
      if let replaced {
        global.messages.note("no longer refused: \(replaced.description)")
        for hint in replaced.hints.dropLast() { global.messages.note(hint) }
      }
      try Output.line(fingerprint)
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Forget the vault, so that its next use counts as the first.",
      discussion: """
        Example:
          vault pin forget

        This machine forgets everything that it remembers of the vault and of its path.
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(vault, global, refusingOtherVaults: false)
      let isForgotten = try session.requiredState().forget(session.locked)
      if global.json { return try Output.document(["forgotten": isForgotten]) }
      global.messages.note(
        isForgotten
          ? "this machine has forgotten the vault; its next use counts as the first" : "nothing was remembered")
    }
  }
}

private struct PinReport {
  let check: PinCheck
  let found: String
  /// The pin for the vault's id, even if the vault does not match it.
  let pin: Pin?
  let paths: [String]
  let directory: String?

  init(_ session: Session) throws {
    check = session.pin
    found = try session.locked.fingerprint()
    directory = check.state?.directory
    let vaultID = session.locked.header.vaultID
    // Unreadable parts are reported at the end.
    pin = (try? check.state?.memory(of: check.known?.copy).pin(of: vaultID)) ?? nil
    paths = (try? check.state?.paths(of: vaultID)) ?? []
  }

  var facts: [Fact] {
    [
      Fact("pin", check.line, value: check.word), Fact("fingerprint", found),
      Fact("state", directory ?? "none", value: directory),
      Fact("expected", pin.map { (try? $0.fingerprint()) ?? "" }, value: try? pin?.fingerprint()),
      Fact(
        "header", pin?.header.map { "revision \($0.revision), hash \(Hex.encode($0.hash))" },
        value: pin?.header.map { JSONValue.members(["hash": Hex.encode($0.hash), "revision": $0.revision]) }),
      Fact(
        "checkpoint", pin?.checkpoint.map { "sequence \($0.sequence), hash \(Hex.encode($0.hash))" },
        value: pin?.checkpoint.map { JSONValue.members(["hash": Hex.encode($0.hash), "sequence": $0.sequence]) }),
      Fact(
        "slot", slots.map { $0.id.text + ($0.label.isEmpty ? "" : "  " + $0.label) }, name: "slots",
        value: slots.map { JSONValue.members(["id": $0.id, "label": $0.label]) }),
      Fact("named", pin.map { $0.isNamed ? "yes" : "no, only found by searching" }, value: pin?.isNamed),
      Fact("path", paths, name: "paths", value: paths),
    ]
  }

  private var slots: [Pin.SlotName] { pin?.slots ?? [] }
}

extension Session {
  /// The state of this machine, which must be available.
  fileprivate func requiredState() throws -> KnownVaults {
    guard let state = pin.state else { throw CommandError.noStateFolder }
    return state
  }
}
