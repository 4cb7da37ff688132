#if os(Linux)
  import Testing
  import VaultAgent
  import VaultCrypto
  import VaultDocument
  import VaultSealing
  import VaultSystem
  import VaultTestSupport

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  // One after the other: a search copies memory, and another search would find the copy.
  @Suite("Requests in memory", .serialized)
  struct AgentMemoryTests {
    private let folder = TemporaryFolder()
    private let vault = VaultID.random()

    private var place: AgentPlace { AgentPlace(PrivateFolder(folder.path + "/run")) }

    private func server() throws -> AgentServer {
      let handover = Handover(
        vaultID: vault, path: folder.path, slot: .random(), key: try .random(count: 32),
        headerHash: Array(repeating: 7, count: 32), fileHash: [], idle: .seconds(60), maximum: .seconds(600))
      return AgentServer(try HeldKey(handover), listener: try place.listen(for: vault))
    }

    /// A request with a key, and the letters of that key turned over, so that they are not found where they are kept.
    private func request(padding: Int) throws -> (frame: SecretBytes, inverted: [UInt8]) {
      var message = AgentMessage(
        ["request": "wrap", "vault": vault.text, "record": RecordID.random().text],
        key: try .random(count: 32))
      if padding > 0 { message.members["pad"] = .string(String(repeating: "x", count: padding)) }
      let frame = try message.frame()
      let start = 4 + Memory.head.count
      let inverted = frame.withBytes { bytes in
        (start..<start + 43).map { unsafe ~bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
      return (frame, inverted)
    }

    /// - Parameters:
    ///   - first: how many bytes arrive before the others.
    ///   - isCut: whether the client leaves before the others.
    private func exchange(
      with server: inout AgentServer, _ first: Int, padding: Int, isCut: Bool
    ) throws -> [UInt8] {
      let (frame, inverted) = try request(padding: padding)
      let file = try LocalSocket.connect(to: place.socket(of: vault))
      try frame.withBytes { bytes throws(Errno) in
        let middle = min(first, bytes.byteCount)
        try LocalSocket.write(bytes.extracting(0..<middle), to: file)
        for _ in 0..<5 { _ = server.step(milliseconds: 10) }
        if !isCut { try LocalSocket.write(bytes.extracting(middle..<bytes.byteCount), to: file) }
      }
      if isCut { LocalSocket.close(file) }
      for _ in 0..<10 { _ = server.step(milliseconds: 10) }
      if !isCut {
        #expect(try AgentPlace.message(from: file)?["wrapped"] != nil)
        LocalSocket.close(file)
      }
      return inverted
    }

    @Test(
      "nothing of a key that a client sent stays in memory once it is answered, or gone",
      arguments: [(0, 0, false), (3, 0, false), (60, 0, false), (70_000, 90_000, false), (100, 0, true)])
    func wiped(_ first: Int, _ padding: Int, _ isCut: Bool) throws {
      var server = try server()
      let inverted = try exchange(with: &server, first, padding: padding, isCut: isCut)
      #expect(!Memory.holds(inverted))
      // The server lives until here, with its open connections.
      _ = server.step(milliseconds: 0)
    }

    @Test("a key that is still there is found")
    func found() throws {
      let (frame, inverted) = try request(padding: 0)
      #expect(Memory.holds(inverted))
      #expect(frame.count > 0)
    }
  }

  /// The memory of this process that can be written.
  private enum Memory {
    static let head = Array("{\"cvault_agent\":1,\"key\":\"".utf8)

    /// The ranges of addresses. The kernel gives such a file no size.
    private static var maps: String {
      let file = unsafe open("/proc/self/maps", O_RDONLY)
      defer { close(file) }
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe read(file, &piece, piece.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece.prefix(count)
      }
    }

    /// Whether a frame with a key is anywhere in it.
    static func holds(_ inverted: [UInt8]) -> Bool {
      let memory = unsafe open("/proc/self/mem", O_RDONLY)
      defer { close(memory) }
      let size = 1 << 20
      var piece = [UInt8](repeating: 0, count: size)
      // The next search must not find the copy.
      defer { for index in piece.indices { piece[index] = 0 } }
      for line in maps.split(separator: "\n") where line.contains(" rw-p ") {
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
        guard ends.count == 2 else { continue }
        // Pieces overlap by more than a frame's beginning.
        for start in stride(from: ends[0], to: ends[1], by: size - 256) {
          let count = unsafe pread(memory, &piece, min(size, ends[1] - start), off_t(start))
          if count > 0, holds(inverted, piece, count) { return true }
        }
      }
      return false
    }

    private static func holds(_ inverted: [UInt8], _ piece: [UInt8], _ count: Int) -> Bool {
      unsafe piece.withUnsafeBytes { bytes in
        var start = 0
        while start < count, let base = bytes.baseAddress, let found = unsafe memchr(base + start, 0x7B, count - start)
        {
          let key = unsafe UnsafeRawPointer(found) - base + head.count
          start = key - head.count + 1
          guard key + inverted.count <= count, unsafe memcmp(found, head, head.count) == 0 else { continue }
          var isKey = true
          for index in inverted.indices where unsafe bytes[key + index] != ~inverted[index] { isKey = false }
          if isKey { return true }
        }
        return false
      }
    }
  }
#endif
