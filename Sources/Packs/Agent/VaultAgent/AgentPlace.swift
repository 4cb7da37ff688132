internal import VaultCrypto
package import VaultDocument
internal import VaultSealing
package import VaultSystem

/// The folder for the sockets of a user's agents, one for each vault.
package struct AgentPlace: Sendable {
  private let folder: PrivateFolder

  package init(_ folder: PrivateFolder) { self.folder = folder }

  package static let gone = AgentError(.gone, "the agent is gone")
  static let silent = AgentError(.silent, "the agent does not answer")
  private static let prefix = "agent-"

  package func socket(of vault: VaultID) -> String { "\(folder.path)/\(Self.prefix)\(vault.text)" }

  package func vaults() throws(AgentError) -> [VaultID] {
    try checked { () throws(PrivateFolderError) in try folder.names() }
      .filter { $0.hasPrefix(Self.prefix) }.compactMap { VaultID(parsing: String($0.dropFirst(Self.prefix.count))) }
      .sorted()
  }

  /// Listens for requests about a vault, and replaces the socket of an agent that is gone.
  package func listen(for vault: VaultID) throws(AgentError) -> Int32 {
    let path = socket(of: vault)
    guard path.utf8.count <= LocalSocket.longestPath else {
      throw AgentError(.refused, "the path of the socket is too long: \(path)")
    }
    let isLeft = try checked { () throws(PrivateFolderError) in
      guard try folder.make() else {
        throw PrivateFolderError(.refused, "the folder of the socket cannot be created: \(folder.path)")
      }
      return try isSocket(path)
    }
    if isLeft { PrivateFolder.Files().removeQuietly(path, in: OpenPurpose.noDirectory) }
    do throws(Errno) {
      return try LocalSocket.listen(at: path)
    } catch {
      throw AgentError(.refused, "the socket \(path) cannot be created (error \(error.number))")
    }
  }

  package func socketFile(of vault: VaultID) -> FileStatus? {
    let path = socket(of: vault)
    let status = try? PrivateFolder.Files().callIfPresent(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: OpenPurpose.noDirectory, followingLink: false)
    }
    return status ?? nil
  }

  /// Whether the socket is still the agent's first file. A logout deletes the folder, and then nobody could reach the
  /// agent to lock it.
  package func has(_ file: FileStatus?, for vault: VaultID) -> Bool {
    guard let file, let present = socketFile(of: vault) else { return false }
    return present.isSameFile(as: file)
  }

  /// Removes the socket when the agent ends. The socket of another agent stays.
  package func remove(_ vault: VaultID, _ file: FileStatus?) {
    guard has(file, for: vault) else { return }
    PrivateFolder.Files().removeQuietly(socket(of: vault), in: OpenPurpose.noDirectory)
  }

  /// A connection to the agent of a vault; nil if no agent runs.
  func connect(to vault: VaultID) throws(AgentError) -> Int32? {
    let path = socket(of: vault)
    let isThere = try checked { () throws(PrivateFolderError) in
      guard path.utf8.count <= LocalSocket.longestPath, try folder.isThere() else { return false }
      return try isSocket(path)
    }
    guard isThere else { return nil }
    let file: Int32
    do throws(Errno) {
      file = try LocalSocket.connect(to: path)
    } catch {
      // The queue of this agent is full.
      if error == .wouldBlock { throw Self.silent }
      return nil
    }
    guard let peer = try? LocalSocket.peer(of: file), peer.user == ProcessSession.user else {
      LocalSocket.close(file)
      throw AgentError(.foreign, "another user listens at \(path)")
    }
    return file
  }

  /// The next message of a stream, read into locked memory; nil at the end, or if it is malformed.
  package static func message(from file: Int32) throws(Errno) -> AgentMessage? {
    guard let head = try bytes(AgentMessage.headByteCount, from: file) else { return nil }
    let count = AgentMessage.count(in: head.withBytes { $0.copiedBytes() })
    guard let count, let object = try bytes(count, from: file) else { return nil }
    return object.withBytes { object in try? AgentMessage(parsing: object) }
  }

  private static func bytes(_ count: Int, from file: Int32) throws(Errno) -> SecretBytes? {
    var (position, failure) = (0, Errno?.none)
    let bytes = try? SecretBytes(count: count) { span throws(CryptoError) in
      do throws(Errno) {
        while position < count {
          let read = try LocalSocket.read(file, into: &span, at: position)
          guard read > 0 else { break }
          position += read
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return position == count ? bytes : nil
  }

  private func isSocket(_ path: String) throws(PrivateFolderError) -> Bool { try folder.isOwn(path, .other) }

  private func checked<Result>(_ body: () throws(PrivateFolderError) -> Result) throws(AgentError) -> Result {
    do throws(PrivateFolderError) {
      return try body()
    } catch {
      throw AgentError(error.code == .foreign ? .foreign : .refused, error.reason)
    }
  }
}
