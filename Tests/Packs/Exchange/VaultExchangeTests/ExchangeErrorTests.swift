import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultRecords

@Suite("Errors of imports")
struct ExchangeErrorTests {
  private static let marker = Samples.marker

  private typealias Attempt = (ExchangeError.Code, () throws -> Void)

  private static func read(_ format: String, _ text: String, _ options: ImportOptions = ImportOptions()) throws {
    _ = try Imported(format, text, options: options)
  }

  private static func options(_ change: (inout ImportOptions) throws -> Void) rethrows -> ImportOptions {
    var options = ImportOptions()
    try change(&options)
    return options
  }

  private static func detect(_ text: String) throws {
    _ = try ImportFormats.detecting(ImportSample(name: marker, head: Array(text.utf8), isWhole: true))
  }

  /// Ways to the codes of content, with the marker in everything that comes from outside.
  private static func readings() -> [Attempt] {
    let mapping = options { $0.mappings = [FieldMapping(field: "nowhere", source: marker)] }
    return [
      (.unknownFormat, { try detect(marker) }), (.unknownFormat, { _ = try ImportFormats.named(marker) }),
      (
        .ambiguousFormat,
        { try detect("Title,Username,Email,Password,URL,OTPAuth,Notes,Favorite,Archived,Tags\n\(marker),,,,,,,,,\n") }
      ),
      (.malformed, { try read("plain-json", #"{"\#(marker)": "\#(marker)", "\#(marker)": 1}"#) }),
      (.malformed, { try read("chrome-csv", "name,url,username,password\n\"\(marker)\"\(marker),,,\n") }),
      (.malformed, { try read("keepass-xml", "<KeePassFile><\(marker)></KeePassFile>") }),
      (.missingColumn, { try read("csv", "title,\"\(marker)\n\(marker)\"\na,b\n") }),
      (.invalidText, { try read("plain-json", #"["\ud800 \#(marker)"]"#) }),
      (.missingColumn, { try read("firefox-csv", "\(marker)\n\(marker)\n") }),
      (.missingColumn, { try read("csv", "\(marker),\(marker)\n\(marker),\(marker)\n") }),
      (
        .unsupported,
        { try read("keepass-xml", "<!DOCTYPE x [<!ENTITY a \"\(marker)\">]><KeePassFile>&a;</KeePassFile>") }
      ),
      (.unsupported, { try read("bitwarden-json", #"{"encrypted": true, "data": "\#(marker)"}"#) }),
      (.unsupported, { try detect(#"{"nextId": 1, "logins": [{"encryptedPassword": "\#(marker)"}]}"#) }),
      (.tooLarge, { try read("plain-json", String(repeating: "[", count: 2000) + "\"\(marker)\"") }),
      (.invalidMapping, { try read("csv", "title,\(marker)\na,\(marker)\n", mapping) }),
      (.invalidMapping, { _ = try FieldMapping(parsing: marker) }),
      (
        .reading,
        {
          let source = ImportSource(name: marker) { () throws(ExchangeError) in
            throw ExchangeError(.reading, "could not be read")
          }
          _ = try Imported(ImportFormats.named("chrome-csv"), source)
        }
      ),
    ]
  }

  /// Ways to the codes of sealed files.
  private static func openings() throws -> [Attempt] {
    let protected = BitwardenTests.pbkdf2Export
    let sops = try #require(try Samples.all().first { $0.format == "sops-json" })
    let sealed = String(decoding: sops.bytes, as: UTF8.self)
    return [
      (.passphraseNeeded, { try read("bitwarden-protected-json", protected) }),
      (.wrongPassphrase, { try read("bitwarden-protected-json", protected, BitwardenTests.options(marker)) }),
      (
        .notAuthentic,
        { try read("sops-json", sealed.replacing("\"kind\":\"login\"", with: "\"kind\":\"\(marker)\""), sops.options) }
      ),
      (.identityNeeded, { try read("sops-json", sealed) }),
      (.wrongIdentity, { try read("sops-json", sealed, options { $0.identities = [try .generate()] }) }),
    ]
  }

  @Test("none of them holds anything of the file, the name of which is not content")
  func withoutContent() throws {
    var met: Set<ExchangeError.Code> = []
    for (index, (code, attempt)) in try (Self.readings() + Self.openings()).enumerated() {
      let error = try #require(throws: ExchangeError.self, "\(index): \(code)") { try attempt() }
      #expect(error.code == code, "\(index): \(error)")
      let text = ([error.description, "\(error.advice)"] + error.candidates).joined(separator: "\n")
      #expect(!text.contains(Self.marker), "\(index): \(code)")
      met.insert(error.code)
    }
    let all: Set<ExchangeError.Code> = [
      .unknownFormat, .ambiguousFormat, .malformed, .invalidText, .missingColumn, .unsupported, .tooLarge,
      .passphraseNeeded,
      .wrongPassphrase, .identityNeeded, .wrongIdentity, .notAuthentic, .invalidMapping, .reading,
    ]
    #expect(met == all)
  }
}
