internal import VaultDocument

extension TreeRules {
  /// Takes a list of earlier values of a member, each an object with the value and a date, the newest first.
  ///
  /// - Parameters:
  ///   - value: the name of the member with the value.
  ///   - date: the name of the member with the date, as text or in seconds since 1970.
  static func earlierValues(_ value: String, _ date: String, by rule: LeafRule) -> Subtree {
    { builder, list, place in
      guard let items = list.array, !items.isEmpty else {
        for (path, leaf) in list.leafPaths(at: .root) {
          let below = place.below(path)
          builder.take(leaf.leafText, from: below, by: .secret(below.path(below: builder.place)))
        }
        return
      }
      let dated = items.enumerated().map { ($0, $1, $1[date].flatMap(Timestamp.init(ofTool:))) }
      let known = dated.compactMap { index, item, time in time.map { (index, item, $0) } }
      let sorted = known.count == dated.count ? known.sorted { ($1.2, $0.0) < ($0.2, $1.0) } : nil
      for (index, item, time) in sorted.map({ $0.map { ($0, $1, .some($2)) } }) ?? dated {
        take(item, setAt: time, named: value, date, by: rule, at: place.below(index), into: &builder)
      }
    }
  }

  private static func take(
    _ item: JSONValue, setAt time: Timestamp?, named value: String, _ date: String, by rule: LeafRule,
    at place: SourcePlace, into builder: inout RecordBuilder
  ) {
    for (path, leaf) in item.leafPaths(at: .root) {
      let below = place.below(path)
      switch path.description {
      case value:
        builder.version = RecordBuilder.EarlierVersion(setAt: time)
        builder.take(leaf.leafText, from: below, by: rule)
        builder.version = nil
      case date where time != nil: builder.take(leaf.leafText, from: below, by: .known(as: "$vault.former"))
      default: builder.take(leaf.leafText, from: below, by: .secret(below.path(below: builder.place)))
      }
    }
  }
}

extension Timestamp {
  /// The time of a text in ISO 8601, or of seconds since 1970.
  fileprivate init?(ofTool value: JSONValue) {
    if let text = value.string, let time = try? Timestamp(parsing: text) {
      self = time
    } else if let seconds = Int64(value.leafText), let time = try? Timestamp(secondsSinceEpoch: seconds) {
      self = time
    } else {
      return nil
    }
  }
}
