package import VaultDocument
package import VaultTerminal

/// One thing that a command says: rows for eyes, and a member of the document of `--json`.
package struct Fact {
  fileprivate let rows: [(label: String, text: String)]
  fileprivate let json: (name: String, value: any DocumentValue)

  /// Rows of several labels, and a member.
  package init(rows: [(String, String)], name: String, value: some DocumentValue) {
    (self.rows, json) = (rows, (name, value))
  }

  /// A row for each text, and a member, which has the label's name if it has no other.
  package init(_ label: String, _ texts: [String], name: String? = nil, value: some DocumentValue) {
    self.init(rows: texts.map { (label, $0) }, name: name ?? label, value: value)
  }

  /// A row, unless there is no text, and a member.
  package init(_ label: String, _ text: String?, name: String? = nil, value: some DocumentValue) {
    self.init(label, text.map { [$0] } ?? [], name: name, value: value)
  }

  /// A row, unless there is no text, and the text as a member.
  package init(_ label: String, _ text: String?, name: String? = nil) {
    self.init(label, text, name: name, value: text)
  }

  /// A member alone.
  package static func member(_ name: String, _ value: some DocumentValue) -> Fact {
    Fact(rows: [], name: name, value: value)
  }
}

extension [Fact] {
  /// Prints the rows, or the document of `--json`.
  package func print(_ global: GlobalOptions) throws {
    guard global.json else {
      return try Output.lines(
        flatMap(\.rows).map { Printable.padded($0.label + ":", to: 12) + " " + Printable.text($0.text) })
    }
    var members = JSONObject()
    for fact in self { members[fact.json.name] = fact.json.value.document }
    try Output.write(JSONValue.document(of: members).prettyBytes(limits: .exchange))
  }
}
