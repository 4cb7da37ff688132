internal import VaultDocument
internal import VaultSealing

/// Learns a type by letting it decode repeatedly and noting what it asks for.
///
/// The first run answers every question with the first possible answer. Then each question with several answers, such
/// as the case of an enum or the members of an object, gets other answers in separate runs. Finally each value is
/// refused once, to see whether the type then asks for a value of another kind.
final class Recording {
  /// Ends a run whose values go on without end, or are far too many.
  static let endless = TextFault("has an endless number of values")

  private static let runLimit = 256
  private static let probeLimit = 256
  private static let valueLimit = 1 << 14
  /// The limit of nested types, because a generic type can contain another instance of itself forever.
  static let depthLimit = 24

  let root = RecordedValue()
  private let style: KeyStyle?
  private(set) var hasFailed = true
  private(set) var run = 0
  private var script: [Int] = []
  private var questions: [Int] = []
  private var touched: [RecordedValue] = []
  private var valueCount = 0
  /// The value that is refused when it is first asked for, and whether it was.
  private var refused: RecordedValue?
  private var isRefused = false
  private var isProbe: Bool { refused != nil }

  /// Learns `type`. Nothing is thrown: `hasFailed` stays true if the type refuses every run.
  ///
  /// - Parameters:
  ///   - style: the style of names in a file; nil for those of the type.
  ///   - described: the type's description of single values, by path.
  init(of type: any Decodable.Type, style: KeyStyle? = nil, described: [(path: [String], schema: ValueSchema)] = []) {
    self.style = style
    for (path, schema) in described { path.reduce(root) { $0.member($1) }.given = schema }
    var scripts: [[Int]] = [[]]
    var firstPath = ""
    while run < Self.runLimit, run < scripts.count {
      let hasEnded = decode(type, scripts[run])
      if hasEnded { hasFailed = false }
      if run == 1 { firstPath = root.lastPath }
      scripts += others(besides: script)
    }
    lastPath = firstPath
    if !hasFailed { probe(type) }
  }

  /// The path of the value that the type asked for last in the first run.
  private(set) var lastPath = ""

  /// Lets the type decode with these answers; true if it succeeds. A failed run or a probe does not count as a
  /// request.
  private func decode(_ type: any Decodable.Type, _ script: [Int]) -> Bool {
    run += 1
    (self.script, questions, touched, valueCount) = (script, [], [], 0)
    if root.touch(inRun: run, script) { touched.append(root) }
    let isGood = (try? type.init(from: SchemaRecorder(root, of: type, in: self))) != nil
    if !isGood || isProbe { for value in touched { value.untouch() } }
    return isGood
  }

  /// Scripts with another answer to a later question; at most two answers differ from the first ones.
  private func others(besides script: [Int]) -> [[Int]] {
    guard script.count(where: { $0 > 0 }) < 2 else { return [] }
    return questions.indices.dropFirst(script.count).flatMap { index in
      (1..<max(questions[index], 1)).map { answer in
        script + Array(repeating: 0, count: index - script.count) + [answer]
      }
    }
  }

  private func probe(_ type: any Decodable.Type) {
    for value in root.all.dropFirst().prefix(Self.probeLimit) where value.runCount > 0 && value.formName != nil {
      (refused, isRefused) = (value, false)
      _ = decode(type, value.script)
    }
    refused = nil
  }

  /// The member of an object that a type asks for.
  func member(_ name: String, of value: RecordedValue) -> RecordedValue {
    value.member(style?.name(for: name) ?? name)
  }

  /// Chooses one of `count` answers, at least 1, to a question.
  func choose(_ count: Int) -> Int {
    let answer = questions.count < script.count ? script[questions.count] : 0
    questions.append(count)
    return min(answer, count - 1)
  }

  /// Notes that this run asks for a value; throws if it has asked for far too many.
  func ask(for value: RecordedValue) throws {
    valueCount += 1
    guard valueCount < Self.valueLimit else { throw Self.endless }
    if value.touch(inRun: run, script) { touched.append(value) }
  }

  /// Refuses the value of this probe when the type first asks for it. If the type then asks for another kind of value,
  /// it accepts both, and the value is open.
  func require(_ value: RecordedValue, as schema: ValueSchema, _ type: Any.Type) throws {
    guard value === refused else { return }
    guard isRefused else {
      isRefused = true
      throw DecodingError.typeMismatch(type, .init(codingPath: [], debugDescription: "is refused once"))
    }
    if schema.formName != ValueSchema(.any).formName, value.differs(from: schema.formName) { value.isOpen = true }
  }
}
