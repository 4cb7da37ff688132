import Testing
import VaultDocument
import VaultExchange
import VaultRecords
import VaultTestSupport

@Suite("Backups of apps for one-time codes")
struct CodesTests {
  private static let folder = "fixtures/otp-apps"
  private static let time: Int64 = 1_700_000_000

  private static func codes(_ imported: Imported) throws -> Set<String> {
    Set(
      try imported.records.compactMap { record in
        let text = try #require(try record.text("totp"))
        return try? OneTimeKey(parsing: text).code(at: time)
      })
  }

  private static func read(_ path: String, _ options: ImportOptions = ImportOptions()) throws -> (String, Imported) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let source = ImportSource(name: name, bytes: try SharedData.bytes("\(folder)/\(path)"))
    let importer = try ImportFormats.detecting(source.sample())
    return (importer.format.name, try Imported(importer, source, options: options))
  }

  @Test(
    "an app's file gives the codes of its accounts, and a line for each value",
    arguments: [
      ("aegis_plain.json", "aegis", 7), ("aegis_encrypted.json", "aegis", 7), ("plain.txt", "otpauth", 7),
      ("ente_auth.txt", "otpauth", 7), ("2fas_authenticator_plain_v3.2fas", "2fas", 7),
      ("2fas_authenticator_encrypted_v3.2fas", "2fas", 7), ("andotp_plain.json", "andotp", 7),
      ("freeotp_plus.json", "freeotp", 6), ("steam.json", "steam", 1), ("freeotp.xml", "freeotp", 4),
      ("authy_plain.xml", "authy", 3),
    ])
  func accounts(_ name: String, _ format: String, _ count: Int) throws {
    guard SharedData.isPresent(forCases: 1, of: "one-time codes") else { return }
    let (found, imported) = try Self.read("aegis/\(name)", KDBXTests.options("test"))
    #expect(found == format)
    #expect(imported.records.count <= count)
    #expect(!imported.records.isEmpty)
    let known = try Self.codes(Self.read("aegis/plain.txt").1)
    let codes = try Self.codes(imported)
    // Authy knows neither other hashes nor other periods.
    #expect(!codes.isEmpty)
    #expect(format == "authy" ? !codes.isDisjoint(with: known) : codes.isSubset(of: known))
    #expect(!name.contains("aegis") || codes == known)
    let isSealed = name.contains("encrypted")
    if !isSealed, name.hasSuffix("json") || name.hasSuffix("2fas") {
      #expect(imported.totals.leaves == (try LeafCount.json(SharedData.bytes("\(Self.folder)/aegis/\(name)"))))
    }
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
  }

  @Test("issuer and account are title and user name, in what an address and a backup say alike")
  func names() throws {
    let line = "otpauth://totp/Air%20Canada:ann@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Air+Canada"
    let record = try #require(try Imported("otpauth", line).records.first)
    #expect(try record.text("title") == "Air Canada")
    #expect(try record.text("username") == "ann@example.com")
    #expect(try record.text("totp") == line)
  }

  @Test("the accounts of a QR code of Google Authenticator are those that its maker says")
  func migration() throws {
    guard SharedData.isPresent(forCases: 1, of: "Google's migration") else { return }
    let (format, imported) = try Self.read("google-migration/example_export.txt")
    #expect(format == "otpauth")
    #expect(imported.records.count == 6)
    #expect(imported.refused.isEmpty)
    let codes = try Self.codes(imported)
    #expect(codes == [try OneTimeKey(parsing: "7KSQL2JTUDIS5EF65KLMRQIIGY").code(at: Self.time)])
    let titles = imported.records.map { $0.members["title"]?.string }
    #expect(titles.contains("raspberrypi"))
    let hotp = try imported.records.compactMap { try $0.text("totp") }.first { $0.contains("hotp") }
    #expect(hotp?.contains("counter=4") == true)
  }

  @Test("a wrong password and a changed backup are different errors, and without one nobody is asked")
  func sealed() throws {
    guard SharedData.isPresent(forCases: 4, of: "sealed backups") else { return }
    for name in ["aegis_encrypted.json", "2fas_authenticator_encrypted_v3.2fas"] {
      #expect(throws: ExchangeError(.wrongPassphrase, "")) {
        _ = try Self.read("aegis/\(name)", KDBXTests.options("no"))
      }
      #expect(throws: ExchangeError(.passphraseNeeded, "")) { _ = try Self.read("aegis/\(name)") }
    }
  }

  @Test("groups are tags, counters and keys of Steam keep what they are, and other words have codes as well")
  func details() throws {
    let aegis = """
      {"version": 1, "header": {"slots": null, "params": null}, "db": {"version": 3, "groups": [{"uuid": "g", "name": "Work"}],
       "entries": [{"type": "hotp", "uuid": "u", "name": "ann", "issuer": "Shop", "note": "n", "favorite": true,
        "groups": ["g"], "info": {"secret": "JBSWY3DPEHPK3PXP", "algo": "SHA256", "digits": 8, "counter": 5}}]}}
      """
    let record = try #require(try Imported("aegis", aegis).records.first)
    #expect(record.list("tags") == ["Work", "favorite"])
    #expect(record.externalID == "aegis:u")
    #expect(
      try record.text("totp")
        == "otpauth://hotp/Shop:ann?secret=JBSWY3DPEHPK3PXP&issuer=Shop&algorithm=SHA256&digits=8&counter=5")
    let steam = "otpauth://steam/Steam:a?secret=JRZCL47CMXVOQMNPZR2F7J4RGI"
    let letters = try OneTimeKey(parsing: steam).code(at: Self.time)
    #expect(try letters == OneTimeKey(parsing: "steam://JRZCL47CMXVOQMNPZR2F7J4RGI").code(at: Self.time))
  }

  @Test("an issuer named Steam has letters where the app says so, digits where it does not")
  func steam() throws {
    let key = "JBSWY3DPEHPK3PXP"
    let letters = try OneTimeKey(parsing: "steam://\(key)").code(at: Self.time)
    let digits = try OneTimeKey(parsing: key).code(at: Self.time)
    func code(_ format: String, _ text: String) throws -> String? {
      try Imported(format, text).records.first?.text("totp").map { try OneTimeKey(parsing: $0).code(at: Self.time) }
    }
    func aegis(_ type: String) -> String {
      """
      {"version": 1, "header": {"slots": null, "params": null}, "db": {"version": 3, "entries": [{"type": "\(type)",
       "uuid": "u", "name": "ann", "issuer": "Steam", "info": {"secret": "\(key)", "algo": "SHA1", "digits": 6}}]}}
      """
    }
    #expect(try code("aegis", aegis("totp")) == digits)
    #expect(try code("aegis", aegis("steam")) == letters)
    let freeOTP = PhoneCodes.freeOTPToken.replacing(Samples.marker, with: "Steam")
    #expect(try code("freeotp", #"{"tokens":[\#(freeOTP)],"tokenOrder":[]}"#) == letters)
    let line = "otpauth://totp/Steam:ann?secret=\(key)&issuer=Steam"
    #expect(try code("otpauth", line) == letters)
    #expect(try code("otpauth", line + "&digits=6") == digits)
  }

  @Test("an account of Proton Authenticator whose address has no names keeps the one beside it")
  func protonNames() throws {
    let json = #"{"version":1,"entries":[{"id":"a","content":{"name":"Games","uri":"steam://JBSWY3DPEHPK3PXP"}}]}"#
    #expect(try Imported("proton-authenticator", json).records.first?.text("title") == "Games")
    let reversed = #"{"entries":[{"id":"a","content":{"uri":"steam://JBSWY3DPEHPK3PXP","name":"Games"}}]}"#
    #expect(try Imported("proton-authenticator", reversed).records.first?.text("title") == "Games")
  }

  @Test("every backup is read with an account of every value, or refused with a reason")
  func anyBackup() throws {
    guard SharedData.isPresent(forCases: 18, of: "any backup of codes") else { return }
    var tally = CaseTally("any backup of codes")
    for tool in try SharedData.names(in: Self.folder) {
      for name in try SharedData.names(in: "\(Self.folder)/\(tool)") where !name.hasSuffix(".md") {
        do {
          let (_, imported) = try Self.read("\(tool)/\(name)", KDBXTests.options("test"))
          #expect(imported.totals.leaves == imported.lines.count, "\(name)")
          for record in imported.records { #expect(throws: Never.self, "\(name)") { try record.sealed() } }
          tally.ran()
        } catch let error as ExchangeError {
          tally.notApplicable("\(name): \(error.code)")
        }
      }
    }
    tally.report()
  }
}
