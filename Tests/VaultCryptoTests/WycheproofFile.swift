import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A Wycheproof file as far as these tests read it; a member that a kind of file lacks is nil.
struct WycheproofFile: Decodable {
  struct Group: Decodable {
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
    let `public`, `private`, shared: Hex?

    var isValid: Bool { result == "valid" }
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

  static func load(_ name: String) throws -> WycheproofFile {
    try JSONDecoder().decode(Self.self, from: Data(SharedData.bytes("vectors/wycheproof/\(name).json")))
  }
}
