/// Rows of folders in an order; equal rows are ordered by their ids.
package struct IndexRows: RandomAccessCollection, Sendable {
  /// By name from A to Z, or by time from the newest.
  package enum Order: Sendable {
    case name, created, updated
  }

  /// A folder and a position in it; places ascend with the ids.
  private struct Place: Comparable {
    let folder: UInt16
    let index: UInt32

    static func < (left: Place, right: Place) -> Bool {
      (left.folder, left.index) < (right.folder, right.index)
    }
  }

  private let folders: [IndexedFolder]
  private let order: Order
  private var places: [Place] = []

  /// The first rows of some folders, which ascend.
  ///
  /// The order by name requires ``IndexedFolder/isOrderedByKey`` of each folder.
  ///
  /// - Parameter limit: the most rows; nil for all.
  package init(_ folders: [IndexedFolder], by order: Order, limit: Int? = nil) {
    (self.folders, self.order) = (folders, order)
    var last: (place: Place, word: UInt64)?
    for (number, folder) in zip(UInt16.min..., folders) {
      for index in folder.indices {
        let place = Place(folder: number, index: UInt32(index))
        // Of many rows, only those that may be among the first are sorted.
        if let last {
          let word = word(place, at: 0).word
          guard word < last.word || word == last.word && isBefore(place, last.place) else { continue }
        }
        places.append(place)
        if let limit, limit > 0, (places.count - 64) / 2 >= limit {
          sort()
          places.removeSubrange(limit...)
          last = places.last.map { ($0, word($0, at: 0).word) }
        }
      }
    }
    sort()
    if let limit, limit < places.count { places.removeSubrange(limit...) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  package subscript(position: Int) -> IndexRow {
    folders[Int(places[position].folder)].row(Int(places[position].index))
  }

  /// The positions of the rows in each folder, in no particular order.
  package var indicesByFolder: [[Int]] {
    var indices = [[Int]](repeating: [], count: folders.count)
    for place in places { indices[Int(place.folder)].append(Int(place.index)) }
    return indices
  }
}

extension IndexRows {
  /// Eight bytes of a row's sort key, and whether more follow.
  private func word(_ place: Place, at depth: Int) -> (word: UInt64, goesOn: Bool) {
    let entry = folders[Int(place.folder)].entries[Int(place.index)]
    func time(_ seconds: Int64, _ nanoseconds: Int32) -> (UInt64, Bool) {
      // The newest first.
      depth == 0 ? (UInt64(bitPattern: .max &- seconds), true) : (UInt64(Int64.max &- Int64(nanoseconds)), false)
    }
    switch order {
    case .name:
      // Seven bytes and their count, so that the beginning of a name comes before the name.
      let start = Int(entry.nameEnd) + 7 * depth
      let count = Int(entry.keyEnd) - start
      var word: UInt64 = 0
      for offset in 0..<7 {
        word = word << 8 | (offset < count ? UInt64(folders[Int(place.folder)].strings[start + offset]) : 0)
      }
      return (word << 8 | UInt64(Swift.min(count, 8)), count > 7)
    case .created: return time(entry.created, entry.createdNanoseconds)
    case .updated: return time(entry.updated, entry.updatedNanoseconds)
    }
  }

  /// Whether a row comes before another one with a lower id.
  private func isBefore(_ place: Place, _ other: Place) -> Bool {
    for depth in 0... {
      let (own, others) = (word(place, at: depth), word(other, at: depth))
      if own.word != others.word { return own.word < others.word }
      if !own.goesOn { return false }
    }
    return false
  }

  /// Sorts by the first word, then equal rows by the next, because comparing names would look each one up every time.
  private mutating func sort() {
    var work = [(range: 0..<places.count, depth: 0)]
    while let (range, depth) = work.popLast() {
      let sorted = places[range].map { (word: word($0, at: depth), place: $0) }
        .sorted { $0.word.word != $1.word.word ? $0.word.word < $1.word.word : $0.place < $1.place }
      places.replaceSubrange(range, with: sorted.lazy.map(\.place))
      var rest = sorted[...]
      while let first = rest.first {
        let run = rest.prefix { $0.word.word == first.word.word }
        rest = rest.dropFirst(run.count)
        if run.count > 1, first.word.goesOn {
          work.append((range.lowerBound + run.startIndex..<range.lowerBound + run.endIndex, depth + 1))
        }
      }
    }
  }
}

extension IndexedFolder {
  /// Whether the order of keys is that of names, which fails if a name may not be in normal form C.
  package var isOrderedByKey: Bool { entries.allSatisfy { !$0.isIrregularName } }

  /// Only the first of its records in an order.
  package func keepingFirst(_ limit: Int, by order: IndexRows.Order) -> IndexedFolder {
    limit < entries.count ? keeping(IndexRows([self], by: order, limit: limit).indicesByFolder[0].sorted()) : self
  }
}
