import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("The text of a value goes out as it is")
struct ScalarExportTests {
  /// How a format is read again, and where the password is then; nil for one that only its own program opens, which
  /// `Scripts/readers` has read.
  private static func reader(of format: ExportFormat) -> (format: String, path: String)? {
    switch format {
    case .csv: ("csv", "password")
    case .yaml: ("plain-yaml", "password")
    case .env, .dotenv: ("dotenv", "secrets.N_\(number)_PASSWORD")
    case .bitwarden: ("bitwarden-json", "password")
    case .keepassXML: ("keepass-xml", "password")
    case .onePasswordCSV: ("1password-csv", "password")
    case .sops: ("sops-json", "password")
    case .kdbx: ("keepass-kdbx", "password")
    case .netrc: ("netrc", "password")
    case .pgpass: ("pgpass", "password")
    case .kubernetes: ("kubernetes-yaml", "secrets.password")
    case .ansibleVault: nil
    }
  }

  /// Stands for the number of a record in the name of a variable.
  private static let number = "#"

  private func records(_ texts: [String], for format: ExportFormat) throws -> [ExportedRecord] {
    let isDatabase = format == .pgpass
    let members =
      isDatabase
      ? #""engine": "postgresql", "host": "h", "database": "d", "user": "u""#
      : #""urls": ["https://h.example"], "username": "u""#
    let items = Scalars.list(texts) { number, text in
      "{\(isDatabase ? "" : #""title": "n \#(100 + number)", "#)\(members), \"password\": \(Scalars.json(text))}"
    }
    return try ExportedRecord.list(isDatabase ? "database" : "login", "[\(items)]")
  }

  @Test("each format gives the forty texts when it is read again", arguments: ExportFormat.allCases)
  func exports(_ format: ExportFormat) throws {
    guard let reader = Self.reader(of: format) else { return }
    guard ![.yaml, .kubernetes].contains(format) || Need.yaml.isMet(forCases: 1, of: "scalars in YAML") else { return }
    guard format != .kdbx || Need.argon2.isMet(forCases: 1, of: "scalars in KDBX") else { return }
    let identity = try AgeIdentity.generate()
    var options = KDBXTests.options("pw")
    options.identities = [identity]
    let passphrase = try SecretBytes(copying: RawSpan(_elements: Array("pw".utf8).span))
    let exported = try Exported(
      format, records(Scalars.all, for: format), recipients: [identity.recipient], passphrase: passphrase)
    let imported = try exported.imported(as: reader.format, options: options)
    for (number, text) in Scalars.all.enumerated() {
      let path = reader.path.replacing(Self.number, with: "\(100 + number)")
      let record = try #require(imported.records.count == 1 ? imported.records[0] : imported.records[number])
      let found = try record.text(path)
      #expect(found.map { Array($0.utf8) } == Array(text.utf8), "\(format): \(text) came as \(found ?? "nothing")")
    }
  }

  @Test(
    "what KeePass shows something else for is told with a count, whatever its case; other braces are not",
    arguments: [
      ("x{USERNAME}y", true), ("{password}", true), ("{Title}", true), ("{S:PIN}", true), ("{TOTP}", true),
      ("{REF:P@I:00}", true), ("{URL:HOST}", true), ("{DT_SIMPLE}", true), ("{T-CONV:/a/Upper/}", true),
      ("{CMD:/x/}", true), ("{C:c}", true), ("{{NOTES}}", true), ("{NEWPASSWORD:/Profile/}", true), ("{a}", false),
      ("{{ 7 }}", false), ("{USERNAME", false), ("USERNAME}", false), ("{ USERNAME }", false), ("{}", false),
    ])
  func placeholders(_ text: String, _ isOne: Bool) throws {
    let records = try ExportedRecord.list("login", #"[{"title": "n", "password": "\#(text)"}]"#)
    let sentences = try Exported(.keepassXML, records).notes.sentences
    #expect(sentences.contains { $0.hasPrefix("1 value contains a placeholder") } == isOne)
    #expect(try Exported(.keepassXML, records).notes.isComplete)
  }

  @Test(
    "a value that python-dotenv would not end where it ends is refused by dotenv, and others are not",
    arguments: [
      (#"it's\"#, false), (#"it's\\"#, false), ("it's\r\\", false), (#"it's\ "#, true), (#"a\"#, true),
      (#"it's""#, true),
    ])
  func lastBackslash(_ text: String, _ isWritten: Bool) throws {
    let records = try records([text, "don't"], for: .dotenv)
    if isWritten {
      _ = try Exported(.dotenv, records)
    } else {
      #expect(throws: ExportError.self) { try Exported(.dotenv, records) }
    }
  }

  @Test("a number that sops writes in another form is told")
  func numbers() throws {
    let identity = try AgeIdentity.generate()
    let record = ExportedRecord(1, "custom", try JSONObject([("a", .number(try #require(JSONNumber(literal: "1e3"))))]))
    let notes = try Exported(.sops, [record], recipients: [identity.recipient]).notes
    #expect(notes.sentences == ["1 number is written in the form of sops: 1e3 becomes 1000"])
  }
}
