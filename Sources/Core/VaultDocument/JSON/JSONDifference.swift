extension JSONValue {
  /// This tree with only the difference from `base` to `new` applied (format 1, section 6, Records).
  ///
  /// With base = encode(decode(old)) and new = encode(changed), this is the old tree. Values that are equal in base and
  /// new keep the old literal. Members that base does not know stay, and members that new lost are removed. Arrays of
  /// equal length are compared item by item, others as a whole.
  public func applying(differenceFrom base: JSONValue, to new: JSONValue) -> JSONValue {
    switch (self, base, new) {
    case (.object(let old), .object(let base), .object(let new)):
      return .object(old.applying(differenceFrom: base, to: new))
    case (.array(let old), .array(let base), .array(let new)) where old.count == base.count && base.count == new.count:
      return .array(old.indices.map { old[$0].applying(differenceFrom: base[$0], to: new[$0]) })
    default:
      return base == new ? self : new
    }
  }
}

extension JSONValue {
  /// The rest of a value after `base` is removed; nil if base was the whole value.
  fileprivate func removing(_ base: JSONValue) -> JSONValue? {
    guard case .object(let old) = self, case .object(let base) = base else { return nil }
    let rest = old.removing(base)
    return rest.isEmpty ? nil : .object(rest)
  }

  fileprivate var emptyObject: JSONValue? {
    if case .object = self { .object(JSONObject()) } else { nil }
  }
}

extension JSONObject {
  /// Names that are canonically equivalent are one member, and its spelling here stays.
  fileprivate func applying(differenceFrom base: JSONObject, to new: JSONObject) -> JSONObject {
    let spelling = NameSpelling(of: self, comparedWith: base, new)
    var result = self
    for member in base.members where new[member.name] == nil {
      let name = spelling.own(member.name)
      result[name] = self[name]?.removing(member.value)
    }
    for member in new.members {
      let before = base[member.name]
      if let before, before == member.value { continue }
      let name = spelling.own(member.name)
      // The old tree may have an object that base lacks, with members that base does not know.
      if let old = self[name], let before = before ?? member.value.emptyObject {
        result[name] = old.applying(differenceFrom: before, to: member.value)
      } else {
        result[name] = member.value
      }
    }
    return result
  }

  /// The members that base does not know.
  fileprivate func removing(_ base: JSONObject) -> JSONObject {
    let spelling = NameSpelling(of: self, comparedWith: base)
    var result = self
    for member in base.members {
      let name = spelling.own(member.name)
      result[name] = self[name]?.removing(member.value)
    }
    return result
  }

  fileprivate var hasASCIINames: Bool { members.allSatisfy { $0.name.utf8Span.isKnownASCII } }
}

/// Finds the spelling of a name in an object if another object has it in other bytes.
///
/// A decoder finds a member by canonical equivalence, and the encoder writes its own spelling: both are one member.
private struct NameSpelling {
  private var spellings: [String: String]?

  init(of object: JSONObject, comparedWith others: JSONObject...) {
    // An ASCII name is equivalent only to itself and to names that are not ASCII.
    guard !([object] + others).allSatisfy(\.hasASCIINames) else { return }
    let pairs = object.members.map { (CanonicalNames.key(for: $0.name), $0.name) }
    spellings = Dictionary(pairs) { first, _ in first }
  }

  func own(_ name: String) -> String { spellings?[CanonicalNames.key(for: name)] ?? name }
}
