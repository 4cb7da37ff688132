import Testing
import VaultCrypto
import VaultTestSupport
import VaultAge

@Suite("the age command", .serialized)
struct AgeCommandTests {
  private static let randomSizeCount = 8
  private static let passphraseSizes = [0, 65_536]

  /// Random sizes near the ends of chunks, of the plaintext and of the sealed file.
  private static func sizes(seed: UInt64) -> [Int] {
    var pattern = Pattern(seed: seed)
    return (0..<randomSizeCount).map { _ in
      Int.random(in: 1...6, using: &pattern) * 65_536 + Int.random(in: -40...40, using: &pattern)
    }
  }

  /// Reports tests that are not run; the counts are printed at the end of each test.
  private func isMissing(_ command: String, _ what: String, count: Int) -> Bool {
    let isMissing = !AgeTool.isInstalled(command)
    if isMissing { Need.notRun(what, count: count, "\(command) is not installed") }
    return isMissing
  }

  private func plaintext(_ count: Int) -> [UInt8] {
    var pattern = Pattern(seed: UInt64(count) + 99)
    return pattern.bytes(count)
  }

  @Test("what we seal, age opens, and what age seals, we open: X25519, binary and armored")
  func x25519() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let sizes = edgeSizes + Self.sizes(seed: seed)
    let count = sizes.count * 4
    guard !isMissing("age", "age command, X25519", count: count) else { return }
    let tool = try AgeTool()
    let identity = try AgeIdentity.generate()
    try tool.write(contents(AgeIdentityFile.text(identity, created: "2026-11-21T01:40:28Z")), to: "key.txt")
    for size in sizes {
      for armored in [false, true] {
        try weSeal(size, armored: armored, identity, tool)
        try ageSeals(size, armored: armored, identity, tool)
      }
    }
    print("age command, X25519: \(count) run, seed of the random sizes \(seed)")
  }

  private func weSeal(_ size: Int, armored: Bool, _ identity: AgeIdentity, _ tool: AgeTool) throws {
    let sealed = Pipe(plaintext(size))
    let other = try AgeIdentity.generate().recipient
    try sealed.seal(to: [other, identity.recipient])
    try tool.write(armored ? armor(sealed.output) : sealed.output, to: "sealed")
    #expect(
      try tool.run("age", ["-d", "-i", tool.path("key.txt"), "-o", tool.path("opened"), tool.path("sealed")]) == 0)
    #expect(try tool.take("opened") == plaintext(size), "\(size) bytes, armored: \(armored)")
  }

  private func ageSeals(_ size: Int, armored: Bool, _ identity: AgeIdentity, _ tool: AgeTool) throws {
    try tool.write(plaintext(size), to: "plain")
    let options = ["-r", try identity.recipient.text, "-o", tool.path("from-age")] + (armored ? ["-a"] : [])
    #expect(try tool.run("age", options + [tool.path("plain")]) == 0)
    let opened = Pipe(try tool.take("from-age"))
    try opened.open([.identity(identity)], armored ? .armored : .binary)
    #expect(opened.output == plaintext(size), "\(size) bytes, armored: \(armored)")
  }

  @Test("what we seal with a passphrase, age opens, and the other way round")
  func passphrase() throws {
    let count = Self.passphraseSizes.count * 2
    guard !isMissing("age", "age command, passphrase", count: count) else { return }
    guard !isMissing("python3", "age command, passphrase", count: count) else { return }
    guard Need.terminal.isMet(forCases: count, of: "age command, passphrase") else { return }
    let tool = try AgeTool()
    let words = "correct horse battery stäple"
    for size in Self.passphraseSizes {
      try tool.write(seal(plaintext(size), passphrase: words, workFactor: 10), to: "sealed")
      let opening = ["-d", "-o", tool.path("opened"), tool.path("sealed")]
      #expect(try tool.runOnTerminal("age", opening, passphrase: words) == 0)
      #expect(try tool.take("opened") == plaintext(size))
      try tool.write(plaintext(size), to: "plain")
      let sealing = ["-p", "-o", tool.path("from-age"), tool.path("plain")]
      #expect(try tool.runOnTerminal("age", sealing, passphrase: words) == 0)
      #expect(try open(tool.take("from-age"), [.passphrase(secret(words))]) == plaintext(size))
    }
    print("age command, passphrase: \(count) run")
  }

  @Test("age refuses what we seal when the passphrase is another one")
  func wrongPassphrase() throws {
    guard !isMissing("age", "age command, wrong passphrase", count: 1) else { return }
    guard !isMissing("python3", "age command, wrong passphrase", count: 1) else { return }
    guard Need.terminal.isMet(forCases: 1, of: "age command, wrong passphrase") else { return }
    let tool = try AgeTool()
    try tool.write(seal([1], passphrase: "right", workFactor: 10), to: "sealed")
    let opening = ["-d", "-o", tool.path("opened"), tool.path("sealed")]
    #expect(try tool.runOnTerminal("age", opening, passphrase: "wrong") != 0)
    print("age command, wrong passphrase: 1 run")
  }

  @Test("age-keygen's files are read, and ours give age-keygen the same recipient")
  func keygen() throws {
    guard !isMissing("age-keygen", "age-keygen", count: 20) else { return }
    let tool = try AgeTool()
    for number in 0..<10 {
      // age-keygen does not replace a file.
      #expect(try tool.run("age-keygen", ["-o", tool.path("key-\(number)")]) == 0)
      let file = try tool.take("key-\(number)")
      let identity = try #require(AgeIdentityFile.parse(RawSpan(_elements: file.span)).first)
      #expect(try String(decoding: file, as: UTF8.self).contains("# public key: \(identity.recipient.text)\n"))
      let ours = try AgeIdentity.generate()
      try tool.write(contents(AgeIdentityFile.text(ours, created: "2026-11-21T01:40:28Z")), to: "ours")
      #expect(try tool.run("age-keygen", ["-y", "-o", tool.path("recipient-\(number)"), tool.path("ours")]) == 0)
      #expect(try tool.take("recipient-\(number)") == bytes(ours.recipient.text + "\n"))
    }
    print("age-keygen: 20 run")
  }
}
