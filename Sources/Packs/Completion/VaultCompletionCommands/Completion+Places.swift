import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

extension Completion {

  /// Whether the command accepts a reference instead of a record and a field.
  var hasReferences: Bool { SecretReference.isMeant(by: current) }

  /// The references that begin like this. After a record they include its fields.
  func references(_ text: String) async -> [String] {
    let scheme = "cvault://"
    guard SecretReference.isMeant(by: text) else { return scheme.hasPrefix(text.lowercased()) ? [scheme] : [] }
    let typed = text.lowercased()
    guard let slash = text.dropFirst(scheme.count).firstIndex(of: "/") else {
      return await recordReferences().filter { $0.lowercased().hasPrefix(typed) }
    }
    guard let reference = try? SecretReference(parsing: text[...slash] + "x") else { return [] }
    return await fields(isNew: false, first: reference.record).map { field in
      "\(SecretReference(record: reference.record, path: field.path))"
    }
    .filter { $0.lowercased().hasPrefix(typed) }
  }

  /// References to records, by full name, or by id if several records have the name.
  private func recordReferences() async -> [String] {
    guard let records = try? await locked?.listed().records else { return [] }
    var counts: [String: Int] = [:]
    for record in records { counts[record.name.lowercased(), default: 0] += 1 }
    return records.map { record in
      let isOnly = !record.name.isEmpty && counts[record.name.lowercased()] == 1
      return "\(SecretReference(record: isOnly ? record.name : record.id.text, path: nil))/"
    }
  }

  /// Programs of the PATH. After a program, also files for it.
  func commands() -> CompletionResult {
    guard positions.isEmpty, !current.contains("/") else { return .files }
    let folders = System.environment("PATH")?.split(separator: ":") ?? []
    var names: Set<String> = []
    for folder in folders {
      for name in System.names(in: String(folder)) where name.hasPrefix(current) && System.mayRun("\(folder)/\(name)") {
        names.insert(name)
      }
    }
    return .words(names.sorted())
  }
}
