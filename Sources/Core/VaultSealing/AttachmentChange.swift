/// What became of what a record has attached under one name, from one version of the record to another.
package struct AttachmentChange: Sendable, Equatable {
  /// What both are called.
  package let name: String
  /// Nil where there was none.
  package let before: Attachment?
  /// Nil where there is none any more; beside one before, another writing has taken its place.
  package let after: Attachment?

  /// What differs, in the order of names; what is the same in all that the record says of it is left out.
  package static func changes(from old: [Attachment], to new: [Attachment]) -> [AttachmentChange] {
    let (gone, come) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
    // Names by their bytes: texts that look alike are not one name.
    let (before, after) = (Dictionary(grouping: gone, by: \.nameBytes), Dictionary(grouping: come, by: \.nameBytes))
    let names = Set(before.keys).union(after.keys).sorted { $0.lexicographicallyPrecedes($1) }
    return names.flatMap { name -> [AttachmentChange] in
      // A merge may leave several of one name.
      let (olds, news) = (before[name] ?? [], after[name] ?? [])
      return (0..<max(olds.count, news.count)).compactMap { index in
        let (old, new) = (olds.dropFirst(index).first, news.dropFirst(index).first)
        return (old ?? new).map { AttachmentChange(name: $0.name, before: old, after: new) }
      }
    }
  }
}

extension Attachment {
  fileprivate var nameBytes: [UInt8] { Array(name.utf8) }
}
