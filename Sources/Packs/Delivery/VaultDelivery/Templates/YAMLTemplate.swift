internal import VaultDocument
internal import VaultMarkup

/// YAML, parsed with libyaml and compared event by event.
struct YAMLTemplate: TemplateSyntax {
  let name = "YAML"
  let hasTypes = true

  func places(in template: Template, marks: TemplateMarks) throws(TemplateFault) -> [TemplatePlace?] {
    let events = try events(of: template.filled { Array(marks[$0].utf8) })
    let names = Self.names(in: events)
    let indices = events.indices.filter { events[$0].kind == .scalar }
    let scalars = indices.map { events[$0] }
    // Both are in the order of the text, apart from marks outside scalars.
    var rest = scalars[...]
    return marks.indices.map { index in
      let mark = marks[index]
      guard let found = rest.firstIndex(where: { $0.text.contains(mark) }) else { return nil }
      rest = rest[found...]
      guard !names.contains(indices[found]) else { return nil }
      switch scalars[found].style {
      case .doubleQuoted: return .doubleQuotes
      case .singleQuoted: return .singleQuotes
      case .literal: return indentation(before: index, in: template).map { .block(indentation: $0) } ?? .beside
      case .plain: return scalars[found].text == mark ? .bare : .beside
      default: return .beside
      }
    }
  }

  /// The scalars that are map keys, or parts of one, by event index.
  private static func names(in events: [YAMLEvents.Event]) -> Set<Int> {
    var names: Set<Int> = []
    var stack: [(isMap: Bool, count: Int, isName: Bool)] = []
    for (index, event) in events.enumerated() {
      switch event.kind {
      case .mappingEnd, .sequenceEnd: stack.removeLast()
      case .scalar, .alias, .mappingStart, .sequenceStart:
        let above = stack.last
        let isName = above.map { $0.isName || $0.isMap && $0.count.isMultiple(of: 2) } ?? false
        if above != nil { stack[stack.count - 1].count += 1 }
        if isName { names.insert(index) }
        if event.kind == .mappingStart || event.kind == .sequenceStart {
          stack.append((event.kind == .mappingStart, 0, isName))
        }
      default: break
      }
    }
    return names
  }

  /// The indentation of a place at the start of its line; nil if there is other text before it.
  private func indentation(before index: Int, in template: Template) -> [UInt8]? {
    let blanks = template.texts[index].reversed().prefix { $0 == UInt8(ascii: " ") }
    let isLineStart = template.texts[index].dropLast(blanks.count).last == UInt8(ascii: "\n")
    return isLineStart && !blanks.isEmpty ? Array(blanks) : nil
  }

  func written(_ value: TemplateValue, at place: TemplatePlace) throws(TemplateFault) -> String {
    switch place {
    case .bare: return value.isText ? "\"\(value.text.quotedContent)\"" : value.text
    case .doubleQuotes: return value.text.quotedContent
    case .singleQuotes:
      guard !value.text.hasControls else {
        throw TemplateFault("the value has line ends or control characters: put the place between double quotes")
      }
      return value.text.replacing("'", with: "''")
    case .beside:
      guard !value.text.hasControls else {
        throw TemplateFault("the value has line ends or control characters: put the place between double quotes")
      }
      return value.text
    case .block(let indentation):
      let text = meaning(of: value, at: place)
      return text.split(separator: "\n", omittingEmptySubsequences: false).joined(
        separator: "\n" + String(decoding: indentation, as: UTF8.self))
    }
  }

  /// The line end of a block scalar ends its last line.
  func meaning(of value: TemplateValue, at place: TemplatePlace) -> String {
    guard case .block = place, value.text.utf8.last == UInt8(ascii: "\n") else { return value.text }
    return String(decoding: value.text.utf8.dropLast(), as: UTF8.self)
  }

  func tokens(of text: [UInt8]) throws(TemplateFault) -> [TemplateToken] {
    try events(of: text).map { event in
      let mark = "\(event.kind) \(event.hasAnchor) \(event.tag ?? "")"
      guard event.kind == .scalar else { return TemplateToken(mark: mark) }
      return TemplateToken(
        mark: mark, text: Array(event.text.utf8), isTyped: event.isPlain && event.text.mayBeTypedInYAML)
    }
  }

  private func events(of text: [UInt8]) throws(TemplateFault) -> [YAMLEvents.Event] {
    do throws(MarkupError) {
      var (events, reader) = ([YAMLEvents.Event](), try YAMLEvents(text))
      repeat { events.append(try reader.next()) } while events.last?.kind != .streamEnd
      return events
    } catch {
      throw TemplateFault(line: error.line, error.reason)
    }
  }
}
