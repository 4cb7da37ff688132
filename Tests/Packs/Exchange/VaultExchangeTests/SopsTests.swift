import Testing
import VaultAge
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("SOPS", .enabled(if: SharedData.isPresent(forCases: 1, of: "SOPS")))
struct SopsTests {
  private static let folder = "fixtures/sops"

  private struct Case {
    let sealed: String
    let plain: String
    let identity: String
  }

  private static func cases() throws -> [Case] {
    let index = try JSONParser.parse(try SharedData.bytes("\(folder)/index.json"))
    return try (index.array ?? []).map { entry in
      Case(
        sealed: try #require(entry["encrypted"]?.string), plain: try #require(entry["plaintext"]?.string),
        identity: try #require(entry["age_identity"]?.string))
    }
  }

  private static func options(_ identity: String) throws -> ImportOptions {
    var options = ImportOptions()
    let text = Array(identity.utf8)
    options.identities = [try AgeIdentity(parsing: RawSpan(_elements: text.span))]
    return options
  }

  private static func imported(_ path: String, _ identity: String?) throws -> Imported {
    let bytes = try SharedData.bytes("\(folder)/\(path)")
    return try imported(bytes, name: path, identity)
  }

  private static func imported(_ bytes: [UInt8], name: String, _ identity: String?) throws -> Imported {
    let source = ImportSource(name: name, bytes: bytes)
    let importer = try ImportFormats.detecting(source.sample())
    return try Imported(importer, source, options: identity.map(options) ?? ImportOptions())
  }

  /// The values of a plaintext by their paths, an empty object or list being one.
  private static func values(_ value: JSONValue, at path: MemberPath = .root) -> [String: String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      object.reduce(into: [:]) { $0.merge(values($1.value, at: path.appending($1.name))) { first, _ in first } }
    case .array(let items) where !items.isEmpty:
      items.enumerated().reduce(into: [:]) {
        $0.merge(values($1.element, at: path.appending($1.offset))) { first, _ in first }
      }
    case .string(let text): [path.description: text]
    case .number(let number): [path.description: number.literal]
    case .bool(let flag): [path.description: flag ? "true" : "false"]
    default: [path.description: ""]
    }
  }

  @Test(
    "each file opens with its identity, in JSON and YAML, and has the values of its plaintext",
    .enabled(if: Need.yaml.isMet(forCases: 13, of: "files of sops")))
  func fixtures() throws {
    var tally = CaseTally("SOPS")
    for test in try Self.cases() {
      let want = Self.values(try JSONParser.parse(try SharedData.bytes("\(Self.folder)/\(test.plain)")))
      let yaml = "yaml/" + test.sealed.replacing(".json", with: ".yaml")
      // The sops form of bytes does not exist in YAML.
      let hasYAML = try SharedData.names(in: "\(Self.folder)/yaml").contains(String(yaml.dropFirst("yaml/".count)))
      for path in hasYAML ? [test.sealed, yaml] : [test.sealed] {
        let imported = try Self.imported(path, test.identity)
        #expect(imported.records.count == 1, "\(path)")
        #expect(imported.totals.refused == 0, "\(path)")
        let record = try #require(imported.records.first)
        #expect(throws: Never.self, "\(path)") { try record.sealed() }
        for (source, text) in want where !text.isEmpty {
          let places = ["fields", "secrets"].map { MemberPath([.member($0), .member(source)]).description }
          let texts = try places.compactMap { try record.text($0) }
          #expect(texts == [text], "\(path): \(source)")
        }
        tally.ran()
      }
      let leaves = try LeafCount.json(SharedData.bytes("\(Self.folder)/\(test.sealed)"))
      #expect(try Self.imported(test.sealed, test.identity).totals.leaves == leaves)
    }
    tally.report()
    // Files that the index does not list have no plaintext to compare with.
    let listed = Set(try Self.cases().flatMap { [$0.sealed, $0.plain] } + ["index.json"])
    let others = try SharedData.names(in: Self.folder).filter { $0.hasSuffix(".json") && !listed.contains($0) }
    #expect(others.isEmpty, "not in index.json: \(others)")
  }

  @Test("what was sealed is a secret, what was not is a field")
  func secrecy() throws {
    let test = try #require(try Self.cases().first { $0.sealed == "age_encrypted_suffix.enc.json" })
    let record = try #require(try Self.imported(test.sealed, test.identity).records.first)
    #expect(try record.text("fields[\"a.2_plain\"]") == "aaa")
    #expect(record.members["secrets"]?["a.1_encrypted.a"] != nil)
  }

  @Test("a mapping puts values into members of a kind")
  func mapping() throws {
    let test = try #require(try Self.cases().first { $0.sealed == "age_example.enc.json" })
    var options = try Self.options(test.identity)
    options.mappings = [
      try FieldMapping(parsing: "password=example_key"), try FieldMapping(parsing: "title=hello"),
    ]
    let source = ImportSource(name: "x", bytes: try SharedData.bytes("\(Self.folder)/\(test.sealed)"))
    let record = try #require(try Imported(ImportFormats.named("sops-json"), source, options: options).records.first)
    #expect(record.kind == "login")
    #expect(try record.text("password") == "example_value")
  }

  @Test("any change of a value, sealed or not, and of the MAC is found")
  func changes() throws {
    let test = try #require(try Self.cases().first { $0.sealed == "age_encrypted_suffix.enc.json" })
    let text = try SharedData.text("\(Self.folder)/\(test.sealed)")
    let changes = [
      (#""2_plain": "aaa""#, #""2_plain": "aab""#), (#""2_plain": "aaa""#, #""3_plain": "aaa", "4": "b""#),
      ("data:0FsM", "data:0FsN"), ("data:skTW,iv:bfM7", "data:skTW,iv:bfM6"), ("20:11:30Z", "20:11:31Z"),
      ("data:lq5W", "data:lq5X"), (#""b_encrypted": "#, #""c_encrypted": "clear", "b_encrypted": "#),
      (#""b_encrypted": "#, #""c_encrypted": "#),
    ]
    for (old, new) in changes {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      #expect(throws: ExchangeError(.notAuthentic, ""), "\(new)") {
        _ = try Self.imported(Array(changed.utf8), name: "x.json", test.identity)
      }
    }
  }

  @Test("no identity, a foreign one, and files for other keys are refused by name")
  func keys() throws {
    let test = try #require(try Self.cases().first)
    #expect(throws: ExchangeError(.identityNeeded, "")) { _ = try Self.imported(test.sealed, nil) }
    let other = try #require(try Self.cases().first { $0.identity != test.identity })
    #expect(throws: ExchangeError(.wrongIdentity, "")) { _ = try Self.imported(test.sealed, other.identity) }
    let error = #expect(throws: ExchangeError.self) {
      _ = try Self.imported("pgp-only/format.enc.json", test.identity)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.candidates == ["pgp"])
  }

  @Test(
    "YAML that could grow or mean several things is refused with its line",
    .enabled(if: Need.yaml.isMet(forCases: 10, of: "hostile YAML")),
    arguments: [
      ("a: &x 1\nb: *x\n", ExchangeError.Code.unsupported), ("a: 1\na: 2\n", .malformed),
      ("a: !!binary aGk=\n", .unsupported), ("a: [\n", .malformed), ("---\na: 1\n---\nb: 2\n", .unsupported),
      ("? [a]\n: 1\n", .unsupported), ("a: \(String(repeating: "[", count: 100))", .tooLarge), ("", .malformed),
      ("a: \u{1}\n", .malformed), ("- a\n", .malformed),
    ])
  func hostileYAML(_ text: String, _ code: ExchangeError.Code) {
    let error = #expect(throws: ExchangeError.self) { _ = try Imported("sops-yaml", text) }
    #expect(error?.code == code)
  }

  @Test(
    "truncated files are refused wherever they end",
    .enabled(if: Need.yaml.isMet(forCases: 2, of: "truncated files of sops")))
  func truncated() throws {
    let test = try #require(try Self.cases().first)
    for path in [test.sealed, "yaml/" + test.sealed.replacing(".json", with: ".yaml")] {
      let bytes = try SharedData.bytes("\(Self.folder)/\(path)")
      let importer = try ImportFormats.named(path.hasSuffix("yaml") ? "sops-yaml" : "sops-json")
      for count in stride(from: 0, to: bytes.count - 2, by: 131) {
        let source = ImportSource(name: "", bytes: Array(bytes[..<count]))
        #expect(throws: ExchangeError.self, "\(path): \(count)") {
          _ = try Imported(importer, source, options: try Self.options(test.identity))
        }
      }
    }
  }
}
