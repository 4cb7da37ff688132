extension JSONValue {
  /// The value at a path.
  /// - Throws: `.noSuchMember` with the path up to the step that leads to nothing.
  public func value(at path: MemberPath) throws(DocumentError) -> JSONValue {
    var value = self
    for (index, component) in path.components.enumerated() {
      guard let next = value.child(component) else {
        throw DocumentError(code: .noSuchMember, path: path.prefix(index + 1))
      }
      value = next
    }
    return value
  }

  package func hasValue(at path: MemberPath) -> Bool {
    var value = self
    for component in path.components {
      guard let next = value.child(component) else { return false }
      value = next
    }
    return true
  }

  /// Puts a value at a path and makes the missing objects on the way.
  ///
  /// An index may replace an item, or append one if it equals the count; an index into nothing makes an array.
  /// - Throws: `.invalidPath` for the document itself, `.wrongType` if a value on the way has another type than the
  ///   path needs, `.noSuchMember` for an index past the count, `.duplicateMember` if the object has a canonically
  ///   equivalent name, `.tooDeep` if the limits would be exceeded.
  public mutating func set(_ value: JSONValue, at path: MemberPath) throws(DocumentError) {
    guard !path.components.isEmpty else { throw DocumentError(code: .invalidPath, path: path.description) }
    guard path.components.count < JSONLimits.record.depth else { throw DocumentError(code: .tooDeep) }
    try edit(path, from: 0, with: value)
  }

  /// Removes the member or item at a path; later items move up.
  /// - Throws: `.noSuchMember`, `.invalidPath` for the document itself.
  public mutating func remove(at path: MemberPath) throws(DocumentError) {
    guard !path.components.isEmpty else { throw DocumentError(code: .invalidPath, path: path.description) }
    _ = try value(at: path)
    guard path.components.count < JSONLimits.record.depth else { throw DocumentError(code: .tooDeep) }
    try edit(path, from: 0, with: nil)
  }

  private func child(_ component: MemberPath.Component) -> JSONValue? {
    switch (self, component) {
    case (.object(let object), .member(let name)): object[name]
    case (.array(let items), .index(let index)): items.indices.contains(index) ? items[index] : nil
    default: nil
    }
  }

  /// Follows the path from one of its steps. A nil value removes; the caller has seen that the path leads to a
  /// value. After an error the tree is unchanged.
  private mutating func edit(_ path: MemberPath, from step: Int, with value: JSONValue?) throws(DocumentError) {
    guard step < path.components.count else {
      if let value { self = value }
      return
    }
    let isLast = step == path.components.count - 1
    switch (path.components[step], self) {
    case (.member(let name), .object(var object)):
      self = .null  // the only reference, so that the members are not copied
      defer { self = .object(object) }
      if isLast, value == nil { return object[name] = nil }
      if object[name] == nil, object.equivalentName(to: name) != nil {
        throw DocumentError(code: .duplicateMember, path: path.prefix(step + 1))
      }
      var child = object[name] ?? path.emptyContainer(forStep: step + 1)
      try child.edit(path, from: step + 1, with: value)
      object[name] = child
    case (.index(let index), .array(var items)):
      guard index <= items.count else { throw DocumentError(code: .noSuchMember, path: path.prefix(step + 1)) }
      self = .null
      defer { self = .array(items) }
      if isLast, value == nil { return _ = items.remove(at: index) }
      var child = index < items.count ? items[index] : path.emptyContainer(forStep: step + 1)
      try child.edit(path, from: step + 1, with: value)
      if index < items.count { items[index] = child } else { items.append(child) }
    default: throw DocumentError(code: .wrongType, path: path.prefix(step))
    }
  }
}

extension JSONValue {
  /// Every scalar and every empty object or array, with its path.
  public func leaves(at path: MemberPath = .root) -> [(MemberPath, JSONValue)] {
    switch self {
    case .object(let members) where !members.isEmpty:
      members.flatMap { $0.value.leaves(at: path.appending($0.name)) }
    case .array(let items) where !items.isEmpty:
      items.enumerated().flatMap { $1.leaves(at: path.appending($0)) }
    default: [(path, self)]
    }
  }

  /// Calls `body` for every string of the tree, except member names, with its path.
  public func forEachString<E: Error>(_ body: (MemberPath, String) throws(E) -> Void) throws(E) {
    var path = MemberPath.root
    try forEachString(&path, body)
  }

  /// Whether every string of the tree satisfies `isGood`; it stops at the first that does not.
  public func allStrings(satisfy isGood: (String) -> Bool) -> Bool {
    switch self {
    case .string(let text): return isGood(text)
    case .array(let items): return items.allSatisfy { $0.allStrings(satisfy: isGood) }
    case .object(let object):
      for index in object.members.indices where !object.members[index].value.allStrings(satisfy: isGood) {
        return false
      }
      return true
    case .null, .bool, .number: return true
    }
  }

  /// - Parameter path: that of this value; the same again afterwards, except after an error.
  private func forEachString<E: Error>(
    _ path: inout MemberPath, _ body: (MemberPath, String) throws(E) -> Void
  ) throws(E) {
    switch self {
    case .string(let text): try body(path, text)
    case .array(let items):
      for (index, item) in items.enumerated() {
        path.components.append(.index(index))
        try item.forEachString(&path, body)
        path.components.removeLast()
      }
    case .object(let object):
      for index in object.members.indices {
        path.components.append(.member(object.members[index].name))
        try object.members[index].value.forEachString(&path, body)
        path.components.removeLast()
      }
    case .null, .bool, .number: break
    }
  }

  /// Replaces every string of the tree, except member names, by the result of `body`. After an error the tree is
  /// unchanged.
  public mutating func mapStrings<E: Error>(_ body: (MemberPath, String) throws(E) -> String) throws(E) {
    var path = MemberPath.root
    self = try mappingStrings(&path, body)
  }

  private func mappingStrings<E: Error>(
    _ path: inout MemberPath, _ body: (MemberPath, String) throws(E) -> String
  ) throws(E) -> JSONValue {
    switch self {
    case .string(let text): return .string(try body(path, text))
    case .array(var items):
      for index in items.indices {
        path.components.append(.index(index))
        items[index] = try items[index].mappingStrings(&path, body)
        path.components.removeLast()
      }
      return .array(items)
    case .object(let object):
      var members = object.members
      for index in members.indices {
        path.components.append(.member(members[index].name))
        members[index].value = try members[index].value.mappingStrings(&path, body)
        path.components.removeLast()
      }
      return .object(JSONObject(sorted: members))
    case .null, .bool, .number: return self
    }
  }
}

extension MemberPath {
  /// The written form of the first steps.
  fileprivate func prefix(_ count: Int) -> String { MemberPath(Array(components.prefix(count))).description }

  /// The container for a missing step: an array for an index, else an object.
  fileprivate func emptyContainer(forStep step: Int) -> JSONValue {
    guard step < components.count else { return .null }
    if case .index = components[step] { return .array([]) }
    return .object(JSONObject())
  }
}
