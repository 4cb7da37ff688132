package import VaultDocument

/// One record of an index, as a list shows it.
package struct IndexRow: Sendable {
  package let id: RecordID
  package let kind: String
  package let name: String
  /// The account, such as a user name; may be empty.
  package let who: String
  package let revision: Int
  package let createdAt: Timestamp
  package let updatedAt: Timestamp

  package init(
    id: RecordID, kind: String, name: String, who: String = "", revision: Int, createdAt: Timestamp,
    updatedAt: Timestamp
  ) {
    (self.id, self.kind, self.name, self.who, self.revision) = (id, kind, name, who, revision)
    (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
  }
}

/// The indexed records of one folder, or of some of them, in the order of their ids.
///
/// Numbers and texts lie in one block each, as in the file of a folder: a record is built only to be shown.
package struct IndexedFolder: Sendable {
  /// One record: numbers without gaps between them, stored as they stand in memory.
  package struct Entry: BitwiseCopyable, Sendable {
    let id: RecordID
    let mark: IndexMark
    var revision = 0
    var created: Int64 = 0
    var updated: Int64 = 0
    var createdNanoseconds: Int32 = 0
    var updatedNanoseconds: Int32 = 0
    /// The end of the name in ``IndexedFolder/strings``. The order there is kind, account, name, key.
    var nameEnd: UInt32 = 0
    var keyEnd: UInt32 = 0
    var textEnd: UInt32 = 0
    /// A kind's name has at most 64 bytes (format 1, section 12, Limits).
    var kindByteCount: UInt8 = 0
    private var flags: UInt8 = 0
    var whoByteCount: UInt16 = 0

    /// A file whose content is not kept, because it is damaged or must not be copied: it is read each time.
    var isWatched: Bool {
      get { flags & 1 != 0 }
      set { set(1, newValue) }
    }
    /// The name may not be in normal form C, and has no key.
    var isIrregularName: Bool {
      get { flags & 2 != 0 }
      set { set(2, newValue) }
    }
    /// A value may not be in normal form C.
    var isIrregularText: Bool {
      get { flags & 4 != 0 }
      set { set(4, newValue) }
    }

    var headByteCount: Int { Int(kindByteCount) + Int(whoByteCount) }

    init(id: RecordID, mark: IndexMark) { (self.id, self.mark) = (id, mark) }

    private mutating func set(_ flag: UInt8, _ isOn: Bool) { flags = isOn ? flags | flag : flags & ~flag }
  }

  /// The stamp of the folder under which all of this was read.
  package let mark: IndexMark
  package private(set) var entries: [Entry] = []
  private(set) var strings: [UInt8] = []
  /// The values of each record in the form of ``RecordText``; nil if they were not asked for or are no longer needed.
  package private(set) var texts: [UInt8]? = []

  package init(_ mark: IndexMark) { self.mark = mark }

  /// The content of a file; nil if it is not valid.
  init?(_ mark: IndexMark, entries: [Entry], strings: [UInt8], texts: [UInt8]?) {
    (self.mark, self.entries, self.strings, self.texts) = (mark, entries, strings, texts)
    var (end, textEnd): (UInt32, UInt32) = (0, 0)
    for entry in entries {
      guard end &+ UInt32(entry.headByteCount) <= entry.nameEnd, entry.nameEnd <= entry.keyEnd,
        textEnd <= entry.textEnd, Timestamp(indexed: entry.created, entry.createdNanoseconds) != nil,
        Timestamp(indexed: entry.updated, entry.updatedNanoseconds) != nil
      else { return nil }
      (end, textEnd) = (entry.keyEnd, entry.textEnd)
    }
    guard Int(end) == strings.count, texts.map({ $0.count == textEnd }) ?? true else { return nil }
  }

  package var indices: Range<Int> { entries.indices }

  package func id(_ index: Int) -> RecordID { entries[index].id }
  package func mark(_ index: Int) -> IndexMark { entries[index].mark }
  package func isWatched(_ index: Int) -> Bool { entries[index].isWatched }

  /// The bytes of the kind's name.
  package func kind(_ index: Int) -> ArraySlice<UInt8> {
    let start = start(index)
    return strings[start..<start + Int(entries[index].kindByteCount)]
  }

  /// The name in the form of ``RecordText/key(of:)``.
  package func key(_ index: Int) -> ArraySlice<UInt8>? {
    let entry = entries[index]
    return entry.isIrregularName ? nil : strings[Int(entry.nameEnd)..<Int(entry.keyEnd)]
  }

  func text(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(entries[index - 1].textEnd))..<Int(entries[index].textEnd)
  }

  package func row(_ index: Int) -> IndexRow {
    let entry = entries[index]
    let nameStart = start(index) + entry.headByteCount
    let who = strings[nameStart - Int(entry.whoByteCount)..<nameStart]
    let name = strings[nameStart..<Int(entry.nameEnd)]
    guard let created = Timestamp(indexed: entry.created, entry.createdNanoseconds),
      let updated = Timestamp(indexed: entry.updated, entry.updatedNanoseconds)
    else { preconditionFailure("times are made of times, or were looked at when they were read") }
    return IndexRow(
      id: entry.id, kind: String(decoding: kind(index), as: UTF8.self),
      name: String(decoding: name, as: UTF8.self), who: String(decoding: who, as: UTF8.self),
      revision: entry.revision, createdAt: created, updatedAt: updated)
  }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : Int(entries[index - 1].keyEnd) }
}

extension IndexedFolder {
  /// Adds a record, whose id must follow the others.
  package mutating func append(_ row: IndexRow, mark: IndexMark, text: RecordText) {
    let (kind, name, key) = (Array(row.kind.utf8), Array(row.name.utf8), RecordText.key(of: row.name))
    let who = row.who.utf8.count <= UInt16.max ? Array(row.who.utf8) : []
    var entry = Entry(id: row.id, mark: mark)
    entry.revision = row.revision
    (entry.created, entry.createdNanoseconds) = (row.createdAt.secondsSinceEpoch, row.createdAt.nanoseconds)
    (entry.updated, entry.updatedNanoseconds) = (row.updatedAt.secondsSinceEpoch, row.updatedAt.nanoseconds)
    entry.kindByteCount = UInt8(clamping: kind.count)
    entry.whoByteCount = UInt16(who.count)
    entry.isIrregularName = key == nil
    entry.isIrregularText = text.isIrregular
    append(entry, head: (kind + who)[...], name: name[...], key: (key ?? [])[...], text: text.bytes[...])
  }

  /// Adds a file that must be read each time.
  package mutating func append(watched id: RecordID, _ mark: IndexMark) {
    var entry = Entry(id: id, mark: mark)
    entry.isWatched = true
    append(entry, head: [], name: [], key: [], text: [])
  }

  /// Adds a record of another folder index.
  package mutating func append(_ index: Int, of other: IndexedFolder) {
    let entry = other.entries[index]
    let start = other.start(index)
    let nameStart = start + entry.headByteCount
    append(
      entry, head: other.strings[start..<nameStart], name: other.strings[nameStart..<Int(entry.nameEnd)],
      key: other.strings[Int(entry.nameEnd)..<Int(entry.keyEnd)], text: other.texts?[other.text(index)] ?? [])
  }

  private mutating func append(
    _ entry: Entry, head: ArraySlice<UInt8>, name: ArraySlice<UInt8>, key: ArraySlice<UInt8>,
    text: ArraySlice<UInt8>
  ) {
    var entry = entry
    let nameEnd = strings.count + head.count + name.count
    guard let keyEnd = UInt32(exactly: nameEnd + key.count),
      let textEnd = UInt32(exactly: (texts?.count ?? 0) + text.count)
    else {
      // More than four billion bytes in one folder: the other records are read each time.
      return append(watched: entry.id, entry.mark)
    }
    (entry.nameEnd, entry.keyEnd, entry.textEnd) = (UInt32(nameEnd), keyEnd, textEnd)
    entries.append(entry)
    strings += head
    strings += name
    strings += key
    texts? += text
  }

  /// Only these records, without texts; the indices must ascend.
  package func keeping(_ indices: [Int]) -> IndexedFolder {
    var kept = self
    kept.texts = nil
    guard indices.count < entries.count else { return kept }
    (kept.entries, kept.strings) = ([], [])
    for index in indices { kept.append(index, of: self) }
    return kept
  }
}

extension Timestamp {
  fileprivate init?(indexed seconds: Int64, _ nanoseconds: Int32) {
    guard let time = try? Timestamp(secondsSinceEpoch: seconds, nanoseconds: nanoseconds) else { return nil }
    self = time
  }
}
