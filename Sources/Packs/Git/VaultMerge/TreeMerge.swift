internal import VaultDocument
internal import VaultSealing

/// Joins the changes of two sides to one tree, member by member, by literals and tokens.
///
/// Objects are merged and other values are taken whole, except for the tags of a record, which are a set.
struct TreeMerge {
  /// Which of two tokens at one place stays.
  enum TokenChoice {
    case ours, theirs, neither
  }

  /// Which side wins if both have changed a member; without one it is a conflict.
  let preference: MergePreference
  /// Decides between two new tokens at one place.
  let choose: (_ base: String?, _ ours: String, _ theirs: String) -> TokenChoice
  private(set) var conflicts: [MergeConflict] = []

  init(
    preferring preference: MergePreference = MergePreference(),
    choose: @escaping (_ base: String?, _ ours: String, _ theirs: String) -> TokenChoice
  ) {
    (self.preference, self.choose) = (preference, choose)
  }

  /// The members of both; in a conflict, those of ours.
  mutating func merge(
    _ base: JSONObject?, ours: JSONObject, theirs: JSONObject, at path: MemberPath = .root
  ) -> JSONObject {
    var result = JSONObject()
    for name in Self.names(base, ours, theirs) {
      result[name] = value(base?[name], ours: ours[name], theirs: theirs[name], at: path.appending(name))
    }
    return result
  }

  static func names(_ objects: JSONObject?...) -> [String] {
    var all = JSONObject()
    for object in objects { for member in object ?? JSONObject() { all[member.name] = .null } }
    return all.names
  }

  private mutating func value(
    _ base: JSONValue?, ours: JSONValue?, theirs: JSONValue?, at path: MemberPath
  ) -> JSONValue? {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    if case .object(let ours)? = ours, case .object(let theirs)? = theirs {
      return .object(merge(base?.object, ours: ours, theirs: theirs, at: path))
    }
    if path == Self.tagsPath, let tags = Self.tags(base, ours: ours, theirs: theirs) { return tags }
    if let one = ours?.token, let other = theirs?.token {
      switch choose(base?.token, one, other) {
      case .ours: return ours
      case .theirs: return theirs
      case .neither: break
      }
    }
    if let side = preference.members[path] ?? preference.side { return side == .ours ? ours : theirs }
    conflicts.append(Self.conflict(ours, theirs, at: path))
    return ours
  }

  private static func conflict(_ ours: JSONValue?, _ theirs: JSONValue?, at path: MemberPath) -> MergeConflict {
    let (one, other) = (side(ours), side(theirs))
    let reason: MergeConflict.Reason =
      switch (one, other) {
      case (.absent, _), (_, .absent): .removedMember
      case (.sealed, .sealed): .sealed
      default: .value
      }
    return MergeConflict(reason, at: path, ours: one, theirs: other)
  }

  private static func side(_ value: JSONValue?) -> MergeConflict.Side {
    guard let value else { return .absent }
    guard let token = value.token, let sealed = try? SealedToken(parsing: token) else { return .readable }
    return .sealed(at: sealed.sealedAt)
  }

  // MARK: Tags

  private static let tagsPath = MemberPath.root.appending("tags")

  /// The tags that neither side removed, in the order of the base, then added ones by bytes; nil if a side is not a set
  /// of readable words.
  private static func tags(_ base: JSONValue?, ours: JSONValue?, theirs: JSONValue?) -> JSONValue? {
    guard let ours = words(ours), let theirs = words(theirs), let base = base == nil ? [] : words(base) else {
      return nil
    }
    func isIn(_ list: [String], _ word: String) -> Bool { list.contains { sameBytes($0, word) } }
    let kept = base.filter { isIn(ours, $0) && isIn(theirs, $0) }
    var added: [String] = []
    for word in ours + theirs where !isIn(base, word) && !isIn(added, word) { added.append(word) }
    return .array((kept + added.sorted(by: precedesInBytes)).map { .string($0) })
  }

  private static func words(_ value: JSONValue?) -> [String]? {
    guard let items = value?.array else { return nil }
    var words: [String] = []
    for item in items {
      guard let word = item.string, !SealedToken.hasTokenShape(word), !words.contains(where: { sameBytes($0, word) })
      else { return nil }
      words.append(word)
    }
    return words
  }
}

extension JSONValue {
  /// The text of a sealed value, else nil.
  var token: String? {
    guard let text = string, SealedToken.hasTokenShape(text) else { return nil }
    return text
  }
}
