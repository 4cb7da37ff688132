import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

extension CredentialCommand {
  /// The credential helper for docker, podman, skopeo and similar programs.
  struct Docker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "docker",
      abstract: "Serve as a credential helper for docker, podman and skopeo.",
      discussion: """
        Example:
          ln -s "$(command -v vault)" ~/.local/bin/docker-credential-cvault

        The command prints the user name and password of the one login whose address has the registry's host and \
        port. It refuses to store or erase anything. Docker needs a program named docker-credential-NAME: link that \
        name to this program.
        """)

    /// The text that docker expects if there is no credential.
    private static let none = "credentials not found in native keychain"

    @Argument(help: "get, list, store, erase or version.")
    var operation: String

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      do {
        switch operation {
        case "get": try await get()
        case "list": try await list()
        case "version": try Output.line("docker-credential-cvault \(Version.current)")
        case "store", "erase":
          throw CommandError(
            .declined, "declined", subject: operation, "is not supported: only vault itself changes records",
            hints: ["use `vault add login` or `vault set`"])
        default: throw CommandError.usage(Printable.argument(operation), "must be get, list, store, erase or version")
        }
      } catch let error as Finished {
        throw error
      } catch {
        // Docker shows stdout, and skopeo shows stderr.
        let told = CommandError(any: error)
        global.messages.report(told)
        try Output.line([told.subject, told.reason].compactMap { $0.map(Printable.text) }.joined(separator: ": "))
        throw Finished(status: .failed)
      }
    }

    private func get() async throws {
      guard let bytes = System.bytes(from: System.standardInput, limit: 1 << 16),
        let words = String(validating: bytes, as: UTF8.self)?.split(whereSeparator: \.isWhitespace), words.count == 1
      else { throw CommandError(.inputRefused, "input_refused", subject: "-", "the request does not name a registry") }
      let permission = try HelperProtocol.docker.revealing(global)
      let server = String(words[0])
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      var found: OpenRecord?
      for place in Self.addresses(of: server).compactMap({ LoginPlace($0, hasPath: false) }) where found == nil {
        found = try await helper.login(for: place)
      }
      guard let login = found, login.has("password") else {
        try Output.line(Self.none)
        throw Finished(status: .failed)
      }
      let members: [(String, JSONValue)] = [
        ("ServerURL", .string(server)), ("Username", .string(login.fields["username"]?.string ?? "")),
        ("Secret", .string(try login.line(at: "password").text)),
      ]
      DeliveryLog.note([.init(login, "password", as: "docker", to: System.callerPath)], helper.session)
      try Self.print(members, by: permission)
    }

    private func list() async throws {
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      var query = RecordQuery()
      query.kind = Login.kindName
      var members: [String: JSONValue] = [:]
      for row in try await helper.session.locked.listed(query).records {
        let fields = try helper.session.locked.record(row.id).fields
        guard case .array(let urls)? = fields["urls"], let user = fields["username"]?.string else { continue }
        for url in urls.compactMap(\.string) { members[url] = .string(user) }
      }
      try Self.print(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Registries are named with and without a scheme. A name without a scheme also means a record for `http`, such as
    /// that of a registry on this machine. Docker Hub has several names, which all mean https and its usual port.
    private static func addresses(of server: String) -> [String] {
      let whole = server.contains("://") ? [server] : ["https://" + server, "http://" + server]
      let hub = ["index.docker.io", "docker.io", "registry-1.docker.io", "hub.docker.com"]
      guard let address = WebAddress(parsing: whole[0]), address.scheme == "https", address.port == nil,
        hub.contains(address.host)
      else { return whole }
      return hub.map { "https://" + $0 }
    }

    /// - Parameter permission: nil for members without a secret.
    private static func print(_ members: [(String, JSONValue)], by permission: Revealing? = nil) throws {
      let text = try String(decoding: JSONValue.object(JSONObject(members)).compactBytes(), as: UTF8.self)
      try permission.map { try Output.line(text, by: $0) } ?? Output.line(text)
    }
  }
}
