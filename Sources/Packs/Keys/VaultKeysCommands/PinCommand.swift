import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

/// `vault pin`: what this machine remembers of a vault.
struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Show, renew or forget what this machine remembers of a vault.",
    discussion: """
      A vault is remembered from its first use on. Another vault at its path, another root key, an older or forked state \
      is refused until it is accepted here.

      Example:
        vault pin show
      """,
    subcommands: [Show.self, Update.self, Forget.self])
}

extension PinCommand {
  /// `vault pin show`.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show what is remembered, and whether the vault is so.",
      discussion: """
        It ends with 16 when the vault is not as it is remembered.

        Example:
          vault pin show --json
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(vault, global, refusingOtherVaults: false)
      let report = try PinReport(session)
      if global.json { try Output.write(report.document.prettyBytes()) } else { try Output.lines(report.lines) }
      if let refusal = session.pin.refusal { throw CommandError(refusal) }
    }
  }

  /// `vault pin update`.
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update",
      abstract: "Take the vault as it is now for the one that is expected.",
      discussion: """
        It needs no key, but the fingerprint, from somebody you trust. What was seen of its records is forgotten with \
        the rest; `vault verify` remembers them anew. With --record only what was seen of those records is forgotten.

        Example:
          vault pin update --fingerprint 3f0c6f0a1d7b52e984c6a3b8d1e0f79a2c4b5d6e
        """)

    @Option(help: ArgumentHelp("The fingerprint that the vault must have.", valueName: "hex"))
    var fingerprint: String

    @Option(help: ArgumentHelp("Only this record, by its id; may be repeated.", valueName: "id"))
    var record: [String] = []

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let records = try record.map { text in
        guard let id = RecordID(parsing: text) else { throw CommandError.usage("--record", "takes a full id") }
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
          "fingerprint": .string(fingerprint), "records": .array(records.map { .string($0.text) }),
          "replaced": .optional(replaced.map(\.description)),
        ])
      }
      if let replaced {
        global.messages.note("no longer held against it: \(replaced.description)")
        for hint in replaced.hints.dropLast() { global.messages.note(hint) }
      }
      try Output.line(fingerprint)
    }
  }

  /// `vault pin forget`.
  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Forget the vault: its next use is the first.",
      discussion: """
        Everything that this machine remembers of the vault goes, and what it remembers of the path.

        Example:
          vault pin forget
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let session = try Session(vault, global, refusingOtherVaults: false)
      let isForgotten = try session.requiredState().forget(session.locked)
      if global.json { return try Output.document(["forgotten": .bool(isForgotten)]) }
      global.messages.note(isForgotten ? "forgotten" : "nothing was remembered")
    }
  }
}

/// What `pin show` shows.
private struct PinReport {
  let check: PinCheck
  let found: String
  /// The pin of the vault's id, also when the vault is not as it says.
  let pin: Pin?
  let paths: [String]
  let directory: String?

  init(_ session: Session) throws {
    check = session.pin
    found = try session.locked.fingerprint()
    directory = check.state?.directory
    let vaultID = session.locked.header.vaultID
    // What cannot be read is told at the end.
    pin = (try? check.state?.memory(of: check.known?.copy).pin(of: vaultID)) ?? nil
    paths = (try? check.state?.paths(of: vaultID)) ?? []
  }

  var lines: [String] {
    var rows = [("pin", check.line), ("fingerprint", found), ("state", directory ?? "none")]
    if let pin {
      rows.append(("expected", (try? pin.fingerprint()) ?? ""))
      if let header = pin.header {
        rows.append(("header", "revision \(header.revision), hash \(Hex.encode(header.hash))"))
      }
      if let mark = pin.checkpoint {
        rows.append(("checkpoint", "sequence \(mark.sequence), hash \(Hex.encode(mark.hash))"))
      }
      for slot in pin.slots { rows.append(("slot", slot.id.text + (slot.label.isEmpty ? "" : "  " + slot.label))) }
    }
    if let pin { rows.append(("named", pin.isNamed ? "yes" : "no, only found by searching")) }
    for path in paths { rows.append(("path", path)) }
    return rows.map { Printable.padded($0.0 + ":", to: 12) + " " + Printable.text($0.1) }
  }

  var document: JSONValue {
    .document([
      "checkpoint": pin?.checkpoint.map {
        .members(["hash": .string(Hex.encode($0.hash)), "sequence": .number(JSONNumber($0.sequence))])
      } ?? .null,
      "expected": .optional(try? pin?.fingerprint()), "fingerprint": .string(found),
      "header": pin?.header.map {
        .members(["hash": .string(Hex.encode($0.hash)), "revision": .number(JSONNumber($0.revision))])
      } ?? .null,
      "named": pin.map { .bool($0.isNamed) } ?? .null, "paths": .array(paths.map { .string($0) }),
      "pin": .string(check.word),
      "slots": .array(
        (pin?.slots ?? []).map { .members(["id": .string($0.id.text), "label": .string($0.label)]) }),
      "state": .optional(directory),
    ])
  }
}
