internal import Synchronization

/// The members of a type, learned from its own `init(from:)`: the keys it asks for, their types, and whether they are
/// required.
struct RecordedContent: Sendable {
  /// Why the members of a type are not known.
  struct Failure: Sendable {
    /// The path of the member; empty for the type itself.
    let path: String
    /// The reason, in words that follow the name of the type.
    let reason: String
  }

  let members: [MemberSchema]
  /// Nil if all members are known.
  let failure: Failure?

  /// A class holds the mutex, because the optimiser can leave a static mutex undefined (Tests/Toolchain).
  private final class Known: Sendable {
    let byType = Mutex<[ObjectIdentifier: RecordedContent]>([:])
  }

  private static let known = Known()

  /// Learns the members that `type` asks a decoder for. The first call runs its `init(from:)` many times; the result
  /// is kept for the process.
  init(of type: any VaultRecord.Type) {
    let id = ObjectIdentifier(type)
    if let known = Self.known.byType.withLock({ $0[id] }) {
      self = known
    } else {
      self.init(recording: type)
      Self.known.byType.withLock { [self] in $0[id] = self }
    }
  }

  private init(recording type: any VaultRecord.Type) {
    let described = type.described.sorted { $0.key < $1.key }
    let recording = Recording(
      of: type, style: type.keyStyle,
      described: described.map { ($0.key.split(separator: ".").map(String.init), $0.value) })
    members = (recording.root.schema?.objectMembers ?? []).map { member in
      var member = member
      member.isLearned = true
      return member
    }
    failure = Failure(recording)
  }
}

extension RecordedContent.Failure {
  private static let remedy = "describe them in `content`"

  /// Nil if everything that must be known, which is the sealed values, is known.
  fileprivate init?(_ recording: Recording) {
    guard !recording.hasFailed else {
      self.init(
        path: recording.lastPath,
        reason:
          "cannot be learned, because the type refuses the value: describe it in `described`, with an example, or all "
          + "members in `content`")
      return
    }
    let root = recording.root
    if root.isOpen {
      self.init(path: "", reason: "has members that depend on other values, so they cannot be learned: \(Self.remedy)")
    } else if let path = root.path(where: { $0.repeated?.holdsSealed == true }) {
      // A type that contains itself seals at any depth, which no description can express.
      self.init(path: path, reason: "has the type again in it, and sealed values with it: \(Self.remedy)")
    } else if let path = root.path(where: { $0.isOpen && $0.holdsSealed }) {
      self.init(
        path: path, reason: "depends on other values, and has sealed values in one of its forms: \(Self.remedy)")
    } else {
      return nil
    }
  }
}

extension ValueSchema {
  fileprivate var isAny: Bool { if case .any = form { true } else { false } }

  fileprivate var objectMembers: [MemberSchema]? {
    if case .object(let rule) = form { rule.inOrder } else { nil }
  }
}

extension RecordedContent {
  /// The members if all of them are known, else none.
  var whole: [MemberSchema] { failure == nil ? members : [] }

  /// Why the members of a type without a description are not known; nil if they are.
  static func fault(of type: any VaultRecord.Type) -> RecordError? {
    guard type.content.isEmpty, let failure = RecordedContent(of: type).failure else { return nil }
    return RecordError(
      .invalidValue, "is not valid for \(type): it \(failure.reason)",
      path: failure.path.isEmpty ? "content" : failure.path)
  }

  /// Whether the members of a type were learned and not described.
  static func isLearned(_ type: any VaultRecord.Type) -> Bool {
    let content = type.content
    return !content.isEmpty && content.allSatisfy(\.isLearned)
  }

  /// Compares the members that a type reads with its description.
  func compare(with content: [MemberSchema], of type: any VaultRecord.Type) throws(RecordError) {
    try Self.compare(ObjectRule(members), with: ObjectRule(content), below: "", failure == nil)
  }

  /// Throws the first difference. `isWhole` says that the type reads nothing beside `read`.
  private static func compare(
    _ read: ObjectRule, with described: ObjectRule, below path: String, _ isWhole: Bool
  ) throws(RecordError) {
    func fault(_ name: String, _ reason: String) -> RecordError {
      RecordError(.invalidValue, reason, path: path + name)
    }
    for member in read.inOrder {
      guard let other = described.value(named: member.name) else {
        throw fault(member.name, "is read by the type, but not described")
      }
      guard other.isSealed == member.value.isSealed else {
        throw fault(
          member.name,
          other.isSealed
            ? "is described as sealed, but the type reads it in clear" : "is sealed, but described as readable")
      }
      if member.isRequired, described.member(named: member.name)?.isRequired == false {
        throw fault(member.name, "is required by the type, but not by its description")
      }
      if !member.value.isSealed, case .object(let mine) = member.value.form, case .object(let theirs) = other.form {
        try compare(mine, with: theirs, below: path + member.name + ".", isWhole)
      } else if !member.value.isSealed, !member.value.isAny, member.value.formName != other.formName {
        throw fault(member.name, "is read as \(member.value.formName), but described as \(other.formName)")
      }
    }
    guard isWhole, read.others == nil else { return }
    for member in described.inOrder where read.member(named: member.name) == nil {
      throw fault(member.name, "is described, but the type never reads it")
    }
  }
}
