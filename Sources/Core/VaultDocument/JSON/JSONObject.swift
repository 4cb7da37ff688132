/// The members of a JSON object, kept sorted by the raw UTF-8 bytes of their names.
///
/// Names are looked up by bytes, never by canonical equivalence. No two names are equal. The parser, `init(_:)` and the
/// writer refuse canonically equivalent names.
public struct JSONObject: Sendable, Equatable {
  /// One member.
  public typealias Element = (name: String, value: JSONValue)

  private(set) var members: [Element]

  /// An object without members.
  public init() { members = [] }

  /// Takes members that the parser has sorted and checked.
  init(sorted members: [Element]) { self.members = members }

  /// Takes members whose names are ASCII and ascend by bytes.
  public init(ascending members: [Element]) {
    for index in members.indices.dropFirst() {
      // A list in source code that is out of order is a mistake of that code.
      precondition(precedesInBytes(members[index - 1].name, members[index].name), "names must ascend")
    }
    self.members = members
  }

  /// Takes members in any order.
  /// - Throws: `.duplicateMember` if two names are equal or canonically equivalent.
  public init(_ members: [(String, JSONValue)]) throws(DocumentError) {
    let sorted = members.map { (name: $0.0, value: $0.1) }.sorted { precedesInBytes($0.name, $1.name) }
    self.members = sorted
    guard hasDistinctNames else { throw DocumentError(code: .duplicateMember) }
  }

  /// The value of the member with exactly these name bytes; setting nil removes the member.
  public subscript(name: String) -> JSONValue? {
    get { index(of: name).map { members[$0].value } }
    set {
      let index = lowerBound(of: name)
      let isPresent = index < members.count && sameBytes(members[index].name, name)
      switch (newValue, isPresent) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert((name, value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// These members with the values transformed; members whose transformed value is nil are left out.
  package func compactMapValues<E: Error>(
    _ transform: (String, JSONValue) throws(E) -> JSONValue?
  ) throws(E) -> JSONObject {
    var kept: [Element] = []
    kept.reserveCapacity(members.count)
    for index in members.indices {
      guard let value = try transform(members[index].name, members[index].value) else { continue }
      kept.append((members[index].name, value))
    }
    return JSONObject(sorted: kept)
  }

  /// These members and one more.
  ///
  /// - Precondition: no member has its name.
  package func adding(_ name: String, _ value: JSONValue) -> JSONObject {
    let position = lowerBound(of: name)
    precondition(position == members.count || !sameBytes(members[position].name, name), "the name must be new")
    var all: [Element] = []
    all.reserveCapacity(members.count + 1)
    all += members[..<position]
    all.append((name, value))
    all += members[position...]
    return JSONObject(sorted: all)
  }

  /// The names, sorted by bytes.
  public var names: [String] { members.map(\.name) }

  /// Whether both have the same names and values.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.count == right.members.count
      && zip(left.members, right.members).allSatisfy { sameBytes($0.name, $1.name) && $0.value == $1.value }
  }

  /// Up to this many members are searched in turn, because most names already differ in length.
  private static let shortCount = 24

  private func index(of name: String) -> Int? {
    guard members.count <= Self.shortCount else {
      let index = lowerBound(of: name)
      return index < members.count && sameBytes(members[index].name, name) ? index : nil
    }
    for index in members.indices where sameBytes(members[index].name, name) { return index }
    return nil
  }

  /// The first index whose name is not before `name`.
  private func lowerBound(of name: String) -> Int {
    // Objects are mostly built in the order of their names.
    if let last = members.last, precedesInBytes(last.name, name) { return members.count }
    var range = members.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if precedesInBytes(members[middle].name, name) {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}

extension JSONObject {
  /// Whether no two names are equal or canonically equivalent.
  var hasDistinctNames: Bool {
    var isASCII = true
    for (index, member) in members.enumerated() {
      if index > 0, sameBytes(members[index - 1].name, member.name) { return false }
      isASCII = isASCII && member.name.utf8.allSatisfy { $0 < 0x80 }
    }
    return isASCII || !CanonicalNames.collide(members)
  }

  /// The name in this object that is canonically equivalent to `name`; nil if there is no such name.
  func equivalentName(to name: String) -> String? {
    if index(of: name) != nil { return name }
    // A name that is not ASCII may be equivalent to an ASCII name, such as the KELVIN SIGN to K. ASCII names never are.
    if name.utf8Span.isKnownASCII, members.allSatisfy({ $0.name.utf8Span.isKnownASCII }) { return nil }
    let key = CanonicalNames.key(for: name)
    return members.first { CanonicalNames.key(for: $0.name) == key }?.name
  }

  mutating func mapValues(_ transform: (String, inout JSONValue) throws(DocumentError) -> Void) throws(DocumentError) {
    for index in members.indices { try transform(members[index].name, &members[index].value) }
  }
}

extension JSONObject: RandomAccessCollection {
  /// The first position.
  public var startIndex: Int { 0 }

  /// The position after the last member.
  public var endIndex: Int { members.count }

  /// The member at a position, in the order of names.
  public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of members, never their content.
  public var description: String { "JSON object with \(count) member\(count == 1 ? "" : "s")" }

  /// The same placeholder as `description`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
