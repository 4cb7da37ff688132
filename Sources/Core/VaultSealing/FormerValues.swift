public import VaultDocument

/// The sealed values of a record that were replaced or removed, by the path at which each of them stood, newest first
/// (format 1, section 6.3, Former values).
public struct FormerValues: Sendable, Equatable {
  /// The most values of one path that a vault can ask for.
  public static let maximumCount = 20
  /// The number of values of one path that a vault keeps if its header does not say otherwise.
  public static let defaultCount = 5
  /// The member of `$vault` that holds them, and the member of the header that says how many are kept.
  package static let memberName = "former"
  /// The tokens of one record together have at most this size, so that it always fits its file; the oldest are dropped.
  private static let byteLimit = 4 << 20

  /// Paths as they are written; none has an empty list.
  private var lists: [String: [String]] = [:]

  /// No values.
  public init() {}

  /// Whether no field has a former value.
  public var isEmpty: Bool { lists.isEmpty }

  /// The paths that have a former value, in the order of their bytes.
  public var paths: [MemberPath] {
    lists.keys.sorted(by: precedesInBytes).compactMap { try? MemberPath(parsing: $0) }
  }

  /// The place in a record's file of the former values of one path.
  package static func place(of path: MemberPath) -> MemberPath {
    MemberPath.root.appending(RecordEnvelope.memberName).appending(memberName).appending(path.description)
  }

  /// The tokens of one path, newest first; empty if it has none.
  public func tokens(at path: MemberPath) -> [String] { lists[path.description] ?? [] }

  /// The tokens of each field, newest first, with the path at which each stood. A field that was renamed has those of
  /// its present name first.
  ///
  /// - Parameter present: the present name of a path.
  package func fields(
    _ present: (MemberPath) -> MemberPath
  ) -> [(path: MemberPath, values: [(place: MemberPath, token: String)])] {
    var fields: [(path: MemberPath, values: [(place: MemberPath, token: String)])] = []
    for place in paths {
      let (path, values) = (present(place), tokens(at: place).map { (place: place, token: $0) })
      guard let index = fields.firstIndex(where: { $0.path == path }) else {
        fields.append((path, values))
        continue
      }
      let known = fields[index].values
      let isNewer = place == path || known[0].place != path && Self.isLater(values[0].token, than: known[0].token)
      fields[index].values = isNewer ? values + known : known + values
    }
    return fields
  }

  /// Every token with its path.
  package var all: [(path: MemberPath, token: String)] {
    paths.flatMap { path in tokens(at: path).map { (path, $0) } }
  }
}

// MARK: The member

extension FormerValues {
  /// Reads the member of an envelope; nil if the value does not have the form of the format.
  init?(_ value: JSONValue) {
    guard case .object(let members) = value, members.count > 0 else { return nil }
    for (name, list) in members {
      guard let path = try? MemberPath(parsing: name), Self.isPlace(path), sameBytes(path.description, name),
        let items = list.array, (1...Self.maximumCount).contains(items.count)
      else { return nil }
      var known = TokenSet()
      let tokens = items.compactMap(\.string).filter { (try? SealedToken(parsing: $0)) != nil && known.insert($0) }
      guard tokens.count == items.count else { return nil }
      lists[name] = tokens
    }
  }

  var value: JSONValue {
    let names = lists.keys.sorted(by: precedesInBytes)
    return .object(JSONObject(ascending: names.map { ($0, .array((lists[$0] ?? []).map { .string($0) })) }))
  }

  private static func isPlace(_ path: MemberPath) -> Bool {
    guard case .member(let first)? = path.components.first else { return false }
    return first != RecordEnvelope.memberName
  }
}

// MARK: Changes

extension FormerValues {
  /// Drops the values of one path.
  package mutating func forget(_ path: MemberPath) { lists[path.description] = nil }

  /// Puts older values behind those of a path, the newest first. A known token is not added.
  package mutating func append(_ tokens: [String], at path: MemberPath) {
    for token in tokens where !(lists[path.description] ?? []).contains(where: { sameBytes($0, token) }) {
      lists[path.description, default: []].append(token)
    }
  }

  /// Puts tokens among those of a path, by their sealing times. A known token is not added.
  package mutating func insert(_ tokens: [String], at path: MemberPath) {
    let joined = Self.merged(lists[path.description] ?? [], tokens)
    if !joined.isEmpty { lists[path.description] = joined }
  }

  /// The newest values of each path, without repeats and without the present value.
  ///
  /// - Parameter keys: the keys of all tokens.
  package func distinct(besides members: JSONObject, _ keys: RecordKeys, atMost limit: Int) -> FormerValues {
    following(nil, by: members, keys, atMost: limit)
  }

  /// The values with each token replaced. Errors of `replace` get the place.
  func mapTokens(_ replace: (String) throws(SealingError) -> String) throws(SealingError) -> FormerValues {
    var mapped = self
    for (path, token) in all {
      do throws(SealingError) {
        let new = try replace(token)
        mapped.lists[path.description] = mapped.lists[path.description]?.map { $0 == token ? new : $0 }
      } catch { throw error.at(Self.place(of: path).description) }
    }
    return mapped
  }

  /// The values after `old` members were replaced by `new` ones: a token that stands nowhere any more is the newest
  /// former value of its path.
  ///
  /// - Parameters:
  ///   - keys: the keys of both.
  ///   - limit: how many values of one path stay.
  func following(
    _ old: JSONObject?, by new: JSONObject, _ keys: RecordKeys, atMost limit: Int
  ) -> FormerValues {
    var next = self
    for (path, token) in old?.tokens(absentFrom: new) ?? [] {
      next.lists[path.description, default: []].insert(token, at: 0)
    }
    return next.pruned(beside: new, keys, atMost: limit)
  }

  /// Drops tokens that stand in the record, values that equal the present or a newer one, and all beyond the limits.
  private func pruned(beside members: JSONObject, _ keys: RecordKeys, atMost limit: Int) -> FormerValues {
    guard !isEmpty else { return self }
    let (current, members) = (TokenSet(in: members), JSONValue.object(members))
    var kept = FormerValues()
    for (name, tokens) in lists {
      let present = (try? MemberPath(parsing: name)).flatMap { try? members.value(at: $0) }?.string
      var list: [String] = []
      for token in tokens where list.count < limit && !current.contains(token) {
        let newer = (present.map { [$0] } ?? []) + list
        if !newer.contains(where: { keys.holdsSame($0, token) }) { list.append(token) }
      }
      if !list.isEmpty { kept.lists[name] = list }
    }
    kept.dropOldest(over: Self.byteLimit)
    return kept
  }

  private static func longest(of lists: [String: [String]]) -> String? {
    lists.max { one, other in
      if one.value.count != other.value.count { return one.value.count < other.value.count }
      return precedesInBytes(one.key, other.key)
    }?.key
  }

  private mutating func dropOldest(over limit: Int) {
    var size = lists.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } }
    while size > limit, let longest = Self.longest(of: lists) {
      size -= lists[longest]?.removeLast().utf8.count ?? 0
      if lists[longest]?.isEmpty ?? false { lists[longest] = nil }
    }
  }
}

// MARK: Two versions

extension FormerValues {
  /// The former values of a version that joins two: those that either side has added, without those that a side has
  /// dropped. Each side's order stays, the values that it loses first, and between the sides the later seal comes
  /// first, so that the sides can be exchanged.
  ///
  /// - Parameters:
  ///   - base: of the common base; nil keeps all.
  ///   - original: the members of the common base. A token of them that is in neither list was forgotten.
  ///   - replaced: the members of each side. Their tokens that are not in `new` become former values.
  ///   - equal: tokens that are not in `new`, but have the same text as the token in their place.
  package static func joined(
    _ base: FormerValues?, _ ours: FormerValues, _ theirs: FormerValues, original: JSONObject? = nil,
    replaced: (ours: JSONObject, theirs: JSONObject), by new: JSONObject, equal: Set<String> = []
  ) -> FormerValues {
    var result = FormerValues()
    let (current, before) = (TokenSet(in: new), TokenSet(in: original ?? JSONObject()))
    let lost = [replaced.ours, replaced.theirs].map { members in
      members.tokens(absentFrom: new).filter { !before.contains($0.1) && !equal.contains($0.1) }
    }
    // Of two canonically equivalent paths, the one whose bytes come first, so that the sides can be exchanged.
    let written = Array(ours.lists.keys) + Array(theirs.lists.keys) + lost.joined().map(\.0.description)
    for path in written.sorted(by: precedesInBytes) where result.lists[path] == nil {
      let (before, one, other) = (base?.lists[path] ?? [], ours.lists[path] ?? [], theirs.lists[path] ?? [])
      let isKept = { (token: String) in !before.contains(token) || one.contains(token) && other.contains(token) }
      let sides = zip(lost, [one, other]).map { lost, former in
        let first = lost.filter { $0.0.description == path }.map(\.1)
        return first + former.filter { isKept($0) && !first.contains($0) }
      }
      let joined = merged(sides[0], sides[1]).filter { !current.contains($0) }
      if !joined.isEmpty { result.lists[path] = joined }
    }
    return result
  }

  /// Both lists in one. Each list's order stays, and between the lists the later seal comes first; of two seals in one
  /// second, the greater text. A token that both lists have comes after those before it in either.
  private static func merged(_ one: [String], _ other: [String]) -> [String] {
    var (left, right, result) = (one, other, [String]())
    while let first = left.first ?? right.first {
      var next = first
      if let second = right.first, !left.isEmpty {
        let (firstWaits, secondWaits) = (right.contains(first), left.contains(second))
        if firstWaits == secondWaits ? isLater(second, than: first) : firstWaits { next = second }
      }
      left.removeAll { $0 == next }
      right.removeAll { $0 == next }
      result.append(next)
    }
    return result
  }

  private static func isLater(_ one: String, than other: String) -> Bool {
    guard let first = try? SealedToken(parsing: one), let second = try? SealedToken(parsing: other) else {
      return false
    }
    if first.sealedAt != second.sealedAt { return first.sealedAt > second.sealedAt }
    return precedesInBytes(other, one)
  }
}

extension JSONObject {
  /// Every sealed value with its path.
  package var tokens: [(MemberPath, String)] {
    var tokens: [(MemberPath, String)] = []
    JSONValue.object(self).forEachString { path, text in
      if SealedToken.hasTokenShape(text) { tokens.append((path, text)) }
    }
    return tokens
  }

  /// The sealed values that other members have nowhere, with their paths.
  package func tokens(absentFrom other: JSONObject) -> [(MemberPath, String)] {
    let present = TokenSet(in: other)
    return tokens.filter { !present.contains($0.1) }
  }
}

extension TokenSet {
  fileprivate init(in members: JSONObject) {
    for (_, token) in members.tokens { _ = insert(token) }
  }
}

extension VerifiedRecord {
  /// The former values after this version has taken the place of another one: its own, or those given, with those of
  /// the other version and the sealed values of the other version. All have tokens of this version's data key.
  ///
  /// - Throws: ``SealingError``, like opening and sealing.
  package func former(
    _ own: FormerValues? = nil, replacing other: VerifiedRecord
  ) throws(SealingError) -> FormerValues {
    let replaced = try keys.taking(other.fields, of: other.keys)
    let (mine, others) = (own ?? envelope.former, try keys.taking(other.envelope.former, of: other.keys))
    let theirs = others == other.envelope.former ? others : others.with(equalTokensOf: mine, keys)
    let equal = replaced.tokens.filter { mine.token(at: $0.0, equalTo: $0.1, keys) != nil }
    return .joined(
      nil, mine, theirs, replaced: (JSONObject(), replaced), by: fields, equal: Set(equal.map(\.1)))
  }
}

extension FormerValues {
  /// The token of one path with the text and sealing time of another token.
  fileprivate func token(at path: MemberPath, equalTo token: String, _ keys: RecordKeys) -> String? {
    let time = (try? SealedToken(parsing: token))?.sealedAt
    return tokens(at: path).first { (try? SealedToken(parsing: $0))?.sealedAt == time && keys.holdsSame($0, token) }
  }

  /// The values with those tokens of other ones that have the same text and sealing time: versions under other data
  /// keys have other tokens for the same values.
  fileprivate func with(equalTokensOf other: FormerValues, _ keys: RecordKeys) -> FormerValues {
    var result = self
    for path in paths {
      var list: [String] = []
      for own in tokens(at: path) {
        let token = other.token(at: path, equalTo: own, keys) ?? own
        if !list.contains(token) { list.append(token) }
      }
      result.lists[path.description] = list
    }
    return result
  }
}

extension RecordKeys {
  /// Whether two texts are tokens of this record that hold the same text.
  fileprivate func holdsSame(_ one: String, _ other: String) -> Bool {
    guard SealedToken.hasTokenShape(one) else { return false }
    return (try? holdSame(one, other)) ?? false
  }
}
