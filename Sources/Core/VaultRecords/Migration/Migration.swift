public import VaultDocument

/// The steps from the previous schema to a new one.
public struct Migration: Sendable {
  /// The new schema, from 2.
  public let schema: Int
  /// In the order of execution.
  public let steps: [MigrationStep]

  /// A migration from the previous schema.
  public init(to schema: Int, _ steps: [MigrationStep]) {
    self.schema = schema
    self.steps = steps
  }
}

extension Migration {
  var moves: [(source: String, target: String)] {
    steps.compactMap { step in
      if case .move(let source, let target) = step { (source.description, target.description) } else { nil }
    }
  }
}

/// One change of the members of a record. Values that a record does not have are skipped.
public enum MigrationStep: Sendable, Equatable {
  /// The new type of a readable value.
  public enum Target: String, Sendable, CaseIterable {
    /// A text; a number becomes its digits, a truth value `true` or `false`.
    case text
    /// A whole number, read from text.
    case integer
    /// A number, read from text.
    case number
    /// `true` or `false`, read from text.
    case bool
    /// A list; a text is split as on a command line, anything else becomes its only item.
    case list
  }

  /// Moves a value unchanged, readable or sealed; a move within one object renames it.
  case move(MemberPath, to: MemberPath)
  /// Splits readable text at a separator; the last part takes the rest.
  case split(MemberPath, at: String, into: [MemberPath])
  /// Gives a readable value another type.
  case convert(MemberPath, to: Target)
  /// Seals a readable value. Older versions of the file still show it.
  case seal(MemberPath)
  /// Makes a secret readable, only after a person has confirmed it.
  case open(MemberPath)
  /// Gives a value to records that lack it.
  case fill(MemberPath, with: JSONValue)
  /// Runs Swift code; kinds that a vault declares cannot use it.
  case compute(Computation)

  /// The step in words: `website → contact_info.website`.
  public var description: String {
    switch self {
    case .move(let source, let target): "\(source) → \(target)"
    case .split(let source, _, let parts): "\(source) → \(parts.map(\.description).joined(separator: ", "))"
    case .convert(let path, let target): "\(path) becomes \(target.rawValue)"
    case .seal(let path): "\(path) is sealed"
    case .open(let path): "\(path) is opened and readable from then on"
    case .fill(let path, _): "\(path) is added"
    case .compute(let computation): computation.words
    }
  }
}

// Paths in source code, which must be well formed.
extension MigrationStep {
  /// Moves a value unchanged, readable or sealed; a move within one object renames it.
  public static func move(_ source: String, to target: String) -> MigrationStep {
    .move(MemberPath(ofSource: source), to: MemberPath(ofSource: target))
  }

  /// Splits readable text at a separator; the last part takes the rest.
  public static func split(_ source: String, at separator: String, into parts: [String]) -> MigrationStep {
    .split(MemberPath(ofSource: source), at: separator, into: parts.map(MemberPath.init(ofSource:)))
  }

  /// Gives a readable value another type.
  public static func convert(_ path: String, to target: Target) -> MigrationStep {
    .convert(MemberPath(ofSource: path), to: target)
  }

  /// Seals a readable value. Older versions of the file still show it.
  public static func seal(_ path: String) -> MigrationStep { .seal(MemberPath(ofSource: path)) }

  /// Makes a secret readable, only after a person has confirmed it.
  public static func open(_ path: String) -> MigrationStep { .open(MemberPath(ofSource: path)) }

  /// Gives a value to records that lack it.
  public static func fill(_ path: String, with value: JSONValue) -> MigrationStep {
    .fill(MemberPath(ofSource: path), with: value)
  }
}

extension RecordKind {
  /// The steps from one schema to the present one.
  public func steps(from schema: Int) -> [MigrationStep] {
    Self.steps(of: migrations, from: schema, to: self.schema)
  }

  static func steps(of migrations: [Migration], from older: Int, to newer: Int) -> [MigrationStep] {
    migrations.filter { $0.schema > older && $0.schema <= newer }.sorted { $0.schema < $1.schema }.flatMap(\.steps)
  }

  /// The steps that apply to clear input, with the source of each.
  ///
  /// Steps whose source exists in the present schema with another meaning are left out.
  static func inputSteps(
    _ steps: [MigrationStep], besides whole: ValueSchema
  ) -> [(source: MemberPath, step: MigrationStep)] {
    steps.compactMap { step in
      switch step {
      case .move(let source, _), .split(let source, _, _): whole.value(at: source) == nil ? (source, step) : nil
      default: nil
      }
    }
  }

  /// Clear input with the members of an older schema or another spelling moved to their present places. A step that
  /// cannot be applied is skipped.
  package func modernised(_ input: JSONObject) -> JSONObject {
    var tree = JSONValue.object(input)
    for (source, step) in inputSteps where tree.hasValue(at: source) {
      var migrator = Migrator(tree)
      if (try? migrator.take(step)) != nil { tree = migrator.tree }
    }
    return tree.object ?? input
  }

  /// The places for clear input at a path. They differ from the path for an older schema or another spelling, and are
  /// several for a split value.
  package func inputPaths(_ path: MemberPath) -> [MemberPath] {
    inputSteps.reduce([path]) { paths, input in
      paths.flatMap { path in
        guard path.components.starts(with: input.source.components) else { return [path] }
        switch input.step {
        case .move(let source, let target):
          return [MemberPath(target.components + path.components.dropFirst(source.components.count))]
        case .split(_, _, let parts): return parts
        default: return [path]
        }
      }
    }
  }
}
