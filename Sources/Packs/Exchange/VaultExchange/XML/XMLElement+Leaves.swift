internal import VaultMarkup

/// A text or an attribute of a document.
struct XMLLeaf {
  let element: XMLElement
  /// The name of the attribute; nil for the text.
  let attribute: String?
  let path: String

  var text: String { attribute.flatMap { element[attribute: $0] } ?? (attribute == nil ? element.text : "") }
  var place: SourcePlace { SourcePlace(line: element.line, path: path) }

  /// A line with an outcome; empty where there is nothing.
  func line(_ outcome: LedgerLine.Outcome) -> LedgerLine { LedgerLine(place, text.isEmpty ? .empty : outcome) }
}

extension XMLElement {
  /// What is directly below it, with the path of each.
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

  /// Its attributes, and its text where it has one or nothing is in it.
  func ownLeaves(at path: String) -> [XMLLeaf] {
    let own = attributes.map { XMLLeaf(element: self, attribute: $0.name, path: "\(path)@\($0.name)") }
    return own + (children.isEmpty || !text.isEmpty ? [XMLLeaf(element: self, attribute: nil, path: path)] : [])
  }

  /// All attributes and texts in it; an element with nothing in it is a text too, an empty one.
  func leaves(at path: String) -> [XMLLeaf] {
    ownLeaves(at: path) + childPaths(below: path).flatMap { $0.element.leaves(at: $0.path) }
  }

  /// A line for each leaf in it.
  func lines(at path: String, _ outcome: LedgerLine.Outcome) -> [LedgerLine] {
    leaves(at: path).map { $0.line(outcome) }
  }

  /// The lines of what it has beside the elements in it, though the format knows no such thing.
  func ownLines(at path: String) -> [LedgerLine] {
    ownLeaves(at: path).map { $0.line(.refused("the format has no text or attribute here")) }
  }
}
