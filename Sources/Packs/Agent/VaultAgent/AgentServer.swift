internal import VaultCrypto
internal import VaultDocument
internal import VaultSystem

/// Serves a held key at a socket, to one process after the other, until it is locked.
package struct AgentServer: ~Copyable {
  /// The maximum number of clients. The client that was silent for longest is disconnected first.
  static let clientLimit = 32
  /// The timeout for sending one request.
  static let requestTime: Duration = .seconds(5)

  private struct Client {
    let file: Int32
    let peer: LocalSocket.Peer
    let request = RequestBytes()
    /// The start of an incomplete request.
    var began: Duration?
    var heard: Duration
    /// The request that waits for an answer of the user.
    var waiting: AgentMessage?
  }

  private let listener: Int32
  private let clock: AgentClock
  private var held: HeldKey
  private var clients: [Client] = []
  private let watch: AgentWatch
  private let asker: AgentAsker?
  /// The shown question, its client, and its end.
  private var asked: (question: AgentQuestion, file: Int32, end: Duration)?

  package init(
    _ held: HeldKey, listener: Int32, watch: AgentWatch = AgentWatch(), asker: AgentAsker? = nil,
    clock: AgentClock = AgentClock()
  ) {
    (self.held, self.listener, self.watch, self.asker, self.clock) = (held, listener, watch, asker, clock)
  }

  deinit {
    if asked != nil { asker?.withdraw() }
    for client in clients { LocalSocket.close(client.file) }
    LocalSocket.close(listener)
  }

  package mutating func run() { while step(milliseconds: 1000) {} }

  /// Serves all clients with requests, or waits for one. Returns whether the agent continues.
  package mutating func step(milliseconds: Int32) -> Bool {
    // The terminal is read only while a question is shown.
    let terminal = asked == nil ? [] : [asker?.terminal].compactMap { $0 }
    let count = clients.count
    let ready = LocalSocket.wait(
      for: [listener] + clients.map(\.file) + terminal + watch.files, milliseconds: milliseconds)
    guard !watch.isOver(), held.mayGoOn else { return false }
    held.hears = watch.heard()
    if !terminal.isEmpty, ready[count + 1] { takeAnswer() }
    for (index, isReady) in ready.dropFirst().prefix(count).enumerated().reversed() {
      let isLate = clients[index].began.map { clock.bootTime() - $0 > Self.requestTime } ?? false
      if isLate || isReady && !serve(index) { drop(index) }
    }
    if ready[0] { accept() }
    askNext()
    return !held.isLocked
  }

  private mutating func accept() {
    guard let file = try? LocalSocket.accept(listener) else { return }
    // Other users are refused, and so is root.
    guard var peer = try? LocalSocket.peer(of: file), peer.user == ProcessSession.user else {
      return LocalSocket.close(file)
    }
    peer.isConfined = LocalSocket.isConfined(peer, on: file, of: listener)
    if clients.count >= Self.clientLimit,
      let silent = clients.indices.min(by: { clients[$0].heard < clients[$1].heard })
    {
      drop(silent)
    }
    clients.append(Client(file: file, peer: peer, heard: clock.bootTime()))
  }

  private mutating func drop(_ index: Int) {
    if asked?.file == clients[index].file { withdraw() }
    LocalSocket.close(clients[index].file)
    clients[index].request.wipe()
    clients.remove(at: index)
  }

  /// Reads from a client, and answers a complete request. Returns whether the client may stay.
  private mutating func serve(_ index: Int) -> Bool {
    let count: Int
    do throws(Errno) {
      count = try clients[index].request.read(clients[index].file)
    } catch {
      return error == .wouldBlock
    }
    guard count > 0, clients[index].waiting == nil else { return false }
    clients[index].heard = clock.bootTime()
    if clients[index].began == nil { clients[index].began = clock.bootTime() }
    return answer(index)
  }

  private mutating func answer(_ index: Int) -> Bool {
    let bytes = clients[index].request
    guard bytes.count >= AgentMessage.headByteCount else { return true }
    guard let count = AgentMessage.count(in: bytes.head) else { return false }
    let end = AgentMessage.headByteCount + count
    guard bytes.count >= end else { return true }
    // A client sends one request at a time, and waits for its answer.
    guard bytes.count == end else { return false }
    clients[index].began = nil
    defer { bytes.wipe() }
    guard let request = bytes.message() else { return send(.refusal("request"), index) }
    guard asker != nil, held.question(for: request, from: clients[index].peer) != nil else {
      return send(held.answer(request, from: clients[index].peer), index)
    }
    clients[index].waiting = request
    return send(AgentMessage(["asking": true]), index)
  }

  /// Sends an answer. Returns whether the client took it.
  private func send(_ message: AgentMessage, _ index: Int) -> Bool {
    guard let frame = try? message.frame() else { return false }
    do throws(Errno) {
      try frame.withBytes { bytes throws(Errno) in try LocalSocket.write(bytes, to: clients[index].file) }
      return true
    } catch {
      return false
    }
  }
}

extension AgentServer {
  private mutating func takeAnswer() {
    guard let (question, file, _) = asked, let asker else { return }
    asked = nil
    let isYes = asker.answer()
    held.take(isYes, to: question)
    guard let index = clients.firstIndex(where: { $0.file == file }) else { return }
    finish(index, isYes ? nil : .refusal("denied"))
  }

  /// Answers clients that need no question any more, and asks the next question.
  private mutating func askNext() {
    guard let asker else { return }
    if let asked, clock.bootTime() >= asked.end {
      withdraw()
      if let index = clients.firstIndex(where: { $0.file == asked.file }) { finish(index, .refusal("unconfirmed")) }
    }
    for index in clients.indices.reversed() where asked == nil && !held.isLocked {
      guard let request = clients[index].waiting else { continue }
      guard let question = held.question(for: request, from: clients[index].peer) else {
        finish(index, nil)
        continue
      }
      if asker.ask(question) {
        asked = (question, clients[index].file, clock.bootTime() + AgentQuestion.time)
      } else {
        finish(index, .refusal("unconfirmed"))
      }
    }
  }

  /// - Parameter refusal: the refusal; nil to answer with the key.
  private mutating func finish(_ index: Int, _ refusal: AgentMessage?) {
    guard let request = clients[index].waiting else { return }
    clients[index].waiting = nil
    if !send(refusal ?? held.answer(request, from: clients[index].peer), index) { drop(index) }
  }

  private mutating func withdraw() {
    asked = nil
    asker?.withdraw()
  }
}
