internal import VaultMarkup

struct XMLLeaf {
  let element: XMLElement
  /// The name of the attribute; nil for the text.
  let attribute: String?
  let path: String

  var text: String { attribute.flatMap { element[attribute: $0] } ?? (attribute == nil ? element.text : "") }
  var place: SourcePlace { SourcePlace(line: element.line, path: path) }

  /// The line with an outcome; empty if the leaf is empty.
  func line(_ outcome: LedgerLine.Outcome) -> LedgerLine { LedgerLine(place, text.isEmpty ? .empty : outcome) }
}

extension XMLElement {
  func childPaths(below path: String) -> [(element: XMLElement, path: String)] {
    var totals: [String: Int] = [:]
    for child in children { totals[child.name, default: 0] += 1 }
    var counts: [String: Int] = [:]
    return children.map { child in
      counts[child.name, default: 0] += 1
      let isOnly = totals[child.name] == 1 && child.name != "Entry"
      let name = isOnly ? child.name : "\(child.name)[\(counts[child.name] ?? 1)]"
      return (child, path.isEmpty ? name : "\(path)/\(name)")
    }
  }

  /// The attributes, and the text if there is any or if the element is empty.
  func ownLeaves(at path: String) -> [XMLLeaf] {
    let own = attributes.map { XMLLeaf(element: self, attribute: $0.name, path: "\(path)@\($0.name)") }
    return own + (children.isEmpty || !text.isEmpty ? [XMLLeaf(element: self, attribute: nil, path: path)] : [])
  }

  /// All attributes and texts inside. An empty element counts as an empty text.
  func leaves(at path: String) -> [XMLLeaf] {
    ownLeaves(at: path) + childPaths(below: path).flatMap { $0.element.leaves(at: $0.path) }
  }

  func lines(at path: String, _ outcome: LedgerLine.Outcome) -> [LedgerLine] {
    leaves(at: path).map { $0.line(outcome) }
  }

  /// The lines of attributes and text that the format does not define.
  func ownLines(at path: String) -> [LedgerLine] {
    ownLeaves(at: path).map { $0.line(.refused("the format has no text or attribute here")) }
  }
}
