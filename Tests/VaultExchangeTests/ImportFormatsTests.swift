import Testing
import VaultExchange

@Suite("The formats that can be imported")
struct ImportFormatsTests {
  @Test("an unknown name is refused")
  func unknownName() {
    #expect(throws: ExchangeError(.unknownFormat, "")) { _ = try ImportFormats.named("no-such-format") }
  }

  @Test("a file that begins like no format is refused")
  func unknownContent() {
    let sample = ImportSample(name: "notes.txt", head: Array("Dear diary".utf8), isWhole: true)
    #expect(throws: ExchangeError(.unknownFormat, "")) { _ = try ImportFormats.detecting(sample) }
  }

  @Test("names are unique, and each says what it keeps")
  func names() {
    let formats = ImportFormats.all.map(\.format)
    #expect(Set(formats.map(\.name)).count == formats.count)
    for format in formats { #expect(!format.keeps.isEmpty && !format.title.isEmpty && !format.versions.isEmpty) }
  }
}
