import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

extension CredentialCommand {
  /// The credential helper for git, in the format of git-credential(1).
  struct Git: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "git",
      abstract: "Serve as a credential helper for git.",
      discussion: """
        Example:
          git config --global \\
            credential.https://github.com.helper '!vault credential git'

        The command prints the user name and password of the one login whose address has the scheme, host and port \
        that git asks for. If git sends a path (credential.useHttpPath), git's path must begin with the path of \
        the login. Requests to store or erase are ignored without --store.
        """)

    @Argument(help: "get, store, erase or capability.")
    var operation: String

    @Flag(help: "Also answer for http addresses, which send passwords in clear text.")
    var allowHTTP = false

    @Flag(help: "Store logins that worked, and remove logins that were refused.")
    var store = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      // git expects that its whole request is read.
      guard let wanted = try GitCredential(SecretInput.bytes(from: System.standardInput, named: "-", as: "a request")),
        wanted.scheme == "https" || wanted.scheme == "http" && allowHTTP, let place = wanted.place
      else { return }
      switch operation {
      case "get": try await give(place)
      case "store" where store: try await keep(wanted, place)
      case "erase" where store: try await forget(wanted, place)
      default: return
      }
    }

    private func give(_ place: LoginPlace) async throws {
      let permission = try HelperProtocol.git.revealing(global)
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      guard let login = try await helper.login(for: place), login.has("password") else { return }
      var lines: [(name: String, value: SecretBytes)] = []
      if login.has("username") { lines.append(("username", try login.line(at: "username"))) }
      lines.append(("password", try login.line(at: "password")))
      DeliveryLog.note(lines.map { .init(login, $0.name, as: "git", to: System.callerPath) }, helper.session)
      for line in lines {
        try Output.write(Array("\(line.name)=".utf8))
        try Output.write(line.value, by: permission)
        try Output.write([UInt8(ascii: "\n")])
      }
    }

    /// Adds the login of this address and user, or changes its password.
    private func keep(_ wanted: GitCredential, _ place: LoginPlace) async throws {
      guard let user = wanted.username, let password = wanted.password else { return }
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      let found = try await helper.login(for: place)
      // git also stores passwords that it received from here.
      if let found, found.has("password"), try found.line(at: "password") == password { return }
      let opened = try await helper.vaultToWrite()
      if let found {
        try await opened.edit(found.id, [.seal(MemberPath(parsing: "password"), password)])
        return global.messages.note("the password of \(found.name) was replaced")
      }
      let login = Login(
        title: wanted.host, username: user, password: try EncryptedCodableString(utf8: password),
        urls: [wanted.address])
      try await opened.add(login)
      global.messages.note("\(wanted.host) was added")
    }

    /// Removes the refused login: the one with exactly this password.
    private func forget(_ wanted: GitCredential, _ place: LoginPlace) async throws {
      guard wanted.username != nil, let password = wanted.password else { return }
      let helper = try HelperSession(vault, unlocking: unlocking, global: global)
      guard let found = try await helper.login(for: place), found.has("password"),
        try found.line(at: "password") == password
      else { return }
      try await helper.vaultToWrite().remove([found.id])
      global.messages.note(
        "\(found.name) was refused and moved to the trash: `vault restore \(found.id.text)` brings it back")
    }
  }
}

/// The request of git about one account: lines of `name=value` up to an empty one. The last line of a repeated name
/// counts.
private struct GitCredential {
  let scheme: String
  let host: String
  let path: String?
  let username: String?
  let password: SecretBytes?

  /// Nil if the request names no host.
  init?(_ request: SecretBytes) throws {
    var (attributes, password): ([String: String], SecretBytes?) = ([:], nil)
    var rest = 0..<request.count
    while !rest.isEmpty {
      let line = request.line(in: rest)
      rest = min(line.upperBound + 1, rest.upperBound)..<rest.upperBound
      if line.isEmpty { break }
      let text = try request.slice(line)
      guard let equals = text.firstOffset(of: "=") else { continue }
      let value = try text.slice(equals + 1..<text.count)
      guard let name = try text.slice(0..<equals).string else { continue }
      if name == "password" { password = value } else { attributes[name] = value.string }
    }
    guard let scheme = attributes["protocol"], let host = attributes["host"] else { return nil }
    (self.scheme, self.host, path, username) = (scheme, host, attributes["path"], attributes["username"])
    self.password = password
  }

  var address: String { path.map { "\(scheme)://\(host)/\($0)" } ?? "\(scheme)://\(host)" }

  var place: LoginPlace? {
    // git has decoded the path, so these two signs are part of it.
    let path = path?.replacing("?", with: "%3F").replacing("#", with: "%23")
    return LoginPlace("\(scheme)://\(host)/\(path ?? "")", username: username, hasPath: path != nil)
  }
}

extension SecretBytes {
  fileprivate func firstOffset(of sign: Unicode.Scalar) -> Int? {
    withBytes { bytes in bytes.byteOffsets.first { bytes.byte(at: $0) == UInt8(ascii: sign) } }
  }

  /// The line that begins at the start of a range, without its end.
  fileprivate func line(in range: Range<Int>) -> Range<Int> {
    let end = withBytes { bytes in range.first { bytes.byte(at: $0) == UInt8(ascii: "\n") } }
    return range.lowerBound..<(end ?? range.upperBound)
  }
}
