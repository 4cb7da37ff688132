internal import VaultDocument

/// Reads `x-migrations` of a declared kind: an object with an array of steps for each target schema.
struct MigrationParser {
  static let member = "x-migrations"
  /// The longest separator of `split` in bytes, because it is tried at every byte of a value.
  static let maximumSeparatorByteCount = 64
  /// The most steps of all migrations, because each move is followed through the later steps.
  static let maximumStepCount = 1_000

  /// Empty if the kind has none. They are in the order of their names as text, so schema 10 comes before 2.
  static func migrations(of schema: JSONObject, upTo version: Int) throws(RecordError) -> [Migration] {
    guard let value = schema[member] else { return [] }
    let root = MemberPath([.member(member)])
    guard case .object(let versions) = value else { throw fault(root, "must be an object") }
    var migrations: [Migration] = []
    var stepCount = 0
    for (name, steps) in versions {
      let path = root.appending(name)
      guard let number = JSONNumber(literal: name)?.int, (2...max(2, version)).contains(number), version >= 2 else {
        throw fault(path, "must be the number of a schema, from 2 to x-schema")
      }
      guard case .array(let items) = steps else { throw fault(path, "must be an array of steps") }
      stepCount += items.count
      guard stepCount <= maximumStepCount else { throw fault(root, "has more than \(maximumStepCount) steps") }
      var read: [MigrationStep] = []
      for (index, item) in items.enumerated() { read.append(try step(item, at: path.appending(index))) }
      migrations.append(Migration(to: number, read))
    }
    return migrations
  }

  private static func step(_ value: JSONValue, at place: MemberPath) throws(RecordError) -> MigrationStep {
    guard case .object(let step) = value else { throw fault(place, "must be an object") }
    let reader = StepReader(step: step, place: place)
    switch Set(step.names) {
    case ["move", "to"]: return .move(try reader.path("move"), to: try reader.path("to"))
    case ["at", "into", "split"]:
      return .split(try reader.path("split"), at: try reader.separator("at"), into: try reader.paths("into"))
    case ["convert", "to"]:
      guard let target = MigrationStep.Target(rawValue: try reader.text("to")) else {
        throw fault(place.appending("to"), "must be text, integer, number, bool or list")
      }
      return .convert(try reader.path("convert"), to: target)
    case ["seal"]: return .seal(try reader.path("seal"))
    case ["open"]: return .open(try reader.path("open"))
    case ["fill", "with"]: return .fill(try reader.path("fill"), with: step["with"] ?? .null)
    default: throw fault(place, "is not a known step: use move/to, split/at/into, convert/to, seal, open, fill/with")
    }
  }

  fileprivate static func fault(_ path: MemberPath, _ reason: String) -> RecordError {
    RecordError(.invalidSchema, reason, path: path.description)
  }
}

/// Reads the members of one step; `place` is the path of the step in the schema.
private struct StepReader {
  let step: JSONObject
  let place: MemberPath

  func text(_ name: String) throws(RecordError) -> String {
    guard let text = step[name]?.string, !text.isEmpty else { throw fault(name, "must be text") }
    return text
  }

  func separator(_ name: String) throws(RecordError) -> String {
    let text = try text(name)
    guard text.utf8.count <= MigrationParser.maximumSeparatorByteCount else {
      throw fault(name, "is longer than \(MigrationParser.maximumSeparatorByteCount) bytes")
    }
    return text
  }

  func path(_ name: String) throws(RecordError) -> MemberPath { try path(step[name], name) }

  func paths(_ name: String) throws(RecordError) -> [MemberPath] {
    guard let items = step[name]?.array, items.count > 1 else { throw fault(name, "must be two or more fields") }
    var paths: [MemberPath] = []
    for item in items { paths.append(try path(item, name)) }
    return paths
  }

  private func path(_ value: JSONValue?, _ name: String) throws(RecordError) -> MemberPath {
    guard let text = value?.string, let path = try? MemberPath(parsing: text), !path.components.isEmpty,
      path.components.first != .member("$vault")
    else { throw fault(name, "must be a field") }
    return path
  }

  private func fault(_ name: String, _ reason: String) -> RecordError {
    MigrationParser.fault(place.appending(name), reason)
  }
}
