extension JSONValue {
  /// `T` of this tree, the encoding that MACs and hashes cover (format 1, section 1.2, Trees).
  ///
  /// null `00`; false `01`; true `02`; number `03` LP(literal); string `04` LP(UTF-8); array `05` count, items; object
  /// `06` count, members sorted by the raw UTF-8 of their names, each LP(name) T(value).
  public func canonicalBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    appendCanonical(to: &bytes)
    return bytes
  }

  /// Appends `T` of this tree, of any depth.
  public func appendCanonical(to bytes: inout [UInt8]) { appendCanonical(to: &bytes, depth: 0) }

  /// Trees deeper than this, which no valid document is, are walked with an explicit stack.
  private static let recursionDepth = 256

  fileprivate func appendCanonical(to bytes: inout [UInt8], depth: Int) {
    guard depth < Self.recursionDepth else { return appendDeepCanonical(to: &bytes) }
    appendCanonicalHead(to: &bytes)
    switch self {
    case .null, .bool, .number, .string: break
    case .array(let items):
      for index in items.indices { items[index].appendCanonical(to: &bytes, depth: depth + 1) }
    case .object(let object):
      // By index here and below: binding a member to a name would copy it, with reference counting.
      for index in object.members.indices {
        bytes.appendPrefixed(object.members[index].name.utf8Span.span)
        object.members[index].value.appendCanonical(to: &bytes, depth: depth + 1)
      }
    }
  }

  /// Appends the part before the items or members; for any other value this is the whole encoding.
  @inline(__always)
  private func appendCanonicalHead(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(0x00)
    case .bool(let flag): bytes.append(flag ? 0x02 : 0x01)
    case .number(let number): bytes.appendTagged(0x03, number.literal)
    case .string(let text): bytes.appendTagged(0x04, text)
    case .array(let items):
      bytes.append(0x05)
      bytes.appendCount(items.count)
    case .object(let object):
      bytes.append(0x06)
      bytes.appendCount(object.count)
    }
  }

  /// Like `appendCanonical(to:)`, without recursion.
  private func appendDeepCanonical(to bytes: inout [UInt8]) {
    var open: [CanonicalCursor] = []
    var next: JSONValue? = self
    while let value = next {
      value.appendCanonicalHead(to: &bytes)
      switch value {
      case .null, .bool, .number, .string: break
      case .array(let items): open.append(.items(items, next: 0))
      case .object(let object): open.append(.members(object, next: 0))
      }
      next = CanonicalCursor.advance(&open, namesTo: &bytes)
    }
  }
}

extension JSONObject {
  /// Appends `T` of this object without some of its members.
  func appendCanonical(to bytes: inout [UInt8], leavingOut names: [String]) {
    let countOffset = bytes.count + 1
    var count = 0
    bytes.append(0x06)
    bytes.appendCount(0)
    for index in members.indices where !names.contains(where: { sameBytes($0, members[index].name) }) {
      bytes.appendPrefixed(members[index].name.utf8Span.span)
      members[index].value.appendCanonical(to: &bytes, depth: 1)
      count += 1
    }
    bytes.setCount(count, at: countOffset)
  }
}

extension [UInt8] {
  @inline(__always)
  fileprivate mutating func appendTagged(_ tag: UInt8, _ text: String) {
    append(tag)
    appendPrefixed(text.utf8Span.span)
  }
}

/// A container whose children are being encoded.
private enum CanonicalCursor {
  case items([JSONValue], next: Int)
  case members(JSONObject, next: Int)

  /// The next value to encode, after its name was written. Finished containers are removed.
  static func advance(_ open: inout [CanonicalCursor], namesTo bytes: inout [UInt8]) -> JSONValue? {
    while let innermost = open.popLast() {
      switch innermost {
      case .items(let items, let next) where next < items.count:
        open.append(.items(items, next: next + 1))
        return items[next]
      case .members(let object, let next) where next < object.count:
        open.append(.members(object, next: next + 1))
        bytes.appendPrefixed(object[next].name.utf8Span.span)
        return object[next].value
      default: continue
      }
    }
    return nil
  }
}
