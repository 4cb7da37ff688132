import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

struct CredentialCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential",
    abstract: "Answer git, docker, aws and ansible in their own protocols.",
    discussion: """
      The program calls these itself, as its configuration says; docs/programs.md has a line for each. Nobody is ever \
      asked: with an agent (`vault unlock`) or an identity it works, else it ends at once. The vault is --vault, \
      CVAULT_DIR or the user's own, never one that lies in the working folder.

      Example:
        git config --global credential.helper '!vault credential git'
      """,
    subcommands: [Git.self, Docker.self, Aws.self, Ansible.self])
}

extension CredentialCommand {
  /// The `credential_process` for AWS programs.
  struct Aws: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "aws",
      abstract: "A credential_process of the AWS command line and libraries.",
      discussion: """
        Gives key id and secret of a record of the kind api-key; one that is past its expires_at ends with 14.

        Example:
          aws configure set credential_process 'vault credential aws Deploy'
        """)

    @Argument(help: "An id or an exact name.")
    var record: String

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      let found = try await helper.record(record)
      let expires = found.fields["expires_at"]?.string
      if let expires, let time = try? Timestamp(parsing: expires), time < Timestamp.now() {
        throw CommandError(
          .findings, "expired", subject: found.name, "has expired at \(expires)",
          hints: ["make a new key, and store it with `vault set`"])
      }
      let members = JSONObject(present: [
        "AccessKeyId": try found.line(at: "key_id").text, "Expiration": expires,
        "SecretAccessKey": try found.line(at: "secret").text, "Version": 1,
      ])
      DeliveryLog.note([.init(found, "secret", as: "aws", to: System.callerPath)], helper.session)
      try Output.line(String(decoding: JSONValue.object(members).compactBytes(), as: UTF8.self))
    }
  }

  /// The vault password client for ansible.
  struct Ansible: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ansible",
      abstract: "A vault password client of ansible.",
      discussion: """
        Prints the password of the record that has the name of the vault id; without such a one it ends with 2, which \
        ansible understands. ansible wants a file whose name ends in -client: link that to this program.

        Example:
          ln -s "$(command -v vault)" cvault-client && ansible-vault view --vault-id dev@cvault-client file.yml
        """)

    @Option(help: ArgumentHelp("The name of the record.", valueName: "id"))
    var vaultId: String

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      do {
        let helper = try HelperSession(vault, unlocking: unlocking, global: global)
        let found = try await helper.record(vaultId)
        let password = try found.line(at: "password")
        DeliveryLog.note([.init(found, "password", as: "ansible", to: System.callerPath)], helper.session)
        try password.withBytes { try Output.write($0) }
        try Output.write([UInt8(ascii: "\n")])
      } catch let error as CommandError where error.status == .notFound {
        global.messages.report(error)
        throw Finished(status: .unknownVaultID)
      }
    }
  }
}

extension SecretBytes {
  /// The value in ordinary memory, for a document.
  var text: String { withBytes { bytes in String(decoding: bytes.copiedBytes(), as: UTF8.self) } }
}
