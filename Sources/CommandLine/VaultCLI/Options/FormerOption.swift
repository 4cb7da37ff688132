package import ArgumentParser
package import VaultDocument
package import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

/// `--former [N]`.
package struct FormerOption: ParsableArguments {
  @Option(
    name: .customLong("former"), defaultAsFlag: 1, parsing: .next,
    help: ArgumentHelp("A former value of the field: 1 is the one before the present value.", valueName: "n"))
  package var number: Int?

  package init() {}

  /// Refuses a number that no field can have, before anything is unlocked.
  package func check() throws {
    guard let number, !(1...FormerValues.maximumCount).contains(number) else { return }
    throw CommandError.usage("--former", "must be between 1 and \(FormerValues.maximumCount)")
  }

  /// The chosen value. Without a field it is the only field that has a former value.
  package func secret(of record: OpenRecord, at path: MemberPath?) throws -> FormerSecret {
    let place = try path.map(record.formerPlace(of:)) ?? record.onlyFormerPlace()
    do throws(VaultError) {
      return try record.formerSecret(number ?? 1, at: place)
    } catch {
      guard error.code == .noSuchMember else { throw error }
      var told = CommandError(error)
      told.hints = ["`vault show \(record.shownName.shellQuoted)` says which fields have former values"]
      throw told
    }
  }
}

extension OpenRecord {
  /// The path of a field that has former values, for a similar spelling too.
  package func formerPlace(of path: MemberPath) -> MemberPath {
    let places = pathsWithFormerSecrets
    if places.contains(path) { return path }
    let other = kind?.inputPath(path) ?? path
    return places.contains(other) ? other : place(of: path)
  }

  fileprivate func onlyFormerPlace() throws -> MemberPath {
    let places = pathsWithFormerSecrets
    if places.count == 1 { return places[0] }
    guard places.isEmpty else {
      throw CommandError.usage(
        "FIELD", "must be given, because several fields have former values",
        "name one: \(places.map(\.description).joined(separator: ", "))")
    }
    var error = CommandError(.notFound, "no_such_member", subject: shownName, "has no former values")
    error.record = id.text
    throw error
  }
}
