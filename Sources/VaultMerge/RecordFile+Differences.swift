public import VaultDocument

extension RecordFile {
  /// The fields in which two versions of a record differ, sorted by path; an array is one value, and sealed values are
  /// compared as they are sealed.
  public func paths(differingFrom other: RecordFile) -> [MemberPath] {
    Self.paths(fields, other.fields, at: .root).sorted { $0.description < $1.description }
  }

  private static func paths(_ one: JSONObject, _ other: JSONObject, at path: MemberPath) -> [MemberPath] {
    TreeMerge.names(one, other).flatMap { name in
      let (here, there, path) = (one[name], other[name], path.appending(name))
      if here == there { return [MemberPath]() }
      guard let here = here?.object, let there = there?.object else { return [path] }
      return paths(here, there, at: path)
    }
  }
}
