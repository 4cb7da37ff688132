import Testing
import VaultAge

@Suite("age payload")
struct StreamTests {
  private let identity: AgeIdentity
  private let box = AgePayload.boxByteCount

  init() throws { identity = try AgeIdentity.generate() }

  private func plaintext(_ count: Int) -> [UInt8] {
    var pattern = Pattern(seed: UInt64(count))
    return pattern.bytes(count)
  }

  /// Checks that both ways of opening refuse `file` with `code`, and gives what the streaming one released.
  private func refused(
    _ file: [UInt8], _ code: AgeError.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [UInt8] {
    expect(code, sourceLocation: sourceLocation) { _ = try open(file, [.identity(identity)]) }
    let pipe = Pipe(file, piece: 10_000)
    expect(code, sourceLocation: sourceLocation) { try pipe.open([.identity(identity)]) }
    return pipe.output
  }

  @Test("streaming and whole sealing and opening agree at every edge", arguments: edgeSizes)
  func roundTrip(count: Int) throws {
    let plaintext = plaintext(count)
    for armored in [false, true] {
      let sealed = Pipe(plaintext, piece: 9_999)
      try sealed.seal(to: [identity.recipient])
      let encoding = armored ? AgeEncoding.armored : .binary
      #expect(try open(armored ? armor(sealed.output) : sealed.output, [.identity(identity)], encoding) == plaintext)
      let whole = try seal(plaintext, to: [identity.recipient])
      let opened = Pipe(armored ? armor(whole) : whole, piece: 5_001)
      try opened.open([.identity(identity)], encoding)
      #expect(opened.output == plaintext)
      #expect(sealed.output.count == whole.count)
    }
  }

  @Test("a passphrase seals and opens a stream")
  func passphrase() throws {
    let sealed = Pipe(plaintext(70_000))
    try sealed.seal(AgeWriter(passphrase: secret("right"), workFactor: 2, write: sealed.write))
    let opened = Pipe(sealed.output)
    try opened.open([.passphrase(secret("right"))])
    #expect(opened.output == plaintext(70_000))
  }

  @Test("a stream of many chunks is read and written in pieces of at most one chunk")
  func constantMemory() throws {
    let sealed = Pipe(plaintext(3_000_000))
    try sealed.seal(to: [identity.recipient])
    #expect(sealed.largestWrite <= box)
    let opened = Pipe(sealed.output)
    try opened.open([.identity(identity)])
    #expect(opened.largestRequest <= box + 1)
    #expect(opened.largestWrite <= AgePayload.chunkByteCount)
    #expect(opened.output.count == 3_000_000)
  }

  @Test(
    "a cut payload is refused, and only whole authentic chunks were released", arguments: [0, 100, 65_536, 150_000])
  func cut(count: Int) throws {
    let plaintext = plaintext(count)
    let file = try seal(plaintext, to: [identity.recipient])
    let start = try header(file).byteCount + AgePayload.nonceByteCount
    for end in [start, start + 1, start + 15, start + box - 1, file.count - 1] where end < file.count && end >= start {
      let code: AgeError.Code = end == start ? .truncated : .payloadAuthenticationFailed
      let released = refused(Array(file[..<end]), code)
      #expect(plaintext.starts(with: released))
      #expect(released.count % AgePayload.chunkByteCount == 0)
    }
    if count > 65_536 { #expect(refused(Array(file[..<(start + box)]), .truncated).count == 65_536) }
    expect(.malformedHeader) { _ = try open(Array(file[..<(start - 1)]), [.identity(identity)]) }
  }

  @Test("anything behind the final chunk is refused", arguments: [0, 100, 65_536, 70_000])
  func trailing(count: Int) throws {
    let file = try seal(plaintext(count), to: [identity.recipient])
    for extra in [1, 16, 100_000] {
      _ = refused(file + [UInt8](repeating: 0, count: extra), .payloadAuthenticationFailed)
    }
  }

  @Test("a changed, swapped or doubled chunk is refused")
  func changedChunks() throws {
    let file = try seal(plaintext(200_000), to: [identity.recipient])
    let start = try header(file).byteCount + AgePayload.nonceByteCount
    let prefix = Array(file[..<start])
    let first = Array(file[start..<start + box])
    let second = Array(file[start + box..<start + 2 * box])
    let last = Array(file[(start + 2 * box)...])
    #expect(refused([prefix, second, first, last].flatMap(\.self), .payloadAuthenticationFailed).isEmpty)
    let released = refused([prefix, first, first, last].flatMap(\.self), .payloadAuthenticationFailed)
    #expect(released == Array(plaintext(200_000).prefix(65_536)))
    for offset in [start - 1, start, start + box, file.count - 1] {
      var changed = file
      changed[offset] ^= 1
      _ = refused(changed, .payloadAuthenticationFailed)
    }
  }

  @Test("an empty final chunk is refused unless the whole payload is empty")
  func emptyFinalChunk() throws {
    let sealing = try AgeSealing(to: [identity.recipient])
    let full = [UInt8](repeating: 1, count: AgePayload.chunkByteCount)
    let first = try sealing.payload.seal(RawSpan(_elements: full.span), index: 0, isLast: false)
    let empty = try sealing.payload.seal(RawSpan(), index: 1, isLast: true)
    #expect(refused(sealing.prefix + first + empty, .payloadAuthenticationFailed) == full)
    let alone = try sealing.payload.seal(RawSpan(), index: 0, isLast: true)
    #expect(try open(sealing.prefix + alone, [.identity(identity)]) == [])
  }

  @Test("an error of the caller's closures is passed on inside ours")
  func closureErrors() throws {
    struct Mine: Error {}
    let file = try seal([1], to: [identity.recipient])
    let pipe = Pipe(file)
    let later: AgeRead = { span in
      let count = pipe.read(&span)
      guard count > 0 else { throw Mine() }
      return count
    }
    let bodies: [(AgeError.Code, () throws(AgeError) -> Void)] = [
      (.readFailed, { () throws(AgeError) in _ = try AgeReader(with: [], read: { _ in throw Mine() }) }),
      (.readFailed, { () throws(AgeError) in _ = try AgeReader(with: [.identity(identity)], read: later).next() }),
      (.writeFailed, { () throws(AgeError) in _ = try AgeWriter(to: [identity.recipient]) { _ in throw Mine() } }),
    ]
    for (code, body) in bodies {
      let error = #expect(throws: AgeError.self) { try body() }
      #expect(error?.code == code)
      #expect(error?.underlying is Mine)
    }
  }

  @Test("a read closure that claims more than its span stops the program")
  func overlongRead() async {
    await #expect(processExitsWith: .failure) {
      _ = try AgeReader(with: [], read: { $0.byteCount + 1 })
    }
  }
}
