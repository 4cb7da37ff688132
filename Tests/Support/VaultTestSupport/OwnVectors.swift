public import VaultDocument

/// The project's own vectors, `Tests/Vectors/vault-v1`: made by the implementation in `Tests/Reference`.
///
/// They are part of the repository: a file that is missing fails the test. Their shapes are in
/// `Tests/Vectors/README.md`.
public enum OwnVectors {
  /// The files of positive vectors, without `.json`. A test makes sure that there are no others.
  public static let names = [
    "app-places", "app-tokens", "attachments", "base64", "checkpoints", "cryptokit", "data-key-wrap", "enc",
    "fingerprint", "former-values", "headers", "kdf", "keyring-wrap", "padding", "record-keys", "records", "root",
    "search-tags", "slots", "times", "tokens", "tree",
  ]

  /// The package's directory; this file is Tests/Support/VaultTestSupport/OwnVectors.swift in it.
  public static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")

  /// The folder of the vectors.
  public static let folder = package + "/Tests/Vectors/vault-v1"

  /// One case of a vector file.
  public struct Case: Sendable {
    /// The name of its file and its place there, from 0.
    public let place: String
    public let members: JSONObject
  }

  /// One file under `negative/`: the same fault in one or several inputs.
  public struct Fault: Sendable {
    /// The name of the file, without `.json`.
    public let name: String
    /// The kind of input of the cases.
    public let input: String
    /// The layer that has to refuse them, and the kind of its error.
    public let layer, error: String
    public let cases: [Case]
  }

  /// Why a vector cannot be used: its member is missing or of another type.
  public struct Malformed: Error, CustomStringConvertible {
    public let description: String
  }

  /// The bytes of a file, its path relative to the folder.
  public static func bytes(_ path: String) throws -> [UInt8] { try SharedData.readFile(folder + "/" + path) }

  /// The cases of a file of positive vectors.
  public static func cases(_ name: String) throws -> [Case] {
    try cases(of: JSONParser.parse(bytes(name + ".json")), name)
  }

  /// Gives every case of a file to `body` and prints how many there were.
  ///
  /// - Throws: ``Malformed`` if there is no case; the errors of `body`, after naming the case on standard output.
  public static func forEach(_ name: String, _ body: (Case) throws -> Void) throws {
    var tally = CaseTally("own vectors \(name)")
    defer { tally.report() }
    for one in try cases(name) {
      do {
        try body(one)
      } catch {
        print("own vectors \(name): FAILED at \(one.place)")
        throw error
      }
      tally.ran()
    }
  }

  /// The files under `negative/`, by name.
  public static func faults() throws -> [Fault] {
    let names = FileTree.names(in: folder + "/negative")
    guard !names.isEmpty else { throw Malformed(description: "negative/ is missing") }
    return try names.map { file in
      guard file.hasSuffix(".json") else { throw Malformed(description: "negative/\(file) is no vector") }
      let name = String(file.dropLast(5))
      let document = try JSONParser.parse(bytes("negative/" + file))
      let head = Case(place: name, members: document.object ?? JSONObject())
      return Fault(
        name: name, input: try head.text("input"), layer: try head.text("layer"), error: try head.text("error"),
        cases: try cases(of: document, name))
    }
  }

  private static func cases(of document: JSONValue, _ name: String) throws -> [Case] {
    guard let items = document["cases"]?.array, !items.isEmpty else {
      throw Malformed(description: "\(name) has no cases")
    }
    return try items.enumerated().map { index, item in
      guard let members = item.object else { throw Malformed(description: "\(name)[\(index)] is no object") }
      return Case(place: "\(name)[\(index)]", members: members)
    }
  }
}

extension OwnVectors.Case {
  /// Whether it has this member.
  public func has(_ name: String) -> Bool { members[name] != nil }

  /// A string.
  public func text(_ name: String) throws -> String { try member(name).string ?? refuse(name) }

  /// The UTF-8 bytes of a string, for files.
  public func file(_ name: String) throws -> [UInt8] { Array(try text(name).utf8) }

  /// The bytes that a string gives in hex.
  public func hex(_ name: String) throws -> [UInt8] { try Hex.decode(text(name)) }

  /// The bytes that a string gives in base64.
  public func base64(_ name: String) throws -> [UInt8] { try Base64.decode(text(name)) }

  /// The id that a string is.
  public func id(_ name: String) throws -> Identifier { try Identifier(parsing: text(name)) ?? refuse(name) }

  /// A plain integer; a sign is taken too.
  public func int(_ name: String) throws -> Int {
    try member(name).number.flatMap { Int($0.literal) } ?? refuse(name)
  }

  /// `true` or `false`.
  public func bool(_ name: String) throws -> Bool { try member(name).bool ?? refuse(name) }

  /// An array of strings.
  public func texts(_ name: String) throws -> [String] {
    try (member(name).array ?? refuse(name)).map { try $0.string ?? refuse(name) }
  }

  /// An array of byte strings in hex.
  public func hexes(_ name: String) throws -> [[UInt8]] { try texts(name).map { try Hex.decode($0) } }

  /// The text to seal: the member `text`, or for long ones the letters a to z over and over.
  public func sealedText() throws -> String {
    guard has("text_alphabet_count") else { return try text("text") }
    let count = try int("text_alphabet_count")
    return String(decoding: (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }, as: UTF8.self)
  }

  private func member(_ name: String) throws -> JSONValue { try members[name] ?? refuse(name) }

  private func refuse<Value>(_ name: String) throws -> Value {
    throw OwnVectors.Malformed(description: "\(place): \(name) is missing or of another type")
  }
}
