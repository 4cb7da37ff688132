internal import VaultCrypto
package import VaultDocument
internal import VaultSealing
package import VaultSystem

/// The folder for the sockets of a user's agents, one for each vault.
package struct AgentPlace: Sendable {
  package let folder: String

  package init(folder: String) { self.folder = folder }

  package static let gone = AgentError(.gone, "the agent is gone")
  static let silent = AgentError(.silent, "the agent does not answer")
  private static let prefix = "agent-"

  package func socket(of vault: VaultID) -> String { "\(folder)/\(Self.prefix)\(vault.text)" }

  package func vaults() throws(AgentError) -> [VaultID] {
    guard try isOwn(folder, .directory) else { return [] }
    let files = FileSystem<AgentFileFailure>()
    guard let open = try? files.open(folder, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: folder) else {
      return []
    }
    let descriptor = open.descriptor
    let entries = try? files.call(at: folder) { (system) throws(Errno) in try system.entries(of: descriptor) }
    return (entries ?? []).compactMap { entry in
      entry.name.hasPrefix(Self.prefix) ? VaultID(parsing: String(entry.name.dropFirst(Self.prefix.count))) : nil
    }.sorted()
  }

  /// Listens for requests about a vault, and replaces the socket of an agent that is gone.
  package func listen(for vault: VaultID) throws(AgentError) -> Int32 {
    let path = socket(of: vault)
    guard path.utf8.count <= LocalSocket.longestPath else {
      throw AgentError(.refused, "the path of the socket is too long: \(path)")
    }
    let files = FileSystem<AgentFileFailure>()
    do throws(AgentFileFailure) {
      try files.makeFolders(folder)
    } catch {
      throw AgentError(.refused, "the folder of the socket cannot be made: \(folder)")
    }
    guard try isOwn(folder, .directory) else { throw Self.gone }
    if try isOwn(path, .other) { files.removeQuietly(path, in: OpenPurpose.noDirectory) }
    do throws(Errno) {
      return try LocalSocket.listen(at: path)
    } catch {
      throw AgentError(.refused, "there can be no socket at \(path) (error \(error.number))")
    }
  }

  package func socketFile(of vault: VaultID) -> FileStatus? {
    let path = socket(of: vault)
    let status = try? FileSystem<AgentFileFailure>().callIfPresent(at: path) { (system) throws(Errno) in
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
    FileSystem<AgentFileFailure>().removeQuietly(socket(of: vault), in: OpenPurpose.noDirectory)
  }

  /// A connection to the agent of a vault; nil if no agent runs.
  func connect(to vault: VaultID) throws(AgentError) -> Int32? {
    let path = socket(of: vault)
    guard path.utf8.count <= LocalSocket.longestPath, try isOwn(folder, .directory), try isOwn(path, .other) else {
      return nil
    }
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
      throw AgentError(.foreign, "somebody else listens at \(path)")
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

  /// Whether the file exists, and only this user can access it.
  func isOwn(_ path: String, _ kind: FileStatus.Kind) throws(AgentError) -> Bool {
    let status: FileStatus?
    do throws(AgentFileFailure) {
      status = try FileSystem<AgentFileFailure>().callIfPresent(at: path) { (system) throws(Errno) in
        try system.status(of: path, in: OpenPurpose.noDirectory, followingLink: false)
      }
    } catch {
      throw AgentError(.foreign, "\(path) cannot be looked at")
    }
    guard let status else { return false }
    guard status.kind == kind, status.owner == ProcessSession.user, !status.isOpenToOthers else {
      throw AgentError(.foreign, "\(path) is not this user's alone")
    }
    return true
  }
}

/// A file error. Its reason does not matter to an agent.
struct AgentFileFailure: FileFailure {
  let errno: Int32?

  init(_ fault: FileFault, at path: String) { errno = fault.errno.number }
}
