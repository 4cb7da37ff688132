import Testing
import VaultDocument
import VaultPostgresStore
import VaultStorage
import VaultTestSupport

@Suite("Attachments in a database", .serialized) struct PostgresAttachmentTests {
  private static let title = "attachments in a database"
  private static let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 53) }

  private func attach(
    _ id: AttachmentID, to store: PostgresStore, under lock: any StoreLock, during: () -> Void = {}
  ) throws(StoreError) {
    let writer = try store.writer(of: .attachment(id), under: lock)
    try writer.append(Self.bytes)
    during()
    try writer.commit(replacing: nil)
  }

  private func attach(_ id: AttachmentID, to store: PostgresStore) throws(StoreError) {
    try store.withLock(.exclusive, timeout: .seconds(20)) { lock throws(StoreError) in
      try attach(id, to: store, under: lock)
    }
  }

  /// Whether all of an attachment is there, or nothing of it; nil for a part.
  private func isWhole(_ id: AttachmentID, in store: PostgresStore) throws -> Bool? {
    guard try store.attachments().contains(id) else {
      return try store.reader(of: .attachment(id)) == nil ? false : nil
    }
    return try store.read(.attachment(id)) == Self.bytes ? true : nil
  }

  @Test("a writer whose lock was lost is refused at the end, once somebody else has changed the vault")
  func fence() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let address = try PostgresAddress(parsing: server.address("fence"))
    let (store, other) = (try PostgresStore.create(at: address, makingTables: true), try PostgresStore(at: address))
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let (id, kept) = (AttachmentID.random(), AttachmentID.random())
    var others: Result<Void, StoreError>?
    let error = #expect(throws: StoreError.self) {
      try attach(id, to: store, under: lock) {
        server.endLockSessions()
        others = Result { () throws(StoreError) in
          try attach(kept, to: other)
          try other.apply([.put(.record(kept), Array("{}".utf8))], timeout: .seconds(20))
        }
      }
    }
    #expect(error?.code == .locked)
    try others?.get()
    lock.release()
    #expect(try store.attachments() == [kept])
    #expect(server.run("SELECT count(*) FROM vault.attachments").output == "3\n")
  }

  @Test("a connection that is cut at any statement leaves all of it or nothing", arguments: PostgresProxy.Side.allCases)
  func cut(_ side: PostgresProxy.Side) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let proxy = try #require(PostgresProxy(of: server))
    defer { proxy.stop() }
    let (name, settings) = ("attached_\(side.rawValue)", "&sslmode=disable")
    let direct = try PostgresStore.create(
      at: PostgresAddress(parsing: server.address(name, settings: settings)), makingTables: true)
    let through = try PostgresStore(
      at: PostgresAddress(parsing: server.address(name, port: proxy.port, settings: settings)))
    for number in 0..<100 {
      let id = AttachmentID.random()
      proxy.cut(side, number)
      var isDone = false
      do throws(StoreError) {
        try attach(id, to: through)
        isDone = true
      } catch {
        #expect([.ioFailed, .locked].contains(error.code), "statement \(number): \(error)")
      }
      let isReached = proxy.isReached
      let isWhole = try isWhole(id, in: direct)
      #expect(isWhole != nil, "statement \(number)")
      #expect(!isDone || isWhole == true, "statement \(number)")
      if !isReached { return #expect((6..<60).contains(number) && isDone, "\(number) statements") }
    }
    Issue.record("nothing was attached in 100 statements")
  }

  @Test("a server that dies between two parts keeps none of them, and one that dies afterwards keeps all")
  func server() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let store = try PostgresStore.create(at: PostgresAddress(parsing: server.address("cut")), makingTables: true)
    let (lost, kept) = (AttachmentID.random(), AttachmentID.random())
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let error = #expect(throws: StoreError.self) { try attach(lost, to: store, under: lock) { server.restart() } }
    #expect(error?.code == .ioFailed)
    lock.release()
    try attach(kept, to: store)
    server.restart()
    #expect(try store.attachments() == [kept])
    #expect(try isWhole(kept, in: store) == true)
  }

  @Test("what a trigger makes of a part is noticed, and nothing is attached")
  func trigger() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    let store = try PostgresStore.create(at: PostgresAddress(parsing: server.address("t")), makingTables: true)
    for body in ["NEW.bytes := ''\\x00''; RETURN NEW;", "RETURN NULL;", "NEW.part := NEW.part + 1; RETURN NEW;"] {
      let made = server.run(
        """
        CREATE OR REPLACE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(body) END';
        DROP TRIGGER IF EXISTS spoil ON vault.attachments;
        CREATE TRIGGER spoil BEFORE INSERT ON vault.attachments FOR EACH ROW EXECUTE FUNCTION spoil();
        """)
      try #require(made.code == 0, "\(made.errors)")
      let id = AttachmentID.random()
      let outcome = Result { () throws(StoreError) in try attach(id, to: store) }
      if case .failure(let error) = outcome { #expect(error.code == .unverifiedWrite) }
      // A part of another number is in its place among the others.
      #expect(try isWhole(id, in: store) == (body.contains("part") ? true : false), "\(body)")
    }
  }

  @Test("rows that were changed make an error or another content, and never more than a part is read at once")
  func damage() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.shared)
    let store = try PostgresVault.create()
    let id = AttachmentID.random()
    for change in [
      "DELETE FROM vault.attachments WHERE part = 1 AND", "UPDATE vault.attachments SET part = 7 - part WHERE",
      "UPDATE vault.attachments SET bytes = bytes || '\\x00' WHERE part = 2 AND",
    ] {
      try store.withLock(.exclusive) { lock throws(StoreError) in
        try store.removeAttachments([id], under: lock)
        try attach(id, to: store, under: lock)
      }
      let changed = server.run("\(change) id = '\(id.text)'")
      try #require(changed.code == 0, "\(changed.errors)")
      #expect(try store.read(.attachment(id)) != Self.bytes, "\(change)")
    }
    let larger = server.run("UPDATE vault.attachments SET bytes = repeat('x', 1048577)::bytea WHERE id = '\(id.text)'")
    #expect(larger.errors.contains("check constraint"), "\(larger.errors)")
    let before = server.run("UPDATE vault.attachments SET part = part - 1 WHERE id = '\(id.text)'")
    #expect(before.errors.contains("check constraint"), "\(before.errors)")
  }

  @Test("tables that an earlier program made have no attachments and take none, until the table is added")
  func earlier() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer())
    defer { server.stop() }
    func address(_ name: String) throws -> PostgresAddress { try PostgresAddress(parsing: server.address(name)) }
    let made = try PostgresStore.create(at: address("old"), makingTables: true)
    try made.apply([.put(.header, [1])])
    #expect(server.run("DROP TABLE vault.attachments").code == 0)
    let store = try PostgresStore(at: address("old"))
    let id = AttachmentID.random()
    #expect(try !store.keepsAttachments())
    #expect(try store.attachments().isEmpty)
    #expect(try store.reader(of: .attachment(id)) == nil)
    #expect(try store.places() == [.header])
    let error = #expect(throws: StoreError.self) { try attach(id, to: store) }
    #expect(error?.code == .missing)
    try store.withLock(.exclusive) { lock throws(StoreError) in try store.removeAttachments([id], under: lock) }
    let moment = try store.lock(.snapshot, timeout: .zero, onWait: { _ in })
    #expect(try moment.view?.heldAttachments() == [])
    #expect(try moment.view?.read(.header) == [1])
    moment.release()
    #expect(try store.inspection().contains { $0.name == "attachments" && $0.state == .doubtful })
    // A caller that makes another vault there, and the missing tables, makes that one, too.
    _ = try PostgresStore.create(at: address("new"), makingTables: true)
    try attach(id, to: store)
    #expect(try isWhole(id, in: store) == true)
    #expect(try store.inspection().contains { $0.name == "attachments" && $0.state == .good })
  }
}
