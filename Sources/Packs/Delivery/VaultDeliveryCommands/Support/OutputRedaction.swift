import ArgumentParser
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

/// Whether sealed values are replaced in the output of a program.
enum RedactionMode: String, ExpressibleByArgument, CaseIterable {
  /// Unless the output goes to a terminal.
  case auto
  case always, never
}

extension DeliveredValue {
  fileprivate var name: String {
    [Printable.text(reference.record), reference.path?.description].compactMap(\.self).joined(separator: "/")
  }
}

/// The output streams of a program in which its values are replaced.
struct OutputRedaction {
  /// The descriptors of these streams.
  let streams: [Int32]
  /// Whether the user may choose to see the values.
  let mayBeShown: Bool
  private let needles: NeedleSet
  private let names: [String]

  /// - Parameter ban: a reason to hide the values also at a terminal; nil for none.
  init(
    _ mode: RedactionMode, of values: [DeliveredValue], _ ban: RevealBan?, _ messages: Messages
  ) throws {
    let outputs = [System.standardOutput, System.standardError]
    if mode == .always, ban == nil, outputs.contains(where: System.isTerminal) {
      throw CommandError.usage(
        "--redact", "`always` works only if neither stream goes to a terminal",
        "redirect both streams, or leave out --redact")
    }
    let seen = mode == .never ? [] : outputs.filter { (ban != nil || !System.isTerminal($0)) && !System.isNull($0) }
    var (needles, names): (NeedleSet, [String]) = (NeedleSet(), [])
    func add(_ values: [SecretBytes], _ mark: String, named name: String) {
      for sealed in values {
        if !sealed.withBytes({ needles.add($0, label: names.count, includingShort: ban != nil) }) {
          messages.note("\(name) is too short to be found in the output")
        }
        let count = sealed.withBytes { NeedleSet.leftOutLineCount(of: $0) }
        if count > 0 {
          messages.note("\(counted(count, "short line")) of \(name) may appear in the output by themselves")
        }
      }
      names.append(mark)
    }
    let redacted = seen.isEmpty ? [] : values
    for value in redacted { add(try value.sealedValues(), value.name, named: value.name) }
    // A value that is also a present one has the name of the present one.
    for value in redacted {
      add(try value.formerValues(), "\(value.name) (former)", named: "a former value of \(value.name)")
    }
    (self.needles, self.names, mayBeShown) = (needles, names, ban == nil)
    streams = needles.isEmpty ? [] : seen
  }

  /// The relays. If both streams go to one file, one relay serves both, so that their order stays.
  func relays() throws(SystemError) -> (relays: [Relay], output: Int32?, errors: Int32?, tally: Tally) {
    let tally = Tally()
    var (relays, ends): ([Relay], [Int32: Int32]) = ([], [:])
    for stream in streams {
      if let other = streams.first(where: { $0 < stream && System.isSameFile($0, stream) }) {
        ends[stream] = ends[other]
        continue
      }
      var redactor = Redactor(needles, names: names)
      let relay = try Relay(to: stream) { piece in
        let output = piece.map { redactor.take($0) } ?? redactor.end()
        tally.counts[stream] = redactor.count
        return output
      }
      ends[stream] = relay.pipe.writing
      relays.append(relay)
    }
    return (relays, ends[System.standardOutput], ends[System.standardError], tally)
  }

  final class Tally {
    fileprivate var counts: [Int32: Int] = [:]
    var count: Int { counts.values.reduce(0, +) }
  }
}
