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

/// The output streams of a program in which its values are replaced.
struct OutputRedaction {
  /// The descriptors of these streams.
  let streams: [Int32]
  private let needles: NeedleSet
  private let names: [String]

  init(
    _ mode: RedactionMode, of values: [DeliveredValue], _ messages: Messages
  ) throws {
    let outputs = [System.standardOutput, System.standardError]
    if mode == .always, outputs.contains(where: System.isTerminal) {
      throw CommandError.usage(
        "--redact", "`always` works only if neither stream goes to a terminal",
        "redirect both streams, or leave out --redact")
    }
    let seen = mode == .never ? [] : outputs.filter { !System.isTerminal($0) && !System.isNull($0) }
    var (needles, names): (NeedleSet, [String]) = (NeedleSet(), [])
    for value in seen.isEmpty ? [] : values {
      let parts = [Printable.text(value.reference.record), value.reference.path?.description]
      let name = parts.compactMap(\.self).joined(separator: "/")
      for sealed in try value.sealedValues() {
        if !sealed.withBytes({ needles.add($0, label: names.count) }) {
          messages.note("\(name) is too short to be found in the output")
        }
        let count = sealed.withBytes { NeedleSet.leftOutLineCount(of: $0) }
        if count > 0 {
          messages.note("\(counted(count, "short line")) of \(name) may appear in the output by themselves")
        }
      }
      names.append(name)
    }
    (self.needles, self.names) = (needles, names)
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
