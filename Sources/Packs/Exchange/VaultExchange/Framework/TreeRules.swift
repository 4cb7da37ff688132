internal import VaultDocument

/// The treatment of the members of an entry that is a tree: rules by path.
///
/// In a path, `[]` stands for any item of a list: `login.uris[].uri`. A value without a rule is kept under its path in
/// the entry. It is sealed, unless the path is listed as readable.
struct TreeRules: Sendable {
  /// Takes a whole subtree, and writes a line for each leaf.
  typealias Subtree = @Sendable (_ builder: inout RecordBuilder, _ value: JSONValue, _ place: SourcePlace) -> Void

  var leaves: [String: LeafRule]
  var subtrees: [String: Subtree] = [:]
  /// Paths of values that go under `fields`.
  var readable: Set<String> = []
}

extension RecordBuilder {
  mutating func take(_ entry: JSONValue, at place: SourcePlace, by rules: TreeRules) {
    take(entry, at: .root, pattern: "", in: place, by: rules)
  }

  private mutating func take(
    _ value: JSONValue, at path: MemberPath, pattern: String, in place: SourcePlace, by rules: TreeRules
  ) {
    if let subtree = rules.subtrees[pattern], !value.isNull { return subtree(&self, value, place.below(path)) }
    guard value.isLeaf else {
      for (component, child) in value.children {
        take(
          child, at: MemberPath(path.components + [component]), pattern: pattern.appending(component), in: place,
          by: rules)
      }
      return
    }
    let name = path.description
    let rule = rules.leaves[pattern] ?? (rules.readable.contains(pattern) ? .field(name) : .secret(name))
    take(value.leafText, from: place.below(path), by: rule)
  }
}

extension SourcePlace {
  /// The same line, at a path below this one.
  func below(_ path: MemberPath) -> SourcePlace {
    let rest = path.description
    if self.path.isEmpty { return at(rest) }
    return at(rest.isEmpty ? self.path : rest.hasPrefix("[") ? self.path + rest : "\(self.path).\(rest)")
  }

  func below(_ name: String) -> SourcePlace { below(MemberPath([.member(name)])) }
  func below(_ index: Int) -> SourcePlace { below(MemberPath([.index(index)])) }
}

extension String {
  fileprivate func appending(_ component: MemberPath.Component) -> String {
    switch component {
    case .member(let name): isEmpty ? name : "\(self).\(name)"
    case .index: self + "[]"
    }
  }
}
