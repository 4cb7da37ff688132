import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing
import VaultTerminal

struct Delivery {
  enum Form: String {
    case variable
    /// A variable names a file in memory.
    case descriptor
    /// A variable names a file in a folder in memory.
    case file
    case input = "standard input"
  }

  /// The variable; empty for standard input.
  let name: String
  let form: Form
  let content: DeliveredVariable.Content
  /// The option, or the file and its line.
  let source: String
  /// The line of a file.
  var line: Int?

  /// The variable and its source.
  var place: String { name.isEmpty ? source : "\(name) of \(source)" }

  var reference: SecretReference? {
    if case .reference(let reference) = content { reference } else { nil }
  }
}

/// All deliveries to a program. Each name occurs once.
struct DeliveryPlan {
  private(set) var deliveries: [Delivery] = []

  /// Adds deliveries with precedence over the present ones.
  mutating func add(_ new: [Delivery], _ messages: Messages) throws {
    var names: Set<String> = []
    for delivery in new where !names.insert(delivery.name).inserted {
      throw CommandError.usage(delivery.source, "\(delivery.name) is given more than once", "give it once")
    }
    for replaced in deliveries where names.contains(replaced.name) {
      messages.note("\(replaced.name) of \(replaced.source) is replaced by \(new[0].source)")
    }
    deliveries = deliveries.filter { !names.contains($0.name) } + new
  }

  /// Removes other variables that come from files.
  mutating func keep(only names: [String]) throws {
    for name in names where !deliveries.contains(where: { $0.name == name }) {
      throw CommandError.usage("--only", "no --env-file sets \(name)")
    }
    deliveries = deliveries.filter { names.contains($0.name) }
  }
}

extension Delivery {
  /// Parses `NAME=REFERENCE` of an option.
  static func option(_ text: String, form: Form, option: String) throws -> Delivery {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, DeliveredVariable.isName(String(parts[0])) else {
      throw CommandError.usage(option, "takes NAME=cvault://RECORD/FIELD")
    }
    let reference = try SecretReference.argument(String(parts[1]), of: option)
    return Delivery(name: String(parts[0]), form: form, content: .reference(reference), source: option)
  }

  /// Whether this program uses the variable itself. A file may not set such a variable.
  static func isOwn(_ name: String) -> Bool { name.hasPrefix("CVAULT_") }

  /// The deliveries of a file of variables.
  ///
  /// - Parameters:
  ///   - asked: names that the user asked for, which are exempt from the rule for files.
  ///   - only: the wanted names, each asked for; nil for all.
  static func file(_ path: String, asked: [String], only: [String]?) throws -> [Delivery] {
    let deliveries = try file(path)
    if only != nil { return deliveries }
    for delivery in deliveries where !DeliveredVariable.mayComeFromFile(delivery.name) {
      guard asked.contains(delivery.name) else { throw notAsked(delivery, in: path, all: deliveries) }
    }
    return deliveries
  }

  private static func notAsked(_ delivery: Delivery, in path: String, all: [Delivery]) -> CommandError {
    let names = all.map(\.name).filter { !DeliveredVariable.mayComeFromFile($0) }
    return CommandError(
      .inputRefused, "input_refused", subject: path,
      "line \(delivery.line ?? 0): \(delivery.name) may decide what a program runs or where it connects: a file cannot "
        + "set it unless you allow it",
      hints: ["if the file is yours, add --allow \(names.joined(separator: ","))"])
  }

  /// The next step after an invalid line. A variable that no file may set comes first in the reason.
  private static func hint(after fault: TextFault) -> String {
    let name = String(fault.reason.prefix { $0 != " " })
    guard isOwn(name) || DeliveredVariable.decidesWhatRuns(name) else {
      return "write one NAME=cvault://RECORD/FIELD or NAME=text per line; quotes work as in a shell, but "
        + "$NAME is not expanded"
    }
    return "set \(name) outside the file: `\(name)=… vault run …`"
  }

  private static func file(_ path: String) throws -> [Delivery] {
    let file = try NamedFile.reading(path)
    let bytes = try SecretInput.bytes(from: file.descriptor, named: path, as: "a file of variables")
    do throws(TextFault) {
      return try EnvironmentFile.parse(bytes.withBytes { $0.copiedBytes() }, refusing: isOwn).map { entry in
        Delivery(
          name: entry.variable.name, form: .variable, content: entry.variable.content,
          source: "\(path), line \(entry.line)", line: entry.line)
      }
    } catch {
      var refused = CommandError(
        .inputRefused, "input_refused", subject: path, "line \(error.line ?? 0): \(error.reason)",
        hints: [Self.hint(after: error)])
      refused.file = path
      throw refused
    }
  }
}

extension Session {
  /// The values of all references, each with its destination; all or none.
  ///
  /// - Parameter found: the results of an earlier look-up.
  func values(
    of wanted: [(reference: SecretReference, place: String)], in vault: Vault,
    found: [SecretReference: ReferencedField] = [:]
  ) async throws -> [SecretReference: DeliveredValue] {
    do throws(DeliveryFailure) {
      let values = try await vault.values(of: wanted.map(\.reference), found: found)
      var noted: Set<RecordID> = []
      for value in values.values where noted.insert(value.record.id).inserted { _ = noting(value.record) }
      return values
    } catch {
      let place = wanted.first { $0.reference == error.reference }?.place ?? "the program"
      throw CommandError(any: error.reason).hinting("it is needed for \(place): \(error.reference)")
    }
  }
}
