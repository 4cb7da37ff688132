internal import VaultDocument

/// The learned facts about one value of a type.
final class RecordedValue {
  private enum Form {
    case unknown
    case value(ValueSchema)
    case object([(name: String, value: RecordedValue)])
    case list(RecordedValue)
    case map(RecordedValue)
  }

  private var form = Form.unknown
  /// Whether the type asked if the value exists.
  var isOptional = false
  /// Whether the type's behaviour depends on the value. It may then accept more than the values it has read.
  var isOpen = false
  /// The enclosing value with the same type; nil if there is no such value.
  weak var repeated: RecordedValue?
  /// The description by its type, which overrides the rest.
  var given: ValueSchema?
  /// In how many successful runs the type asked for it.
  private(set) var runCount = 0
  private var lastRun = -1
  /// The choices of the run in which it was first asked for.
  private(set) var script: [Int] = []

  /// The description as far as it is known; nil if the type has asked for no form.
  var schema: ValueSchema? {
    if let given { return given }
    guard !isOpen else { return ValueSchema(.any) }
    switch form {
    case .unknown: return nil
    case .value(let schema): return schema
    case .object(let members):
      return .object(
        members.compactMap { name, value in
          guard value.runCount > 0 else { return nil }
          return value.schema.map { MemberSchema(name, $0, required: !value.isOptional && value.runCount == runCount) }
        })
    case .list(let items): return .list(of: items.schema ?? ValueSchema(.any))
    case .map(let values): return .map(of: values.schema ?? ValueSchema(.any))
    }
  }

  /// The values in it, each with the step to it.
  var parts: [(step: String, value: RecordedValue)] {
    switch form {
    case .unknown, .value: []
    case .object(let members): members.map { ($0.name, $0.value) }
    case .list(let items): [("", items)]
    case .map(let values): [("", values)]
    }
  }

  /// Whether it or any part of it is sealed, on any path the type can take.
  var holdsSealed: Bool {
    if case .value(let schema) = form { return schema.holdsSealed }
    return parts.contains { $0.value.holdsSealed }
  }

  /// Whether it is asked for again as another form than the first time.
  func differs(from name: String) -> Bool { formName.map { $0 != name } ?? false }

  /// The form that was asked for first.
  var formName: String? {
    switch form {
    case .unknown: nil
    case .value(let schema): schema.formName
    case .object, .map: ValueSchema.object([]).formName
    case .list: ValueSchema.list(of: .text).formName
    }
  }

  /// The path of the value that the type asked for last.
  var lastPath: String { parts.last.map { Self.path($0.step, $0.value.lastPath) } ?? "" }

  /// The path of the first value below that satisfies `isSo`; nil if there is no such value.
  func path(where isSo: (RecordedValue) -> Bool) -> String? {
    for (step, value) in parts {
      if let rest = isSo(value) ? "" : value.path(where: isSo) { return Self.path(step, rest) }
    }
    return nil
  }

  /// This value and all values below.
  var all: [RecordedValue] { [self] + parts.flatMap(\.value.all) }

  private static func path(_ step: String, _ rest: String) -> String {
    step.isEmpty || rest.isEmpty ? step + rest : step + "." + rest
  }

  /// Notes that a run asks for it; false if the same run has asked before.
  func touch(inRun run: Int, _ script: [Int]) -> Bool {
    guard lastRun != run else { return false }
    if runCount == 0 { self.script = script }
    (lastRun, runCount) = (run, runCount + 1)
    return true
  }

  /// Forgets a failed run.
  func untouch() { runCount -= 1 }

  /// Takes a form by decoding, unless the type has described itself.
  func take(_ schema: ValueSchema) { if case .unknown = form { form = .value(schema) } }

  func beginObject() { if case .unknown = form { form = .object([]) } }

  /// The member, added at the first request. If this is not an object, the result belongs to nothing.
  func member(_ name: String) -> RecordedValue {
    beginObject()
    guard case .object(var members) = form else { return RecordedValue() }
    if let known = members.first(where: { sameBytes($0.name, name) }) { return known.value }
    let new = RecordedValue()
    members.append((name, new))
    form = .object(members)
    return new
  }

  func items() -> RecordedValue {
    if case .list(let items) = form { return items }
    let new = RecordedValue()
    if case .unknown = form { form = .list(new) }
    return new
  }

  func values() -> RecordedValue {
    if case .map(let values) = form { return values }
    let new = RecordedValue()
    if case .unknown = form { form = .map(new) }
    return new
  }
}

extension ValueSchema {
  /// The form's name for people.
  var formName: String {
    switch form {
    case .text: "text"
    case .integer: "a whole number"
    case .number: "a number"
    case .bool: "true or false"
    case .list: "a list"
    case .object: "an object"
    case .any: "any value"
    }
  }
}
