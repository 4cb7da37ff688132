internal import VaultAge
internal import VaultCrypto
public import VaultDocument
public import VaultKit
public import VaultRecords
public import VaultSealing
internal import VaultFields

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Musl)
  private import Musl
#else
  private import Glibc
#endif

/// A result that breaks the promise of the example.
public struct ExampleFailure: Error, CustomStringConvertible {
  public let description: String
}

/// The parts of every example: its input, a vault of its own, and an honest end.
public struct Example: Sendable {
  private let name: String
  /// A vault in a temporary directory, with an identity that nothing else has; it is deleted at the end.
  public let vault: Vault
  /// Seals outside that vault, under a key that was made for this run.
  public let context: SealingContext

  /// Runs an example. Its errors go to stderr, and it ends with 1.
  ///
  /// - Parameters:
  ///   - types: the types whose records it stores.
  ///   - body: returns a summary in one line.
  public static func run(
    _ name: String, types: [any VaultRecord.Type] = [], _ body: @Sendable (Example) async throws -> String
  ) async {
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-example-\(Identifier.random().text)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let key = NewSlot(.recipient(try AgeIdentity.generate().recipient))
      var options = Vault.Options()
      options.types = types
      let example = Example(
        name: name, vault: try await Vault.create(at: folder.path, slots: [key], options: options),
        context: try SealingContext(applicationKey: .random(count: 32), bound: [name]))
      print("\(name): \(try await body(example))")
    } catch {
      let reason =
        switch error {
        case let error as ExampleFailure: error.description
        case let error as VaultError: "\(error)"
        default: CodingFailure(error).description
        }
      let line = Array("\(name): FAILED: \(reason) (\(type(of: error)))\n".utf8)
      _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }

  /// The files named as arguments; else those of the shared fixtures, where they are; else our own small samples.
  public func files(fixtures folder: String? = nil, _ isWanted: (String) -> Bool = { _ in true }) throws -> [Data] {
    let given = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
    if !given.isEmpty { return try given.map { try Data(contentsOf: $0) } }
    let package = URL(filePath: #filePath).deletingLastPathComponent()  // Support
      .deletingLastPathComponent().deletingLastPathComponent()  // Cookbook, Examples
    if let folder {
      let shared =
        ProcessInfo.processInfo.environment["CVAULT_TEST_SHARED"]
        ?? package.deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared").path
      let fixtures = try Self.json(in: URL(filePath: "\(shared)/fixtures/\(folder)"), isWanted)
      if !fixtures.isEmpty { return fixtures }
    }
    print("\(name): our own samples")
    let samples = try Self.json(in: package.appending(path: "Samples/\(name)"), isWanted)
    try check(!samples.isEmpty, "there are no samples")
    return samples
  }

  private static func json(in folder: URL, _ isWanted: (String) -> Bool) throws -> [Data] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
    return try names.sorted().filter { $0.hasSuffix(".json") && isWanted($0) }
      .map { try Data(contentsOf: folder.appending(path: $0)) }
  }

  /// Reads JSON of others: dates as ISO 8601 or days, sealed members as clear text that is still to be sealed.
  public func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
    let decoder = JSONDecoder.opening(with: context.reading(.clearText))
    decoder.dateDecodingStrategy = .formats(.iso8601, .day)
    return try decoder.decode(type, from: json)
  }

  /// Stores a record in the vault, reads it back, and fails unless it is the same and `secret` is not in its file.
  ///
  /// Less than 8 bytes are not looked for: they could be there by chance.
  public func store<Record: VaultRecord & Equatable>(_ record: Record, secret: String) async throws {
    let id = try await vault.add(record)
    try check(try await vault.record(id, as: Record.self).value == record, "a record came back from the vault changed")
    let sealed = try await vault.record(id).fields
    let file = try JSONValue.object(sealed).compactBytes()
    let isHidden = secret.utf8.count < 8 || !file.contains(Array(secret.utf8))
    try check(isHidden, "a secret is in the file of a record")
  }

  /// Property lists in XML have dates of whole seconds; the other forms keep fractions.
  public static let formsWithFractions: [DocumentForm] = [.json, .binaryPropertyList]

  /// Encodes a value in every form and fails unless it comes back the same from each.
  public func roundTrip<Value: Codable & Equatable>(
    _ value: Value, forms: [DocumentForm] = DocumentForm.allCases
  ) throws {
    for form in forms {
      let again = try form.decode(Value.self, from: form.encode(value, with: context), with: context)
      try check(again == value, "a value came back changed as \(form)")
    }
  }

  /// The same for JSON whose names are in a style while the type's are Swift's own; the names of the encoded object.
  @discardableResult
  public func roundTrip<Value: Codable & Equatable>(_ value: Value, keys: KeyStyle) throws -> [String] {
    let encoder = JSONEncoder.sealing(with: context)
    encoder.keyEncodingStrategy = .style(keys)
    let decoder = JSONDecoder.opening(with: context)
    decoder.keyDecodingStrategy = .style(.camel)
    let json = try encoder.encode(value)
    try check(try decoder.decode(Value.self, from: json) == value, "a value came back changed in \(keys) case")
    return try JSONParser.parse([UInt8](json)).object?.names ?? []
  }

  /// Fails unless `condition` holds.
  public func check(_ condition: Bool, _ failure: String) throws {
    guard condition else { throw ExampleFailure(description: failure) }
  }
}
