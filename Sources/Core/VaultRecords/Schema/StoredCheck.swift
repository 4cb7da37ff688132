internal import VaultDocument
internal import VaultSealing

extension ValueSchema {
  /// The first fault in a clear value and its parts, in words that follow its name; nil if it is good.
  func faultWithin(_ value: JSONValue) -> String? {
    if let found = fault(in: value) { return found.reason }
    switch (form, value) {
    case (.list(let rule), .array(let items)): return items.lazy.compactMap(rule.items.faultWithin).first
    case (.object(let rule), .object(let members)):
      for member in rule.members where member.isRequired && members[member.name] == nil {
        return "does not have all required members"
      }
      for (name, value) in members {
        if let reason = rule.value(named: name)?.faultWithin(value) { return reason }
      }
      return nil
    default: return nil
    }
  }
}

/// Checks the members of a record, with sealed values as tokens, against a description.
struct StoredCheck {
  private let kind: String
  private let endsAtFirst: Bool
  /// Whether to report only values that are sealed and should not be, or the other way round.
  private let isAboutSealing: Bool
  private var faults: [RecordError] = []
  private var path = MemberPath.root
  private var goesOn: Bool { !endsAtFirst || faults.isEmpty }

  private init(kind: String, endsAtFirst: Bool, isAboutSealing: Bool) {
    (self.kind, self.endsAtFirst, self.isAboutSealing) = (kind, endsAtFirst, isAboutSealing)
  }

  /// All faults. Unknown members are not reported, because another version may define them.
  static func faults(
    in members: JSONObject, _ schema: ValueSchema, kind: String, aboutSealing: Bool = false
  ) -> [RecordError] {
    var check = StoredCheck(kind: kind, endsAtFirst: false, isAboutSealing: aboutSealing)
    check.value(.object(members), schema)
    return check.faults
  }

  /// Like `faults`, up to the first.
  static func firstFault(in members: JSONObject, _ schema: ValueSchema, kind: String) -> RecordError? {
    var check = StoredCheck(kind: kind, endsAtFirst: true, isAboutSealing: false)
    check.value(.object(members), schema)
    return check.faults.first
  }

  private mutating func fault(
    _ code: RecordError.Code, _ reason: String, ofSealing isOfSealing: Bool = false, underlying: SealingError? = nil
  ) {
    guard isOfSealing || !isAboutSealing else { return }
    faults.append(RecordError(code, reason, path: path.description, underlying: underlying))
  }

  private mutating func value(_ value: JSONValue, _ schema: ValueSchema) {
    guard !schema.isSealed else {
      guard case .string(let text) = value, SealedToken.hasTokenShape(text) else { return clearText() }
      return
    }
    if case .string(let text) = value, SealedToken.hasTokenShape(text) {
      return fault(.wrongType, "is sealed, but it is a readable field of the kind \(kind)", ofSealing: true)
    }
    if !isAboutSealing, let found = schema.fault(in: value) { return fault(found.code, found.reason) }
    switch (schema.form, value) {
    case (.object(let rule), .object(let members)): object(members, rule)
    case (.list(let rule), .array(let items)):
      for (index, item) in items.enumerated() where goesOn { step(.index(index)) { $0.value(item, rule.items) } }
    default: break
    }
  }

  private mutating func clearText() {
    let reason = "must be sealed, but it is clear text"
    fault(.sealing, reason, ofSealing: true, underlying: SealingError(.clearText, reason))
  }

  private mutating func object(_ members: JSONObject, _ rule: ObjectRule) {
    for (name, value) in members where goesOn {
      let index = rule.index(of: name)
      guard let schema = index.map({ rule.members[$0].value }) ?? rule.others else { continue }
      let isRequired = index.map { rule.members[$0].isRequired } ?? false
      step(.member(name)) { $0.value(value, schema, isOptional: !isRequired) }
    }
    for index in rule.members.indices where goesOn && rule.members[index].isRequired {
      let name = rule.members[index].name
      guard members[name] == nil else { continue }
      step(.member(name)) { $0.fault(.missingMember, "is required") }
    }
  }

  /// `null` for an optional member counts as absent.
  private mutating func value(_ value: JSONValue, _ schema: ValueSchema, isOptional: Bool) {
    guard !(value.isNull && isOptional) else { return }
    self.value(value, schema)
  }

  private mutating func step(_ component: MemberPath.Component, _ body: (inout StoredCheck) -> Void) {
    path.components.append(component)
    body(&self)
    path.components.removeLast()
  }
}
