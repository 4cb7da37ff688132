public import VaultDocument

/// What leads from the schema before to a new one.
public struct Migration: Sendable {
  /// The schema that it leads to, from 2.
  public let schema: Int
  /// In the order in which they are taken.
  public let steps: [MigrationStep]

  /// A migration from the schema before.
  public init(to schema: Int, _ steps: [MigrationStep]) {
    self.schema = schema
    self.steps = steps
  }
}

extension Migration {
  /// What it moves, from where, and where to.
  var moves: [(source: String, target: String)] {
    steps.compactMap { step in
      if case .move(let source, let target) = step { (source.description, target.description) } else { nil }
    }
  }
}

/// One change of the members of a record. What a record does not have is left alone.
public enum MigrationStep: Sendable, Equatable {
  /// What a readable value becomes.
  public enum Target: String, Sendable, CaseIterable {
    /// A text; a number becomes its digits, a truth value `true` or `false`.
    case text
    /// A whole number, read from text.
    case integer
    /// A number, read from text.
    case number
    /// `true` or `false`, read from text.
    case bool
    /// A list; a text is divided as on a command line, anything else becomes its only item.
    case list
  }

  /// Moves a value as it is, readable or sealed; a move within one object is a new name.
  case move(MemberPath, to: MemberPath)
  /// Divides readable text at a separator; the last part takes the rest.
  case split(MemberPath, at: String, into: [MemberPath])
  /// Gives a readable value another type.
  case convert(MemberPath, to: Target)
  /// Seals what was readable. Older versions of the file still show it.
  case seal(MemberPath)
  /// Makes a secret readable; only when a person has confirmed it.
  case open(MemberPath)
  /// Gives a value to records that have none.
  case fill(MemberPath, with: JSONValue)
  /// Does in Swift what no other step says; kinds that a vault declares have none.
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

// Paths in source code, which have to be well formed.
extension MigrationStep {
  /// Moves a value as it is, readable or sealed; a move within one object is a new name.
  public static func move(_ source: String, to target: String) -> MigrationStep {
    .move(MemberPath(ofSource: source), to: MemberPath(ofSource: target))
  }

  /// Divides readable text at a separator; the last part takes the rest.
  public static func split(_ source: String, at separator: String, into parts: [String]) -> MigrationStep {
    .split(MemberPath(ofSource: source), at: separator, into: parts.map(MemberPath.init(ofSource:)))
  }

  /// Gives a readable value another type.
  public static func convert(_ path: String, to target: Target) -> MigrationStep {
    .convert(MemberPath(ofSource: path), to: target)
  }

  /// Seals what was readable. Older versions of the file still show it.
  public static func seal(_ path: String) -> MigrationStep { .seal(MemberPath(ofSource: path)) }

  /// Makes a secret readable; only when a person has confirmed it.
  public static func open(_ path: String) -> MigrationStep { .open(MemberPath(ofSource: path)) }

  /// Gives a value to records that have none.
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

  /// The steps that clear input is looked through for, with where each takes a value from.
  ///
  /// What the present schema has at that place means something else there.
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

  /// Clear input with members where the present schema has them that an older one, or another spelling, has elsewhere.
  package func modernised(_ input: JSONObject) -> JSONObject {
    var tree = JSONValue.object(input)
    for (source, step) in inputSteps where tree.hasValue(at: source) {
      var migrator = Migrator(tree)
      if (try? migrator.take(step)) != nil { tree = migrator.tree }
    }
    return tree.object ?? input
  }

  /// Where clear input at a path belongs: there, but for what an older schema, or another spelling, has elsewhere; the
  /// parts of what is divided.
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
