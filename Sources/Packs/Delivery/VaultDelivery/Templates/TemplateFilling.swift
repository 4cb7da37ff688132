public import VaultDocument

extension Template {
  /// Checks that a template has a format, and that each place can hold a value.
  ///
  /// - Throws: ``TemplateFault``.
  public func check(as format: TemplateFormat) throws(TemplateFault) {
    if let syntax = format.syntax { _ = try TemplateFilling(self, syntax) }
  }

  /// The text with values in their places, each escaped for its place. The result is parsed again, and must differ from
  /// the template only in its places.
  ///
  /// - Parameter values: one value for each placeholder, in order.
  /// - Throws: ``TemplateFault`` with the line of a value that cannot be in its place.
  public func filled(as format: TemplateFormat, with values: [TemplateValue]) throws(TemplateFault) -> [UInt8] {
    precondition(values.count == placeholders.count, "each place has a value")
    guard let syntax = format.syntax else {
      let isAddress = format == .url
      return filled { Array((isAddress ? PercentEncoding.encoded(values[$0].text) : values[$0].text).utf8) }
    }
    return try TemplateFilling(self, syntax).filled(with: values)
  }
}

extension TemplateFormat {
  fileprivate var syntax: (any TemplateSyntax)? {
    switch self {
    case .raw, .url: nil
    case .json: JSONTemplate()
    case .yaml: YAMLTemplate()
    case .toml: TOMLTemplate()
    case .ini: INITemplate()
    case .env: EnvironmentTemplate()
    case .shell: ShellTemplate()
    case .xml: XMLTemplate()
    }
  }
}

/// A template of a format, with marks in place of its values.
private struct TemplateFilling {
  private static let countLimit = 1000

  private let template: Template
  private let syntax: any TemplateSyntax
  private let marks: TemplateMarks
  private let places: [TemplatePlace]
  private let standIns: [[UInt8]]
  private let parts: [TemplateToken]

  init(_ template: Template, _ syntax: any TemplateSyntax) throws(TemplateFault) {
    guard template.placeholders.count <= Self.countLimit else {
      throw TemplateFault(line: nil, "the template has more than \(Self.countLimit) places")
    }
    let marks = TemplateMarks(for: template)
    (self.template, self.syntax, self.marks) = (template, syntax, marks)
    var places: [TemplatePlace] = []
    for (index, place) in try syntax.places(in: template, marks: marks).enumerated() {
      guard let place else { throw Self.noPlace(template.placeholders[index].line, syntax) }
      places.append(place)
    }
    self.places = places
    let standIns = marks.indices.map { Array(syntax.standIn(marks[$0], at: places[$0]).utf8) }
    self.standIns = standIns
    parts = try syntax.tokens(of: template.filled { standIns[$0] })
    let found = Set(parts.flatMap { marks.numbers(in: $0.text) })
    if let lost = marks.indices.first(where: { !found.contains($0) }) {
      throw Self.noPlace(template.placeholders[lost].line, syntax)
    }
  }

  private static func noPlace(_ line: Int, _ syntax: any TemplateSyntax) -> TemplateFault {
    TemplateFault(
      line: line, "the place is in a comment, a name, or another part of \(syntax.name) that cannot hold a value")
  }

  func filled(with values: [TemplateValue]) throws(TemplateFault) -> [UInt8] {
    var written: [[UInt8]] = []
    for (index, value) in values.enumerated() {
      do throws(TemplateFault) {
        written.append(Array(try syntax.written(value, at: places[index]).utf8))
      } catch {
        throw TemplateFault(line: template.placeholders[index].line, error.reason)
      }
    }
    let result = template.filled { written[$0] }
    if fits(result, values: values, given: Set(values.indices)) { return result }
    // The text is right with the first `good` values, and wrong with the first `bad` ones.
    var (good, bad) = (0, values.count)
    while bad - good > 1 {
      let half = (good + bad) / 2
      let isGood = fits(
        template.filled { $0 < half ? written[$0] : standIns[$0] }, values: values, given: Set(0..<half))
      (good, bad) = isGood ? (half, bad) : (good, half)
    }
    throw TemplateFault(
      line: template.placeholders[good].line,
      "the value would change the meaning of \(syntax.name): put the place between double quotes")
  }

  /// Whether a text is the template with these values, and marks for the others.
  private func fits(_ text: [UInt8], values: [TemplateValue], given: Set<Int>) -> Bool {
    guard let found = try? syntax.tokens(of: text) else { return false }
    return TemplateToken.same(found, parts.map { expected($0, values: values, given: given) })
  }

  private func expected(_ part: TemplateToken, values: [TemplateValue], given: Set<Int>) -> TemplateToken {
    guard marks.areIn(part.text) else { return part }
    var (result, index) = (part, 0)
    result.text = []
    while index < part.text.count {
      guard let (number, end) = marks.number(in: part.text, at: index), given.contains(number) else {
        result.text.append(part.text[index])
        index += 1
        continue
      }
      if syntax.hasTypes, places[number] == .bare { result.isTyped = !values[number].isText }
      result.text += Array(syntax.meaning(of: values[number], at: places[number]).utf8)
      index = end
    }
    return result
  }
}
