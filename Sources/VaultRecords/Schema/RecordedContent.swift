internal import Synchronization

/// The members of a type, learned from its own `init(from:)`: which keys it asks for, as which types, and whether it
/// can do without.
struct RecordedContent: Sendable {
  let members: [MemberSchema]
  /// Where the type refused the values that it was given, so that nothing is known of what comes after; nil where it
  /// took all of them.
  let failure: String?

  private static let known = Mutex<[ObjectIdentifier: RecordedContent]>([:])

  /// What `type` asks a decoder for.
  init(of type: any Decodable.Type) {
    let id = ObjectIdentifier(type)
    if let known = Self.known.withLock({ $0[id] }) {
      self = known
    } else {
      self.init(recording: type)
      Self.known.withLock { [self] in $0[id] = self }
    }
  }

  private init(recording type: any Decodable.Type) {
    let root = RecordedValue()
    do {
      _ = try type.init(from: SchemaRecorder(root))
      failure = nil
    } catch {
      failure = root.lastPath
    }
    members = root.schema?.objectMembers ?? []
  }
}

extension ValueSchema {
  fileprivate var objectMembers: [MemberSchema]? {
    if case .object(let rule) = form { rule.inOrder } else { nil }
  }
}

extension RecordedContent {
  /// The members, if all of them are known, else none.
  var whole: [MemberSchema] { failure == nil ? members : [] }

  /// Why the members of a type that describes none are not known; nil where they are.
  static func fault(of type: any VaultRecord.Type) -> RecordError? {
    guard type.content.isEmpty, let failure = RecordedContent(of: type).failure else { return nil }
    return RecordError(
      .invalidValue, "of \(type) cannot be learned, since the type takes no such value: say them in `content`",
      path: failure.isEmpty ? "content" : failure)
  }

  /// Compares what a type reads with how it is described.
  ///
  /// - Throws: ``RecordError`` of the first difference.
  func compare(with content: [MemberSchema], of type: any VaultRecord.Type) throws(RecordError) {
    try Self.compare(ObjectRule(members), with: ObjectRule(content), below: "", failure == nil)
  }

  private static func compare(
    _ read: ObjectRule, with described: ObjectRule, below path: String, _ isWhole: Bool
  ) throws(RecordError) {
    func fault(_ name: String, _ reason: String) -> RecordError {
      RecordError(.invalidValue, reason, path: path + name)
    }
    for member in read.inOrder {
      guard let other = described.value(named: member.name) else {
        throw fault(member.name, "is read by the type and not described")
      }
      guard other.isSealed == member.value.isSealed else {
        throw fault(
          member.name,
          other.isSealed
            ? "is described as sealed, and the type reads it in clear" : "is sealed, and described as readable")
      }
      if member.isRequired, described.member(named: member.name)?.isRequired == false {
        throw fault(member.name, "is required by the type and not by its description")
      }
      if !member.value.isSealed, case .object(let mine) = member.value.form, case .object(let theirs) = other.form {
        try compare(mine, with: theirs, below: path + member.name + ".", isWhole)
      } else if !member.value.isSealed, member.value.formName != other.formName {
        throw fault(member.name, "is read as \(member.value.formName), and described as \(other.formName)")
      }
    }
    guard isWhole, read.others == nil else { return }
    for member in described.inOrder where read.member(named: member.name) == nil {
      throw fault(member.name, "is described, and the type never reads it")
    }
  }
}

extension ValueSchema {
  fileprivate var formName: String {
    switch form {
    case .text: "text"
    case .integer: "a whole number"
    case .number: "a number"
    case .bool: "true or false"
    case .list: "a list"
    case .object: "an object"
    case .any: "any value"
    }
  }
}
