internal import VaultCrypto
internal import VaultDocument
internal import VaultSystem

/// Serves a held key at a socket, to one process after the other, until it is locked.
package struct AgentServer: ~Copyable {
  /// How many are connected at once; then the one goes that has been silent for longest.
  package static let clientLimit = 32
  /// For how long somebody may send one request.
  package static let requestTime: Duration = .seconds(5)

  private struct Client {
    let file: Int32
    let peer: LocalSocket.Peer
    var buffer: [UInt8] = []
    /// When the request that is not complete began.
    var began: Duration?
    var heard: Duration
  }

  private let listener: Int32
  private let clock: AgentClock
  private var held: HeldKey
  private var clients: [Client] = []

  package init(_ held: HeldKey, listener: Int32, clock: AgentClock = AgentClock()) {
    (self.held, self.listener, self.clock) = (held, listener, clock)
  }

  deinit {
    for client in clients { LocalSocket.close(client.file) }
    LocalSocket.close(listener)
  }

  /// Serves until the key is to be dropped.
  package mutating func run() { while step(milliseconds: 1000) {} }

  /// Serves whoever has sent something, or waits for somebody.
  ///
  /// - Returns: whether it goes on.
  package mutating func step(milliseconds: Int32) -> Bool {
    let ready = LocalSocket.wait(for: [listener] + clients.map(\.file), milliseconds: milliseconds)
    guard held.mayGoOn else { return false }
    for (index, isReady) in ready.dropFirst().enumerated().reversed() {
      let isLate = clients[index].began.map { clock.bootTime() - $0 > Self.requestTime } ?? false
      if isLate || isReady && !serve(index) { drop(index) }
    }
    if ready[0] { accept() }
    return !held.isLocked
  }

  private mutating func accept() {
    guard let file = try? LocalSocket.accept(listener) else { return }
    // No other user, and root neither.
    guard let peer = try? LocalSocket.peer(of: file), peer.user == ProcessSession.user else {
      return LocalSocket.close(file)
    }
    if clients.count >= Self.clientLimit,
      let silent = clients.indices.min(by: { clients[$0].heard < clients[$1].heard })
    {
      drop(silent)
    }
    clients.append(Client(file: file, peer: peer, heard: clock.bootTime()))
  }

  private mutating func drop(_ index: Int) {
    LocalSocket.close(clients[index].file)
    clients[index].buffer.wipe()
    clients.remove(at: index)
  }

  /// Reads what a client has sent, and answers when it is a whole request.
  ///
  /// - Returns: whether the client may stay.
  private mutating func serve(_ index: Int) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    defer { piece.wipe() }
    let count: Int
    do throws(Errno) {
      var span = piece.mutableSpan
      var bytes = unsafe span.mutableBytes
      count = try LocalSocket.read(clients[index].file, into: &bytes, at: 0)
    } catch {
      return error == .wouldBlock
    }
    guard count > 0 else { return false }
    clients[index].heard = clock.bootTime()
    if clients[index].began == nil { clients[index].began = clock.bootTime() }
    clients[index].buffer.appendWiping(piece[..<count])
    return answer(index)
  }

  private mutating func answer(_ index: Int) -> Bool {
    let buffer = clients[index].buffer
    guard buffer.count >= AgentMessage.headByteCount else { return true }
    guard let count = AgentMessage.count(in: buffer) else { return false }
    let end = AgentMessage.headByteCount + count
    guard buffer.count >= end else { return true }
    // One request at a time: what comes behind it before its answer is none.
    guard buffer.count == end else { return false }
    clients[index].began = nil
    let answer = answer(to: buffer, clients[index].peer)
    clients[index].buffer.wipe()
    guard let frame = try? answer.frame() else { return false }
    do throws(Errno) {
      try frame.withBytes { bytes throws(Errno) in try LocalSocket.write(bytes, to: clients[index].file) }
      return true
    } catch {
      return false
    }
  }

  private mutating func answer(to frame: [UInt8], _ peer: LocalSocket.Peer) -> AgentMessage {
    let request: AgentMessage
    do throws(AgentError) {
      request = try AgentMessage(
        parsing: RawSpan(_elements: frame.span).extracting(droppingFirst: AgentMessage.headByteCount))
    } catch {
      return .refusal("request")
    }
    return held.answer(request, from: peer)
  }
}

extension [UInt8] {
  /// Forgets what may have been a key.
  fileprivate mutating func wipe() {
    for index in indices { self[index] = 0 }
    removeAll()
  }

  /// Appends, and leaves nothing behind where the bytes have to move.
  fileprivate mutating func appendWiping(_ bytes: ArraySlice<UInt8>) {
    var longer = [UInt8]()
    longer.reserveCapacity(count + bytes.count)
    longer += self
    longer += bytes
    wipe()
    self = longer
  }
}
