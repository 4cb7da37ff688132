import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultRecords
import VaultSealing
import VaultTerminal

struct SSHCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh",
    abstract: "Give private keys to the ssh-agent, and take them back.",
    discussion: """
      Example:
        vault ssh add Deploy
      """,
    subcommands: [Add.self, Remove.self])
}

extension SSHCommand {
  struct Add: AsyncParsableCommand, ManyRecordsNaming {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Give private keys to the ssh-agent that SSH_AUTH_SOCK names, without a file.",
      discussion: """
        Example:
          vault ssh add Deploy --ttl 1h --confirm

        The key is the field private_key of a record, with its passphrase if it has one, or the field that a \
        reference names. The agent keeps the key for --ttl. Without --ttl it keeps the key as long as `vault unlock` \
        now holds the vault, or for 15 minutes. `vault lock` and `vault ssh remove` take it back.
        """)

    @Argument(help: ArgumentHelp("Ids, names, or references to fields.", valueName: "record"))
    var record: [String]

    @Option(help: ArgumentHelp("How long the agent keeps it, at most a week; 0 for no limit.", valueName: "time"))
    var ttl: String?

    @Flag(help: "Let the agent ask before each use.")
    var confirm = false

    @Option(
      help: ArgumentHelp("Only for this host or path, as for `ssh-add -h`; may be repeated.", valueName: "host"))
    var host: [String] = []

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let given = try ttl.map { $0 == "0" ? nil : try TimeSpan.argument($0, of: "--ttl") }
      let fields = try record.map { try FieldArgument($0, nil) }
      for field in fields where field.view != nil {
        throw CommandError.usage("view=", "a view is not a private key", "leave view= out of the reference")
      }
      // The agent is checked before a key is asked for.
      let agent = try SSHAgent.running()
      let session = try Session(vault, global)
      let keys = try await privateKeys(of: fields, session)
      let vaultID = session.locked.header.vaultID
      let lifetime = given ?? Self.standardLifetime(of: vaultID)
      let limits = SSHAgent.Limits(lifetime: lifetime, isConfirmed: confirm, hosts: host)
      for (index, key) in keys.enumerated() {
        // The note comes first. If the process is killed, a superfluous note is left, and no key without a note.
        try GivenKeys.note(
          GivenKey(
            vault: vaultID, record: key.record.id, socket: agent.socket, publicKey: key.publicKey,
            end: lifetime.map { Int(Timestamp.now().secondsSinceEpoch + $0.components.seconds) }))
        let note = DeliveryLog.note(
          [.init(key.record, key.path.description, as: "ssh-agent", to: agent.socket)], session)
        do {
          try agent.add(key.text, passphrase: key.passphrase, limits)
        } catch {
          note.takeBack()
          let done = keys[..<index].map { $0.record.name }.joined(separator: ", ")
          let failure = CommandError(any: error).about(key.record.name)
          throw index == 0 ? failure : failure.hinting("these keys were already added: \(Printable.text(done))")
        }
        let time = lifetime.map { "for \(TimeSpan.text($0))" } ?? "until it is removed"
        global.messages.note("\(key.record.name) is in the ssh-agent \(time): \(key.fingerprint)")
      }
      if confirm, !Askpass.isInstalled {
        global.messages.note(
          "no ssh-askpass is installed here: an ssh-agent of OpenSSH cannot ask, and refuses each use of the key; "
            + "install one, or start the agent with SSH_ASKPASS")
      }
      try report(keys, limits)
    }

    /// The idle time of the vault's agent, or the default.
    private static func standardLifetime(of vault: VaultID) -> Duration {
      let held = Packs.all.lazy.compactMap(\.keyHolder).compactMap { $0.remainingTime(vault) }.first
      return held.map { max(.seconds(1), $0) } ?? .seconds(15 * 60)
    }

    private func privateKeys(of fields: [FieldArgument], _ session: Session) async throws -> [PrivateKey] {
      var words: [String] = []
      for field in fields {
        guard let reference = field.reference else {
          words.append(field.word)
          continue
        }
        words.append(try await session.field(of: reference).record.id.text)
      }
      let opened = try await session.unlock(unlocking, for: words)
      var keys: [PrivateKey] = []
      for (field, word) in zip(fields, words) {
        let found = try await session.record(word, in: opened)
        try field.reference?.requireName(of: found)
        let path = try field.path ?? MemberPath(parsing: PrivateKey.standardPath)
        do {
          keys.append(try await CommandError.naming(membersOf: found) { try PrivateKey(of: found, at: path) })
        } catch let error as CommandError where error.status == .notFound && field.path == nil {
          throw error.hinting("name another field with a reference, such as cvault://\(found.id.text)/secrets.key")
        }
      }
      return keys
    }

    private func report(_ keys: [PrivateKey], _ limits: SSHAgent.Limits) throws {
      guard global.json else { return }
      let added = keys.map { key in
        JSONValue.members([
          "id": key.record.id, "name": key.record.name, "path": key.path.description, "fingerprint": key.fingerprint,
          "seconds": limits.lifetime.map { Int($0.components.seconds) }, "confirm": limits.isConfirmed,
        ])
      }
      try Output.document(["added": added])
    }
  }

  struct Remove: AsyncParsableCommand, ManyRecordsNaming {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove from ssh-agents the keys that `vault ssh add` gave them.",
      discussion: """
        Example:
          vault ssh remove Deploy

        Without a record, the command removes all keys that were added on this machine: of every vault, or of the \
        vault that --vault names. No key is needed.
        """,
      aliases: ["rm", "delete"])

    @Argument(help: ArgumentHelp("Ids or names.", valueName: "record"))
    var record: [String] = []

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let isAll = record.isEmpty && !vault.isGiven
      let session = isAll ? nil : try Session(vault, global, refusingOtherVaults: false)
      var records: Set<RecordID> = []
      for word in record { if let id = try await session?.resolve(word) { records.insert(id) } }
      let only = session?.locked.header.vaultID
      let taken = try GivenKeys.takeBack { key in
        key.vault == only ?? key.vault && (records.isEmpty || records.contains(key.record))
      }
      guard !global.json else {
        let removed = taken.map { key in
          JSONValue.members(["id": key.record, "fingerprint": SSHKey.fingerprint(of: key.publicKey)])
        }
        return try Output.document(["removed": removed])
      }
      global.messages.note(taken.isEmpty ? "there was no key to remove" : "\(counted(taken.count, "key")) removed")
    }
  }
}

private struct PrivateKey {
  static let standardPath = "private_key"

  let record: OpenRecord
  let path: MemberPath
  /// The key as ssh-add reads it: lines without a CR, the last one with a line end.
  let text: SecretBytes
  let passphrase: SecretBytes?
  /// The public key as `TYPE BASE64`.
  let publicKey: String
  let fingerprint: String

  init(of record: OpenRecord, at path: MemberPath) throws {
    func value(_ path: MemberPath) throws -> SecretBytes {
      try record.value(of: SecretReference(record: record.id.text, path: path))
    }
    (self.record, self.path) = (record, path)
    let stored = try value(path)
    text = try Self.lines(of: stored)
    passphrase = record.has("passphrase") ? try value(MemberPath(parsing: "passphrase")) : nil
    // The public half of another format is expensive to derive. Records of the built-in kind have it in a field.
    let isOwnKind = path.description == Self.standardPath
    let beside = isOwnKind ? record.fields["public_key"]?.string : nil
    let line = try SSHKey.publicKey(ofPrivate: stored) ?? beside
    guard let line, let fingerprint = SSHKey.fingerprint(of: line) else {
      var refused = CommandError(
        .inputRefused, "input_refused", subject: "\(path) of \(record.name)", "is not a private key in OpenSSH format",
        hints: ["`ssh-keygen -p -f FILE` converts a key; records of the kind ssh-key also take other formats"])
      (refused.record, refused.field) = (record.id.text, path.description)
      throw refused
    }
    publicKey = line.split(separator: " ").prefix(2).joined(separator: " ")
    self.fingerprint = fingerprint
  }

  private static func lines(of text: SecretBytes) throws -> SecretBytes {
    try text.withBytes { text in
      let carriageReturn = UInt8(ascii: "\r")
      let isEnded = text.byteCount > 0 && text.byte(at: text.byteCount - 1) == UInt8(ascii: "\n")
      let count = text.byteOffsets.count { text.byte(at: $0) != carriageReturn } + (isEnded ? 0 : 1)
      return try SecretBytes(byteCount: count) { output in
        for offset in text.byteOffsets where text.byte(at: offset) != carriageReturn {
          output.append(text.byte(at: offset))
        }
        if !isEnded { output.append(UInt8(ascii: "\n")) }
      }
    }
  }
}
