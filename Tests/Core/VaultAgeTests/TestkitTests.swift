import Testing
import VaultAge
import VaultCrypto
import VaultTestSupport

@Suite("age testkit")
struct TestkitTests {
  @Test("every case of the age testkit has the outcome it states")
  func testkit() throws {
    guard SharedData.isPresent(forCases: 64, of: "age testkit") else { return }
    var tally = CaseTally("age testkit")
    let names = try SharedData.names(in: TestkitCase.folder)
    var hybridCount = 0
    for name in names {
      // One that cannot be read fails by its name, and the others are still run.
      #expect(throws: Never.self, "\(name)") {
        let vector = try TestkitCase(name: name)
        if let reason = vector.notApplicable { return tally.notApplicable(reason) }
        #expect(TestkitCase.outcomes.contains(vector.expect), "\(name): expects \(vector.expect)")
        try check(vector)
        if vector.needsPostQuantum { hybridCount += 1 }
        tally.ran()
      }
    }
    tally.report()
    #expect(tally.totalCount == names.count)
    #expect(tally.runCount > 0)
    let hybridNames = names.filter { $0.contains("hybrid") }
    if Need.postQuantum.isMet(forCases: hybridNames.count, of: "age testkit, its hybrid half") {
      print("age testkit, its hybrid half: \(hybridCount) run")
      #expect(hybridCount >= hybridNames.count)
    }
  }

  private func check(_ vector: TestkitCase) throws {
    let credentials = try vector.credentials()
    let pipe = Pipe(vector.file, piece: 1000)
    var outcome = "success"
    do {
      try pipe.open(credentials, vector.encoding)
    } catch let error as AgeError {
      outcome = Self.outcome(of: error.code)
    }
    #expect(outcome == vector.expect, "\(vector.name)")
    let released = pipe.output
    let hash = try SHA256.hash(RawSpan(_elements: released.span))
    if let payload = vector.payload { #expect(hex(hash) == payload, "payload of \(vector.name)") }
    if vector.payload == nil { #expect(released.isEmpty, "nothing is released by \(vector.name)") }
    try checkWhole(vector, credentials, outcome: outcome, plaintext: released)
  }

  // The call for small files must agree with the streaming one; it releases nothing on a fault.
  private func checkWhole(
    _ vector: TestkitCase, _ credentials: [AgeCredential], outcome: String, plaintext: [UInt8]
  ) throws {
    guard vector.file.count < 1 << 20 else { return }
    do {
      #expect(try open(vector.file, credentials, vector.encoding) == plaintext, "\(vector.name)")
      #expect(outcome == "success", "\(vector.name)")
    } catch let error as AgeError {
      #expect(Self.outcome(of: error.code) == outcome, "\(vector.name)")
    }
  }

  private static func outcome(of code: AgeError.Code) -> String {
    switch code {
    case .noMatchingIdentity, .wrongPassphrase: "no match"
    case .headerAuthenticationFailed: "HMAC failure"
    case .malformedHeader, .workFactorOutOfRange, .lowOrderShare, .tooLarge: "header failure"
    case .payloadAuthenticationFailed, .truncated: "payload failure"
    case .malformedArmor: "armor failure"
    default: "\(code)"
    }
  }
}

/// One file of the testkit: lines `key: value`, an empty line, an age file.
private struct TestkitCase {
  static let folder = "vectors/age-testkit/testdata"

  let name: String
  private(set) var expect = ""
  private(set) var payload: String?
  private(set) var identities: [String] = []
  private(set) var passphrases: [String] = []
  private(set) var isArmored = false
  private var unknownKey: String?
  private(set) var file: [UInt8]

  var encoding: AgeEncoding { isArmored ? .armored : .binary }
  static let outcomes: Set = [
    "success", "no match", "HMAC failure", "header failure", "armor failure", "payload failure",
  ]

  /// Why the case needs an unsupported feature; nil if it does not.
  var notApplicable: String? {
    if let unknownKey { return "\(name) says \(unknownKey)" }
    if !Need.postQuantum.isMet, needsPostQuantum { return "OpenSSL here is older than 3.5" }
    return identities.contains { $0.hasPrefix("AGE-PLUGIN-") } ? "plugins" : nil
  }

  var needsPostQuantum: Bool { identities.contains { $0.hasPrefix("AGE-SECRET-KEY-PQ-") } }

  init(name: String) throws {
    self.name = name
    file = try SharedData.bytes("\(Self.folder)/\(name)")
    var isCompressed = false
    while let end = file.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: file[..<end], as: UTF8.self)
      file.removeFirst(end + 1)
      if line.isEmpty { break }
      let colon = try #require(line.firstIndex(of: ":"))
      let value = String(line[colon...].dropFirst(2))
      switch line[..<colon] {
      case "expect": expect = value
      case "payload": payload = value
      case "identity": identities.append(value)
      case "passphrase": passphrases.append(value)
      case "armored": isArmored = value == "yes"
      case "compressed": isCompressed = value == "zlib"
      case "file key", "comment": break
      default: unknownKey = String(line[..<colon])
      }
    }
    if isCompressed { file = try Inflate.zlib(file) }
  }

  func credentials() throws -> [AgeCredential] {
    try identities.map { .identity(try identity($0)) } + passphrases.map { .passphrase(try secret($0)) }
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
