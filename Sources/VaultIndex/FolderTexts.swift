internal import CLateLibraries
internal import VaultDocument

/// The texts of one folder's records in one piece, which is searched faster than a table of words is kept up to date.
///
/// | bytes | |
/// |---|---|
/// | 4 | how many records, as all numbers with the lowest byte first |
/// | 20 each | id; where its text ends, and in the highest bit whether it is irregular |
/// | | the texts |
/// | 8 | the sum of all before |
@safe struct FolderTexts {
  private static let entryByteCount = Identifier.byteCount + 4
  private static let irregularBit: UInt32 = 1 << 31

  private let bytes: UnsafeRawBufferPointer
  private let count: Int

  /// Looks at a piece, which must live as long as this.
  ///
  /// - Throws: ``IndexFailure`` `.damaged`.
  @unsafe init(_ bytes: UnsafeRawBufferPointer) throws(IndexFailure) {
    guard bytes.count >= 12 else { throw .damaged }
    let count = unsafe Int(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self).littleEndian)
    guard count <= (bytes.count - 12) / Self.entryByteCount else { throw .damaged }
    var sum = Checksum()
    unsafe sum.add(UnsafeRawBufferPointer(rebasing: bytes.dropLast(8)))
    let stored = unsafe bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    guard UInt64(littleEndian: stored) == sum.value else { throw .damaged }
    unsafe self.bytes = bytes
    self.count = count
    var end = 0
    for index in 0..<count {
      guard self.end(index) >= end else { throw .damaged }
      end = self.end(index)
    }
    guard unsafe end == texts.count else { throw .damaged }
  }

  private var texts: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[(4 + count * Self.entryByteCount)...].dropLast(8))
  }

  private func id(_ index: Int) -> RecordID {
    let start = 4 + index * Self.entryByteCount
    return unsafe RecordID(bytes: Array(bytes[start..<start + Identifier.byteCount]))
  }

  private func word(_ index: Int) -> UInt32 {
    let start = 4 + index * Self.entryByteCount + Identifier.byteCount
    return UInt32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
  }

  private func end(_ index: Int) -> Int { Int(word(index) & ~Self.irregularBit) }
  private func start(_ index: Int) -> Int { index == 0 ? 0 : end(index - 1) }
  private func isIrregular(_ index: Int) -> Bool { word(index) & Self.irregularBit != 0 }

  private func text(_ index: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: texts[start(index)..<end(index)])
  }

  /// The texts by their records.
  var all: [RecordID: (bytes: [UInt8], isIrregular: Bool)] {
    var all: [RecordID: (bytes: [UInt8], isIrregular: Bool)] = [:]
    for index in 0..<count { unsafe all[id(index)] = (Array(text(index)), isIrregular(index)) }
    return all
  }

  /// One piece of these texts.
  ///
  /// - Throws: ``IndexFailure`` `.failed` when they are larger than a piece can be.
  static func encode(_ texts: [(id: RecordID, bytes: [UInt8], isIrregular: Bool)]) throws(IndexFailure) -> [UInt8] {
    let total = texts.reduce(0) { $0 + $1.bytes.count }
    // What SQLite takes as one value by default.
    guard total + texts.count * entryByteCount < 1_000_000_000 else { throw .failed(18) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total + texts.count * entryByteCount + 12)
    bytes.append(littleEndian: UInt32(texts.count))
    var end = 0
    for text in texts {
      end += text.bytes.count
      bytes += text.id.bytes
      bytes.append(littleEndian: UInt32(end) | (text.isIrregular ? irregularBit : 0))
    }
    for text in texts { bytes += text.bytes }
    var sum = Checksum()
    sum.add(bytes)
    bytes.append(littleEndian: sum.value)
    return bytes
  }
}

extension FolderTexts {
  /// Gives every record to `body` whose text holds all probes, or may hold them; an empty probe is in every text.
  func search(_ probes: [[UInt8]], _ body: (RecordID, UnsafeRawBufferPointer) -> Void) {
    let probes = probes.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    guard let longest = probes.first else {
      for index in 0..<count { unsafe body(id(index), text(index)) }
      return
    }
    let irregular = (0..<count).filter(isIrregular)
    for index in irregular { unsafe body(id(index), text(index)) }
    let texts = unsafe texts
    var offset = 0
    while let hit = unsafe UnsafeRawBufferPointer(rebasing: texts[offset...]).firstOffset(of: longest) {
      let index = index(ofByte: offset + hit)
      offset = end(index)
      if isIrregular(index) { continue }
      let text = unsafe text(index)
      guard probes.dropFirst().allSatisfy({ unsafe text.firstOffset(of: $0) != nil }) else { continue }
      unsafe body(id(index), text)
    }
  }

  /// The record whose text a byte belongs to.
  private func index(ofByte offset: Int) -> Int {
    var range = 0..<count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      if start(middle) <= offset { range = middle..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    // Records without any text begin where the one before them ends; the last of them has the byte.
    return range.lowerBound
  }
}

extension UnsafeRawBufferPointer {
  /// Where `needle` first stands; 0 for an empty one.
  func firstOffset(of needle: [UInt8]) -> Int? {
    guard count >= needle.count, let start = baseAddress else { return needle.isEmpty ? 0 : nil }
    return unsafe needle.withUnsafeBytes { needle in
      guard let address = needle.baseAddress else { return 0 }
      // Safe: both buffers have the sizes that are given, and what is found lies in the first.
      return unsafe memmem(start, count, address, needle.count).map { unsafe start.distance(to: UnsafeRawPointer($0)) }
    }
  }
}
