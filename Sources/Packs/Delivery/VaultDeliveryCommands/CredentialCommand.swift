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
      Example:
        git config --global credential.helper '!vault credential git'

      The other program runs this command itself, as its configuration says; docs/programs.md has a line for each \
      program. The command never asks anything: it works with an agent (`vault unlock`) or an identity, and otherwise \
      fails at once. The command uses the vault of --vault or CVAULT_DIR, or else $XDG_DATA_HOME/cvault, but never a \
      vault that it finds in the working folder.
      """,
    subcommands: [Git.self, Docker.self, Aws.self, Ansible.self])
}

extension CredentialCommand {
  /// The `credential_process` for AWS programs.
  struct Aws: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "aws",
      abstract: "Serve as the credential_process for the AWS command line and libraries.",
      discussion: """
        Example:
          aws configure set credential_process 'vault credential aws Deploy'

        The command prints the key id and the secret of a record of the kind api-key. It exits with 14 if the \
        record's expires_at has passed.
        """)

    @Argument(help: "An id or a name.")
    var record: String

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let permission = try HelperProtocol.aws.revealing(global)
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      let found = try await helper.record(record)
      let expires = found.fields["expires_at"]?.string
      if let expires, let time = try? Timestamp(parsing: expires), time < Timestamp.now() {
        throw CommandError(
          .findings, "expired", subject: found.name, "has been expired since \(expires)",
          hints: ["make a new key and store it with `vault set`"])
      }
      let members = JSONObject(present: [
        "AccessKeyId": try found.line(at: "key_id").text, "Expiration": expires,
        "SecretAccessKey": try found.line(at: "secret").text, "Version": 1,
      ])
      DeliveryLog.note([.init(found, "secret", as: "aws", to: System.callerPath)], helper.session)
      try Output.line(String(decoding: JSONValue.object(members).compactBytes(), as: UTF8.self), by: permission)
    }
  }

  /// The vault password client for ansible.
  struct Ansible: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ansible",
      abstract: "Serve as a vault password client for ansible.",
      discussion: """
        Example:
          ln -s "$(command -v vault)" cvault-client
          ansible-vault view --vault-id dev@cvault-client file.yml

        The command prints the password of the record with the name of the vault id. If there is no such record, it \
        exits with 2, which ansible understands. ansible needs a file whose name ends in -client: link that name to \
        this program.
        """)

    @Option(help: ArgumentHelp("The name of the record.", valueName: "id"))
    var vaultId: String

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      do {
        let permission = try HelperProtocol.ansible.revealing(global)
        let helper = try HelperSession(vault, unlocking: unlocking, global: global)
        let found = try await helper.record(vaultId)
        let password = try found.line(at: "password")
        DeliveryLog.note([.init(found, "password", as: "ansible", to: System.callerPath)], helper.session)
        try Output.write(password, by: permission)
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
