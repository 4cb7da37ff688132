import Testing
import VaultCrypto
import VaultAge

@Suite("age files")
struct FileTests {
  private func replacing(_ old: String, by new: String, in file: [UInt8]) -> [UInt8] {
    let old = bytes(old)
    guard let start = file.indices.first(where: { file[$0...].starts(with: old) }) else { return file }
    return file[..<start] + bytes(new) + file[(start + old.count)...]
  }

  @Test("every recipient opens a file, in any order of identities, and nobody else does")
  func recipients() throws {
    let identities = try (0..<3).map { _ in try AgeIdentity.generate() }
    let stranger = try AgeIdentity.generate()
    let file = try seal([1, 2, 3], to: identities.map { try $0.recipient })
    for identity in identities {
      #expect(try open(file, [.identity(stranger), .identity(identity)]) == [1, 2, 3])
    }
    expect(.noMatchingIdentity) { _ = try open(file, [.identity(stranger)]) }
    expect(.noMatchingIdentity) { _ = try open(file, []) }
    expect(.noMatchingIdentity) { _ = try open(file, [.passphrase(secret("right"))]) }
    #expect(try seal([1, 2, 3], to: identities.map { try $0.recipient }) != file)
  }

  @Test("the right passphrase opens a file; a wrong one and a missing one are told apart")
  func passphrase() throws {
    let file = try seal([4, 5], passphrase: "right", workFactor: 2)
    #expect(try open(file, [.passphrase(secret("wrong")), .passphrase(secret("right"))]) == [4, 5])
    #expect(try header(file).scryptWorkFactor() == 2)
    expect(.wrongPassphrase) { _ = try open(file, [.passphrase(secret("wrong"))]) }
    expect(.wrongPassphrase) { _ = try open(file, [.passphrase(secret("right\n"))]) }
    expect(.noMatchingIdentity) { _ = try open(file, [.identity(AgeIdentity.generate())]) }
    expect(.emptyPassphrase) { _ = try seal([], passphrase: "", workFactor: 2) }
  }

  @Test("a work factor above the caller's maximum is refused before memory is taken")
  func workFactorLimit() throws {
    let file = try seal([], passphrase: "right", workFactor: 5)
    #expect(try open(file, [.passphrase(secret("right"), maximumWorkFactor: 5)]) == [])
    expect(.workFactorOutOfRange) { _ = try open(file, [.passphrase(secret("right"), maximumWorkFactor: 4)]) }
    // 2^40 would need a petabyte.
    let huge = replacing(" 5\n", by: " 40\n", in: file)
    expect(.workFactorOutOfRange) { _ = try open(huge, [.passphrase(secret("right"))]) }
    expect(.workFactorOutOfRange) { _ = try open(huge, [.passphrase(secret("right"), maximumWorkFactor: 39)]) }
    for workFactor in [-1, 0, 23] {
      expect(.workFactorOutOfRange) { _ = try seal([], passphrase: "right", workFactor: workFactor) }
    }
  }

  @Test("a scrypt stanza beside any other stanza is refused")
  func scryptAlone() throws {
    let file = try seal([], passphrase: "right", workFactor: 2)
    let mixed = replacing("-> scrypt", by: "-> grease\n\n-> scrypt", in: file)
    expect(.malformedHeader) { _ = try open(mixed, [.passphrase(secret("right"))]) }
    expect(.malformedHeader) { _ = try open(mixed, [.identity(AgeIdentity.generate())]) }
    expect(.malformedHeader) { _ = try header(mixed).scryptWorkFactor() }
  }

  @Test("a header that was changed opens no more")
  func changedHeader() throws {
    let identity = try AgeIdentity.generate()
    let file = try seal([1], to: [identity.recipient])
    expect(.headerAuthenticationFailed) {
      _ = try open(replacing("-> X25519", by: "-> grease x\n\n-> X25519", in: file), [.identity(identity)])
    }
    var body = file
    let bodyOffset = try #require(file.indices.filter { file[$0] == UInt8(ascii: "\n") }.dropFirst().first) + 1
    body[bodyOffset] = body[bodyOffset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    expect(.noMatchingIdentity) { _ = try open(body, [.identity(identity)]) }
  }

  @Test(
    "a malformed stanza of a known type is refused",
    arguments: [
      "-> X25519\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> X25519 CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> X25519 CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> X25519 CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> X25519 CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> scrypt AAAAAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> scrypt AAAAAAAAAAAAAAAAAAAAAA 2 x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> scrypt AAAAAAAAAAAAAAAAAAAAAB 2\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
      "-> scrypt AAAAAAAAAAAAAAAAAAAAAA 2\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
    ])
  func malformedStanza(stanza: String) throws {
    let file = bytes("age-encryption.org/v1\n\(stanza)--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")
    let credentials: [AgeCredential] = [.identity(try .generate()), .passphrase(try secret("right"))]
    expect(.malformedHeader) { _ = try open(file, credentials) }
  }

  @Test("low-order points are refused as share and as recipient", arguments: [UInt8(0), 1])
  func lowOrder(first: UInt8) throws {
    let point = [first] + [UInt8](repeating: 0, count: 31)
    let stanza = AgeStanza(type: "X25519", arguments: [AgeStanza.text(point)], body: [UInt8](repeating: 0, count: 32))
    let file = AgeHeader.authenticatedBytes([stanza]) + bytes(" AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")
    expect(.lowOrderShare) { _ = try open(file, [.identity(AgeIdentity.generate())]) }
    expect(.lowOrderShare) { _ = try seal([], to: [AgeRecipient(publicKey: point)]) }
  }

  @Test("sealing to nobody, or to more recipients than can be read, is refused")
  func recipientCount() throws {
    let recipient = try AgeIdentity.generate().recipient
    expect(.noRecipient) { _ = try seal([], to: []) }
    expect(.tooLarge) { _ = try seal([], to: Array(repeating: recipient, count: 1001)) }
  }

  @Test("a plaintext above the caller's maximum is refused before memory is taken")
  func plaintextLimit() throws {
    let identity = try AgeIdentity.generate()
    let file = try seal([UInt8](repeating: 7, count: 100), to: [identity.recipient])
    func open(_ maximum: Int) throws -> Int {
      try AgeFile.open(RawSpan(_elements: file.span), with: [.identity(identity)], maximumByteCount: maximum).count
    }
    #expect(try open(100) == 100)
    expect(.tooLarge) { _ = try open(99) }
  }

  @Test("no secret outlives its use, whether a file opens or not")
  func secretsEnd() async {
    // A process of its own, since the counter is shared with the tests that run beside this one.
    await #expect(processExitsWith: .success) {
      func use() throws {
        let identity = try AgeIdentity.generate()
        var file = try seal([1, 2, 3], to: [identity.recipient])
        precondition(SecretBytes.liveCount == 1, "only the identity's scalar is left")
        _ = try open(file, [.identity(identity)])
        try Pipe(file).open([.identity(identity)])
        file[file.count - 1] ^= 1
        _ = try? open(file, [.identity(identity)])
        _ = try? open(file, [.identity(.generate())])
        _ = try? open(seal([], passphrase: "right", workFactor: 2), [.passphrase(secret("wrong"))])
        precondition(SecretBytes.liveCount == 1, "only the identity's scalar is left")
      }
      try use()
      precondition(SecretBytes.liveCount == 0, "nothing is left")
    }
  }
}
