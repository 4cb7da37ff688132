import Testing
import VaultCrypto
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// scrypt: one case at a time, since some take much memory.
@Suite("scrypt", .serialized) struct ScryptTests {
  struct Case: CustomTestStringConvertible {
    let passphrase, salt: [UInt8]
    let logN, r, p: Int
    let expected: [UInt8]?

    init(_ passphrase: String, _ salt: String, _ logN: Int, _ r: Int, _ p: Int, _ expected: String) {
      (self.passphrase, self.salt) = (Array(passphrase.utf8), Array(salt.utf8))
      (self.logN, self.r, self.p, self.expected) = (logN, r, p, [UInt8](hex: expected))
    }

    var testDescription: String { "N = 2^\(logN), r = \(r), p = \(p)" }
  }

  private static let rfc7914 = [
    Case(
      "", "", 4, 1, 1,
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8"
        + "326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
    Case(
      "password", "NaCl", 10, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a388"
        + "6ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
    Case(
      "pleaseletmein", "SodiumChloride", 14, 8, 1,
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf"
        + "62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
  ]

  @Test("RFC 7914, section 12, is met", arguments: rfc7914) func rfc(_ test: Case) throws {
    let expected = try #require(test.expected)
    #expect(try derive(test.passphrase, test.salt, test.logN, test.r, test.p, expected.count) == expected)
  }

  @Test("the files of pyca and scrypt-js agree, the case of 1 GiB too") func files() throws {
    guard SharedData.isPresent(forCases: 8, of: "scrypt (pyca 4, scrypt-js 4)") else { return }
    var tally = CaseTally("scrypt (pyca, scrypt-js)")
    let folder = "vectors/kdf"
    let records = try ResponseFile.all(in: folder, ".txt").flatMap(\.file.records).filter { $0.values["N"] != nil }
    for record in records {
      let (n, r, p) = (
        try #require(record.number("N")), try #require(record.number("r")), try #require(record.number("p"))
      )
      let passphrase = Array(try #require(record.values["PASSWORD"]).utf8)
      let salt = Array(try #require(record.values["SALT"]).utf8)
      try check(passphrase, salt, n, r, p, try #require(record.bytes("DERIVED_KEY")), &tally)
    }
    let cases = try SharedData.names(in: folder).filter { $0.hasSuffix(".json") }.flatMap { name in
      try JSONDecoder().decode([JavaScriptCase].self, from: Data(SharedData.bytes("\(folder)/\(name)")))
    }
    for test in cases {
      let (passphrase, salt) = (try #require([UInt8](hex: test.password)), try #require([UInt8](hex: test.salt)))
      try check(passphrase, salt, test.N, test.r, test.p, try #require([UInt8](hex: test.derivedKey)), &tally)
    }
    #expect(!records.isEmpty)
    #expect(!cases.isEmpty)
    tally.report()
    #expect(tally.totalCount == records.count + cases.count)
  }

  @Test("more than OpenSSL's own 32 MiB is granted, as far as the caller allows") func memoryLimit() throws {
    // logN 15 and r 8 take 32 MiB and a little: OpenSSL's own limit would refuse them.
    let needed = try #require(Scrypt.memoryByteCount(logN: 15))
    #expect(needed == 128 * 8 * ((1 << 15) + 2) + 128 * 8)
    #expect(try derive([1], [2], 15, 8, 1, 32, memory: needed).count == 32)
    #expect(throws: CryptoError(.costOutOfRange, "")) { try derive([1], [2], 15, 8, 1, 32, memory: needed - 1) }
  }

  @Test(
    "costs that do not exist are refused before any work",
    arguments: [
      (0, 8, 1), (-1, 8, 1), (63, 8, 1), (64, 8, 1), (16, 1, 1), (10, 0, 1), (10, 8, 0), (10, 1 << 20, 1 << 10),
      (10, Int.max, Int.max), (10, -8, 1), (23, 8, 1), (62, 1 << 29, 1),
    ])
  func badCosts(logN: Int, r: Int, p: Int) {
    #expect(throws: CryptoError(.costOutOfRange, "")) { try derive([], [], logN, r, p, 32) }
  }

  @Test("an output without bytes is refused") func noOutput() {
    #expect(throws: CryptoError(.wrongByteCount, "")) { try derive([], [], 4, 1, 1, 0) }
  }

  private struct JavaScriptCase: Decodable {
    let password, salt, derivedKey: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let N, r, p: Int
  }

  private func check(
    _ passphrase: [UInt8], _ salt: [UInt8], _ n: Int, _ r: Int, _ p: Int, _ expected: [UInt8], _ tally: inout CaseTally
  ) throws {
    let logN = n.trailingZeroBitCount
    let needed = try #require(Scrypt.memoryByteCount(logN: logN, r: r, p: p))
    // Half as much again must be free, or the machine would swap and other tests suffer.
    if let free = Self.freeByteCount, free < needed + needed / 2 {
      tally.notApplicable("\(needed >> 20) MiB needed, \(free >> 20) MiB free on this machine")
      return
    }
    #expect(try derive(passphrase, salt, logN, r, p, expected.count, memory: needed) == expected)
    tally.ran()
  }

  private func derive(
    _ passphrase: [UInt8], _ salt: [UInt8], _ logN: Int, _ r: Int, _ p: Int, _ byteCount: Int,
    memory: Int = Scrypt.defaultMaximumMemoryByteCount
  ) throws(CryptoError) -> [UInt8] {
    try unsafe Scrypt.derive(
      passphrase: passphrase.span.bytes, salt: salt.span.bytes, logN: logN, r: r, p: p, byteCount: byteCount,
      maximumMemoryByteCount: memory
    ).exposed
  }

  /// Linux's count of free bytes; nil on other systems.
  private static var freeByteCount: Int? {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/meminfo")) else { return nil }
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
    let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return kibibytes.map { $0 << 10 }
  }
}
