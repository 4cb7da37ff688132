import ArgumentParser
import VaultAge
import VaultCLI
import VaultDeposit
import VaultDocument
import VaultKit
import VaultTerminal

extension InboxCommand {
  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable",
      abstract: "Let the vault take deposits, and print their recipient.",
      discussion: """
        `vault init` does this for a new vault. The command changes nothing in a vault that takes deposits already. \
        Depositors can give the printed recipient to `vault deposit --recipient`, if you tell it to them by another \
        way than the vault itself.

        Example:
          vault inbox enable
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let session = try Session(vault, global)
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      let isNew = try await opened.enableDeposits()
      guard let keys = opened.header.deposit else { preconditionFailure("the vault has them now") }
      try Output.afterwards("the vault takes deposits", hint: "`vault status` shows the recipient") {
        guard !global.json else {
          return try Output.document(["changed": isNew, "recipient": keys.recipient.text])
        }
        try Output.line(keys.recipient.text)
      }
      if !isNew { global.messages.note("the vault took deposits already") }
    }
  }

  struct Signers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signers",
      abstract: "Show or replace the people whose signatures of deposits count.",
      discussion: """
        The list has the form of the file `allowed_signers` of ssh-keygen: a name, such as an e-mail address, and a \
        public key on each line. It is stored in the vault, where nobody without a key can change it.

        Example:
          vault inbox signers
          vault inbox signers --set allowed_signers
        """)

    @Option(help: ArgumentHelp("Replace the list by a file; - is standard input.", valueName: "file"))
    var set: String?

    @Flag(help: "Remove the list: no signature counts.")
    var clear = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      guard set == nil || !clear else { throw CommandError.usage("--clear", "cannot be combined with --set") }
      let list = try set.map(Self.list)
      let session = try Session(vault, global)
      guard set != nil || clear else { return try await show(session) }
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      try await opened.setDepositSigners(list)
      let count = list.map { Self.lines($0).count } ?? 0
      let action = "\(counted(count, "signer")) listed"
      guard !global.json else { return try Output.afterwards(action) { try Output.document(["signers": count]) } }
      global.messages.note(action)
    }

    private func show(_ session: Session) async throws {
      let opened = try await session.unlock(unlocking)
      let lines = opened.header.deposit?.signers.map(Self.lines) ?? []
      guard !global.json else { return try Output.document(["signers": lines]) }
      if lines.isEmpty { global.messages.note("nobody is listed, so no signature counts") }
      try Output.lines(lines.map { Printable.text($0) })
    }

    private static func lines(_ list: String) -> [String] {
      list.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.hasPrefix("#") }
    }

    private static func list(_ path: String) throws -> String {
      let bytes = try TextInput.file(path, limit: DepositKeys.maximumSignersByteCount)
      guard let text = String(validating: bytes, as: UTF8.self), !lines(text).isEmpty,
        lines(text).allSatisfy({ $0.split(separator: " ").count >= 3 })
      else {
        throw CommandError(
          .inputRefused, "input_refused", subject: path, "is not a list of signers",
          hints: ["each line has a name, the type of a key and the key: ada@example.org ssh-ed25519 AAAA…"])
      }
      return text
    }
  }
}
