import Synchronization
import Testing
import VaultAgent
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultSystem
import VaultTestSupport

/// Clocks that a test moves.
private final class Clocks: Sendable {
  private let times = Mutex<(boot: Duration, waking: Duration)>((.seconds(1000), .seconds(900)))

  func pass(_ time: Duration) { times.withLock { $0 = ($0.boot + time, $0.waking + time) } }
  func sleep(_ time: Duration) { times.withLock { $0.boot += time } }

  var clock: AgentClock {
    AgentClock(
      bootTime: { [self] in times.withLock { $0.boot } }, wakingTime: { [self] in times.withLock { $0.waking } })
  }
}

@Suite("Held keys")
struct HeldKeyTests {
  private let folder = TemporaryFolder()
  private let clocks = Clocks()
  private let vault = VaultID.random()
  private let record = RecordID.random()
  private let peer = LocalSocket.Peer(user: ProcessSession.user, process: nil)

  private func held(_ change: (inout Handover) -> Void = { _ in }) throws -> (HeldKey, RootKey, SecretBytes) {
    let key = try SecretBytes.random(count: 32)
    let header = Array("header".utf8)
    FileTree.write(header, to: folder.path + "/vault.json")
    var handover = Handover(
      vaultID: vault, path: folder.path, slot: .random(), key: key, headerHash: Array(repeating: 7, count: 32),
      fileHash: try unsafe SHA256.hash(header.span.bytes), idle: .seconds(60), maximum: .seconds(600))
    change(&handover)
    return (try HeldKey(handover, clock: clocks.clock), try RootKey(key, vaultID: vault), key)
  }

  private func open(_ root: RootKey, _ record: RecordID) throws -> AgentMessage {
    let (wrapped, _) = try root.makeDataKey(for: record)
    return AgentMessage(["request": "open", "vault": vault.text, "record": record.text, "wrapped": wrapped.text])
  }

  @Test("it opens and wraps the keys of records, and remembers that; the root key is in no answer")
  func requests() throws {
    var (held, root, key) = try held()
    let digits = key.withBytes { Base64.encode($0) }
    let hex = key.withBytes { Hex.encode(unsafe $0.withUnsafeBytes { unsafe Array($0) }) }
    let dataKey = try SecretBytes.random(count: 32)
    let wrapped = held.answer(
      AgentMessage(
        ["request": "wrap", "vault": vault.text, "record": record.text], key: dataKey),
      from: peer)
    let text = try #require(wrapped["wrapped"]?.string)
    let opened = held.answer(
      AgentMessage(["request": "open", "vault": vault.text, "record": record.text, "wrapped": text]), from: peer)
    #expect(opened.key == dataKey)
    var answers = [wrapped, opened, held.answer(try open(root, record), from: peer)]
    for name in ["status", "header", "root", "key", "export", ""] {
      answers.append(held.answer(AgentMessage(["request": name, "vault": vault.text]), from: peer))
    }
    for answer in answers {
      let bytes = try answer.frame().withBytes { frame in unsafe frame.withUnsafeBytes { unsafe Array($0) } }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains(digits))
      #expect(!text.contains(hex))
      #expect(answer.key != key)
    }
    #expect(held.uses.map(\.action) == ["wrap", "open", "open"])
  }

  @Test("another vault, another record than its own, a key of another root and unknown words are refused")
  func refusals() throws {
    var (held, root, _) = try held { $0.records = [record] }
    func error(_ message: AgentMessage) -> String? { held.answer(message, from: peer)["error"]?.string }
    #expect(error(try open(root, record)) == nil)
    #expect(error(try open(root, .random())) == "record")
    #expect(error(try open(.random(vaultID: vault), record)) == "root")
    var moved = try open(root, .random())
    moved.members["record"] = .string(record.text)
    #expect(error(moved) == "damaged", "a wrap is of one record")
    #expect(error(AgentMessage(["request": "open", "vault": VaultID.random().text])) == "vault")
    #expect(error(AgentMessage(["request": "slots", "vault": vault.text])) == "request")
    #expect(error(AgentMessage([:])) == "vault")
  }

  @Test("it is idle from the last use on, and has an end in any case")
  func lease() throws {
    var (held, root, _) = try held()
    for _ in 0..<11 {
      clocks.pass(.seconds(50))
      #expect(held.answer(try open(root, record), from: peer).key != nil)
    }
    // A question about the state does not count as use.
    clocks.pass(.seconds(30))
    #expect(held.answer(AgentMessage(["request": "status"]), from: peer)["seconds"]?.int == 20)
    #expect(held.lease.end == nil)
    clocks.pass(.seconds(20))
    #expect(held.lease.end == .maximum)
    #expect(held.answer(try open(root, record), from: peer)["error"]?.string == "locked")
    #expect(held.isLocked)
    var (other, _, _) = try self.held()
    clocks.pass(.seconds(59))
    #expect(other.mayGoOn)
    clocks.pass(.seconds(1))
    #expect(other.lease.end == .idle)
    #expect(!other.mayGoOn)
    _ = other.answer(AgentMessage(["request": "status"]), from: peer)
    #expect(other.isLocked)
  }

  @Test("a machine that slept finds it locked, however short that was against the limits")
  func suspend() throws {
    let (held, _, _) = try held()
    clocks.sleep(.seconds(1))
    #expect(held.mayGoOn)
    clocks.sleep(.seconds(5))
    #expect(held.lease.end == .suspended)
    #expect(!held.mayGoOn)
  }

  @Test("a header that is another, or gone, locks it")
  func header() throws {
    var (held, root, _) = try held()
    FileTree.write(Array("other".utf8), to: folder.path + "/vault.json")
    #expect(held.answer(try open(root, record), from: peer)["error"]?.string == "locked")
    FileTree.write(Array("header".utf8), to: folder.path + "/vault.json")
    #expect(held.answer(try open(root, record), from: peer)["error"]?.string == "locked", "it stays so")
  }

  @Test("a record that has to be confirmed is opened once it is; nothing else is asked about, and three noes lock")
  func confirming() throws {
    var (held, root, _) = try held { $0.confirms = true }
    let request = try open(root, record)
    #expect(held.answer(request, from: peer)["error"]?.string == "unconfirmed")
    let question = try #require(held.question(for: request, from: peer))
    #expect(question.record == record)
    held.take(true, to: question)
    #expect(held.question(for: request, from: peer) == nil)
    #expect(held.answer(request, from: peer).key != nil)
    // A record that was only written, one that opens nothing, and one for another key.
    let other = RecordID.random()
    _ = held.answer(
      AgentMessage(
        ["request": "wrap", "vault": vault.text, "record": other.text],
        key: try .random(count: 32)), from: peer)
    let second = try open(root, other)
    #expect(held.answer(second, from: peer)["error"]?.string == "unconfirmed")
    #expect(held.question(for: try open(.random(vaultID: vault), other), from: peer) == nil)
    #expect(held.question(for: AgentMessage(["request": "status"]), from: peer) == nil)
    let asked = try #require(held.question(for: second, from: peer))
    for isYes in [false, false, true, false, false] { held.take(isYes, to: asked) }
    #expect(!held.isLocked)
    held.take(false, to: asked)
    #expect(held.isLocked)
    #expect(held.answer(request, from: peer)["error"]?.string == "locked")
  }

  @Test("a vault has an agent only if there is a socket for it")
  func vaults() throws {
    let place = AgentPlace(PrivateFolder(folder.path + "/run"))
    #expect(try place.vaults().isEmpty)
    FileTree.makeFolder(folder.path + "/run")
    FileTree.setMode(0o700, of: folder.path + "/run")
    for name in ["agent-\(vault.text)", "note-\(VaultID.random().text)-a1", "agent-x"] {
      FileTree.write([], to: folder.path + "/run/" + name)
    }
    #expect(try place.vaults() == [vault], "a note is no agent")
  }

  @Test("a handover comes as it was sent")
  func handover() throws {
    var sent = Handover(
      vaultID: vault, path: "/v", slot: .random(), key: try .random(count: 32), headerHash: [1], fileHash: [2],
      idle: .seconds(3), maximum: .seconds(4))
    sent.session = ProcessSession.Identity(leader: 5, started: .max)
    sent.records = [record]
    sent.confirms = true
    let got = try Handover(sent.message)
    #expect(got.key == sent.key)
    #expect(got.session == sent.session)
    #expect(got.records == [record])
    #expect(got.path == "/v")
    #expect(got.confirms)
    #expect(got.idle == .seconds(3))
    #expect(got.maximum == .seconds(4))
    #expect(got.slot == sent.slot)
    #expect(got.vaultID == vault)
    #expect(throws: AgentError.self) { try Handover(AgentMessage([:])) }
  }
}
