/// How the attachments of a record under one name changed between two versions of the record.
package struct AttachmentChange: Sendable, Equatable {
  /// The name of both.
  package let name: String
  /// Nil if the attachment was added.
  package let before: Attachment?
  /// Nil if the attachment was removed. If both are set, the content was replaced.
  package let after: Attachment?

  /// The differences, in the order of names. Attachments that are equal in all properties are left out.
  package static func changes(from old: [Attachment], to new: [Attachment]) -> [AttachmentChange] {
    let (gone, come) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
    // Compared by their bytes: names that only look alike are different.
    let (before, after) = (Dictionary(grouping: gone, by: \.nameBytes), Dictionary(grouping: come, by: \.nameBytes))
    let names = Set(before.keys).union(after.keys).sorted { $0.lexicographicallyPrecedes($1) }
    return names.flatMap { name -> [AttachmentChange] in
      // A merge may leave several attachments of one name.
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
