import Testing
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A Wycheproof file as far as these tests read it; a member that a kind of file lacks is nil.
struct WycheproofFile: Decodable {
  struct Group: Decodable {
    let curve: String?
    let ivSize: Int?
    let keySize: Int?
    let tagSize: Int?
    let tests: [Case]
  }

  struct Case: Decodable {
    let tcId: Int
    let result: String
    let key, iv, aad, msg, ct, tag: Hex?
    let ikm, salt, info, okm: Hex?
    let size: Int?
    let password, dk: Hex?
    let iterationCount, dkLen: Int?
    let `public`, `private`, shared: Hex?

    var isValid: Bool { result == "valid" }
    /// Whether the result is one of the three there are.
    var hasKnownResult: Bool { ["valid", "invalid", "acceptable"].contains(result) }
  }

  /// Bytes written in hexadecimal.
  struct Hex: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let bytes = [UInt8](hex: text) else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not hexadecimal"))
      }
      self.bytes = bytes
    }
  }

  let numberOfTests: Int
  let testGroups: [Group]

  var tests: [Case] { testGroups.flatMap(\.tests) }

  /// The algorithms that are here; files of others are named by a test.
  static let algorithms: Set = [
    "AES-GCM", "CHACHA20-POLY1305", "HKDF-SHA-256", "HMACSHA256", "PBKDF2-HMACSHA256", "XDH",
  ]

  private static let folder = "vectors/wycheproof"

  /// The description in every file.
  struct Head: Decodable {
    let algorithm: String
    let numberOfTests: Int
  }

  /// The names of all files with their descriptions.
  static func heads() throws -> [(name: String, head: Head)] {
    try SharedData.names(in: folder).filter { $0.hasSuffix(".json") }.map { ($0, try read($0)) }
  }

  private static func read<Content: Decodable>(_ name: String) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(SharedData.bytes("\(folder)/\(name)")))
  }

  /// Runs `body` over every file of an algorithm, counts, and holds the count against the files' own.
  static func check(
    _ algorithm: String, cases: Int, _ body: (WycheproofFile, inout CaseTally) throws -> Void
  ) throws {
    guard SharedData.isPresent(forCases: cases, of: "wycheproof \(algorithm)") else { return }
    let files: [WycheproofFile] = try heads().filter { $0.head.algorithm == algorithm }.map { try read($0.name) }
    #expect(!files.isEmpty)
    var tally = CaseTally("wycheproof \(algorithm)")
    for file in files {
      for test in file.tests { #expect(test.hasKnownResult, "tcId \(test.tcId): \(test.result)") }
      try body(file, &tally)
    }
    tally.report()
    #expect(tally.totalCount == files.reduce(0) { $0 + $1.numberOfTests })
  }
}
