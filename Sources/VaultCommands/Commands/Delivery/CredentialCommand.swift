import ArgumentParser
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing

/// `vault credential`: what other programs ask in their own protocols.
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
  /// What a helper for git says, in the format of git-credential(1).
  struct Git: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "git",
      abstract: "A credential helper of git.",
      discussion: """
        Gives the user name and password of the one login whose address has the scheme, host and port that git asks \
        for, and whose path is a beginning of the path where git sends one (credential.useHttpPath). What git wants \
        stored or erased is left alone.

        Example:
          git config --global credential.https://github.com.helper '!vault credential git'
        """)

    @Argument(help: "get, store, erase or capability.")
    var operation: String

    @Flag(help: "Also for addresses with http, over which a password travels in clear.")
    var allowHTTP = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      // git reads to the end what it has written, whatever is asked.
      let wanted = try Self.attributes()
      guard operation == "get", let scheme = wanted["protocol"], let host = wanted["host"],
        scheme == "https" || scheme == "http" && allowHTTP
      else { return }
      let path = wanted["path"]
      guard
        let place = LoginPlace(
          "\(scheme)://\(host)/\(path ?? "")", username: wanted["username"], hasPath: path != nil)
      else { return }
      let helper = try HelperSession(vault, unlocking, global)
      guard let login = try await helper.login(for: place), login.has("password") else { return }
      var lines: [(name: String, value: SecretBytes)] = []
      if login.has("username") { lines.append(("username", try login.line(at: "username"))) }
      lines.append(("password", try login.line(at: "password")))
      DeliveryLog.note(lines.map { .init(login, $0.name, as: "git", to: System.callerPath) }, helper.session)
      for line in lines {
        try Output.write(Array("\(line.name)=".utf8))
        try line.value.withBytes { try Output.write($0) }
        try Output.write([UInt8(ascii: "\n")])
      }
    }

    /// Lines `name=value` up to an empty one; of a name that comes again the last.
    private static func attributes() throws -> [String: String] {
      guard let bytes = System.bytes(from: System.standardInput, limit: 1 << 20) else {
        throw CommandError(.inputRefused, "input_refused", subject: "-", "is no request of git")
      }
      var attributes: [String: String] = [:]
      for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        if line.isEmpty { break }
        guard let text = String(validating: line, as: UTF8.self), let equals = text.firstIndex(of: "=") else {
          continue
        }
        attributes[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      return attributes
    }
  }

  /// What AWS programs call as their `credential_process`.
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
      let helper = try HelperSession(vault, unlocking, global)
      let found = try await helper.record(record)
      let expires = found.fields["expires_at"]?.string
      if let expires, let time = try? Timestamp(parsing: expires), time < Timestamp.now() {
        throw CommandError(
          .findings, "expired", subject: found.name, "has expired at \(expires)",
          hints: ["make a new key, and store it with `vault set`"])
      }
      var members: [String: JSONValue] = ["Version": .number(JSONNumber(1))]
      for (name, path) in [("AccessKeyId", "key_id"), ("SecretAccessKey", "secret")] {
        members[name] = try .string(found.line(at: path).text)
      }
      if let expires { members["Expiration"] = .string(expires) }
      DeliveryLog.note([.init(found, "secret", as: "aws", to: System.callerPath)], helper.session)
      let ordered = members.sorted { $0.key < $1.key }
      try Output.line(
        String(decoding: JSONValue.object(JSONObject(ordered.map { ($0.key, $0.value) })).compactBytes(), as: UTF8.self)
      )
    }
  }

  /// What ansible calls as a vault password client.
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
        let helper = try HelperSession(vault, unlocking, global)
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
