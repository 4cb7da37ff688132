import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Files of every format, broken on purpose")
struct MutationTests {
  @Test("every format has a sample, which is read whole and holds what is looked for in errors")
  func samples() throws {
    let samples = try Samples.all()
    #expect(Set(samples.map(\.format) + ["passage", "ssh-keys"]) == Set(ImportFormats.all.map(\.format.name)))
    for sample in try Samples.readable() {
      let good = try sample.imported()
      #expect(!good.records.isEmpty, "\(sample.format)")
      #expect(good.refused.isEmpty, "\(sample.format)")
      #expect(sample.form != .table || sample.format == "dotenv" || good.records.count == 3, "\(sample.format)")
      let format = try ImportFormats.named(sample.format).format
      for record in good.records {
        #expect(record.externalID?.hasPrefix(format.idPrefix + ":") ?? record.isWholeFile, "\(sample.format)")
      }
      #expect(sample.format == "bitwarden-protected-json" || good.hold(Samples.marker), "\(sample.format)")
    }
  }

  @Test("a file that is cut off gives an error, or exactly the rows before the cut")
  func truncated() throws {
    var tally = CaseTally("files that are cut off")
    for sample in try Samples.readable() {
      let good = try sample.imported()
      for count in Self.places(in: sample.bytes, 48) {
        tally.ran()
        guard let cut = Self.read(sample, Array(sample.bytes.prefix(count)), "cut at \(count)") else { continue }
        let note = Comment(rawValue: "\(sample.format), cut at \(count) of \(sample.bytes.count)")
        #expect(cut.records.count <= good.records.count, note)
        // A cut through the last value cannot be noticed; a file of variables is one record.
        let isPartial = sample.form == .table
        let sure = isPartial ? cut.records.dropLast() : cut.records[...]
        for (one, other) in zip(sure, good.records) { #expect(one.members == other.members, note) }
        if !isPartial { #expect(cut.records.count == good.records.count, note) }
      }
    }
    tally.report()
  }

  @Test("the same text in another encoding gives the same records")
  func encodings() throws {
    // XML says its encoding itself.
    for sample in try Samples.readable() where sample.form != .binary && sample.bytes.first != UInt8(ascii: "<") {
      let good = try sample.imported().records
      let text = String(decoding: sample.bytes, as: UTF8.self)
      let units = Array(text.utf16)
      let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      let forms = [[0xEF, 0xBB, 0xBF] + sample.bytes, [0xFE, 0xFF] + big, [0xFF, 0xFE] + little, big, little]
      for (index, bytes) in forms.enumerated() {
        let records = try sample.imported(bytes).records
        #expect(records.map(\.members) == good.map(\.members), "\(sample.format), form \(index)")
      }
      // Half a character at the end spoils the last row and no other.
      let odd = Self.read(sample, [0xFF, 0xFE] + little.dropLast(), "odd UTF-16")?.records ?? []
      for (one, other) in zip(odd.dropLast(), good) { #expect(one.members == other.members, "\(sample.format)") }
      let lines = Self.read(sample, Array(text.replacing("\n", with: "\r\n").utf8), "CRLF")
      #expect(lines?.records.count == good.count, "\(sample.format)")
    }
  }

  @Test("a byte that cannot be, wherever it stands, spoils its row or the file; no other record changes")
  func impossibleBytes() throws {
    var tally = CaseTally("files with a NUL or a byte that is no text")
    for sample in try Samples.readable() where sample.form != .binary {
      let good = try sample.imported().records.map(\.members)
      for place in Self.places(in: sample.bytes, 24) {
        for byte: UInt8 in [0, 0xFF] {
          var bytes = sample.bytes
          bytes.insert(byte, at: place)
          let note = "byte \(byte) at \(place)"
          // Behind it a quote that is open may go on, so that the last good record is all that is sure.
          let records = Self.read(sample, bytes, note)?.records.map(\.members) ?? []
          let isPart = sample.format == "dotenv" && byte == 0
          #expect(isPart || records.allSatisfy { good.contains($0) }, "\(sample.format), \(note)")
          #expect(!records.contains { $0.holdsNUL }, "\(sample.format), \(note)")
          tally.ran()
        }
      }
    }
    tally.report()
  }

  @Test("whatever is changed in a file, it gives records or an error without content, and never a crash")
  func anything() throws {
    var random = SeededGenerator.announced(for: "files with changes of any kind")
    var tally = CaseTally("files with changes of any kind")
    for sample in try Samples.readable() {
      // The key of a sealed file is expensive.
      for round in 0..<Sweep.rounds(sample.format == "bitwarden-protected-json" ? 30 : 150) {
        var bytes = sample.bytes
        for _ in 0...round % 3 { Self.change(&bytes, &random) }
        _ = Self.read(sample, bytes, "round \(round)")
        tally.ran()
      }
      for bytes in [[], Array("\n".utf8), Array("\u{FEFF}".utf8), Array(sample.bytes.prefix { $0 != 0x0A }) + [0x0A]] {
        _ = Self.read(sample, bytes, "little")
        tally.ran()
      }
    }
    tally.report()
  }

  private static func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.insert(Array("\",\n\r;'{}[]<>&:\\\0".utf8).randomElement(using: &random) ?? 0, at: place)
    case 5: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 5000), at: place)
    default: bytes.insert(contentsOf: Array("\"title\":\"\(Samples.marker)\",".utf8), at: place)
    }
  }

  /// Offsets from the beginning to the end, so many of them or a sample, and the last two.
  private static func places(in bytes: [UInt8], _ count: Int) -> [Int] {
    let numbers = Sweep("places, \(count) of \(bytes.count)", in: 0..<count, oneOf: 5)
    return numbers.map { bytes.count * $0 / count } + [bytes.count - 2, bytes.count - 1]
  }

  /// The importer's result for the bytes; nil for an error. Its messages contain no content.
  private static func read(_ sample: Sample, _ bytes: [UInt8], _ what: String) -> Imported? {
    let note = Comment(rawValue: "\(sample.format), \(what)")
    do {
      let imported = try sample.imported(bytes)
      for refusal in imported.refused {
        #expect(!"\(refusal.place) \(refusal.reason)".contains(Samples.marker), note)
      }
      for case .refused(let reason) in imported.lines.map(\.outcome) { #expect(!reason.contains(Samples.marker), note) }
      #expect(imported.totals.leaves == imported.lines.count, note)
      return imported
    } catch let error as ExchangeError {
      #expect(!error.description.contains(Samples.marker), note)
    } catch {
      Issue.record("\(sample.format), \(what): \(type(of: error))")
    }
    return nil
  }
}

extension JSONObject {
  fileprivate var holdsNUL: Bool {
    guard let bytes = try? JSONValue.object(self).compactBytes() else { return true }
    return String(decoding: bytes, as: UTF8.self).contains("\\u0000")
  }
}

extension Imported {
  /// Whether any value of any record holds the text.
  fileprivate func hold(_ text: String) -> Bool {
    records.contains { record in
      let bytes = try? JSONValue.object(record.members).compactBytes()
      return String(decoding: bytes ?? [], as: UTF8.self).contains(text)
    }
  }
}
