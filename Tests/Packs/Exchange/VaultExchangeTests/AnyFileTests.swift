import Testing
import VaultExchange
import VaultTestSupport

@Suite("Every file that other tools have exported, listed in a test or not")
struct AnyFileTests {
  @Test("is read with an account of every value, or is refused with a reason; one that is named broken is never whole")
  func anyFile() throws {
    guard SharedData.isPresent(forCases: 105, of: "any file of password managers") else { return }
    var tally = CaseTally("any file of password managers")
    let paths = try Fixtures.all("").filter { $0.split(separator: "/").last?.contains(".") == true }
    for path in paths where !path.hasSuffix("/SOURCES.md") {
      guard let source = try? Fixtures.source(path) else {
        tally.notApplicable("\(path) is a folder")
        continue
      }
      check(path, source, &tally)
    }
    tally.report()
    #expect(tally.runCount > 0)
  }

  private func check(_ path: String, _ source: ImportSource, _ tally: inout CaseTally) {
    do {
      let importer = try ImportFormats.detecting(source.sample())
      let imported = try Imported(importer, source)
      let isBroken = path.contains("Broken")
      #expect(!isBroken || !imported.refused.isEmpty, "\(path)")
      for record in imported.records where !isBroken {
        #expect(throws: Never.self, "\(path): \(record.place)") { try record.sealed() }
      }
      #expect(imported.totals.leaves == imported.lines.count, "\(path)")
      if let leaves = try leaves(path, importer.format.name) { #expect(imported.totals.leaves == leaves, "\(path)") }
      tally.ran()
    } catch let error as ExchangeError {
      // Damage, other keys and other forms have a reason; anything else would be a fault of ours.
      let reasons: Set<ExchangeError.Code> = [
        .unknownFormat, .ambiguousFormat, .unsupported, .malformed, .passphraseNeeded, .identityNeeded,
      ]
      #expect(reasons.contains(error.code), "\(path): \(error)")
      tally.notApplicable("\(error.code): \(path)")
    } catch {
      Issue.record("\(path): another kind of error: \(error)")
    }
  }

  /// The count of values without the importers' code, where the form of a file allows it.
  private func leaves(_ path: String, _ format: String) throws -> Int? {
    let bytes = try SharedData.bytes("\(Fixtures.folder)/\(path)")
    switch path.split(separator: ".").last {
    case "csv": return LeafCount.csv(bytes, of: format)
    case "json": return try LeafCount.json(bytes)
    case "xml": return LeafCount.xml(String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }
}
