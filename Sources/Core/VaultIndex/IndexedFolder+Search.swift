internal import CDynamicLibraries

/// One text to search for in the values of records.
package struct IndexProbe: Sendable {
  /// Bytes that every matching value in normal form C contains; empty if there are no such bytes.
  let bytes: [UInt8]
  /// Whether a lower-case value matches; nil if the bytes of the probe are the whole condition.
  let matches: (@Sendable (String) -> Bool)?

  package init(_ bytes: [UInt8], where matches: (@Sendable (String) -> Bool)?) {
    (self.bytes, self.matches) = (bytes, matches)
  }

  /// Searches for a lower-case text.
  ///
  /// - Parameter fallback: a part of the text that stands unchanged in every matching text, in any composition.
  package init(_ text: String, fallback: [UInt8], where matches: (@Sendable (String) -> Bool)?) {
    self.init(RecordText.key(of: text) ?? fallback, where: matches)
  }
}

extension IndexedFolder {
  /// The records with values that match every probe; empty if texts were not loaded.
  package func search(_ probes: [IndexProbe]) -> [Int] {
    guard let texts else { return [] }
    return unsafe texts.withUnsafeBytes { texts in
      entries.indices.filter { index in
        // Safe: the places of the texts were compared with their size when they were read.
        let text = unsafe UnsafeRawBufferPointer(rebasing: texts[text(index)])
        guard
          entries[index].isIrregularText || probes.allSatisfy({ unsafe text.firstOffset(of: $0.bytes) != nil })
        else { return false }
        return probes.allSatisfy { probe in
          guard let matches = probe.matches else { return true }
          return unsafe RecordText.contains(text, probe: probe.bytes, where: matches)
        }
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The first offset of `needle`; 0 if it is empty.
  func firstOffset(of needle: [UInt8]) -> Int? {
    guard count >= needle.count, let start = baseAddress else { return needle.isEmpty ? 0 : nil }
    return unsafe needle.withUnsafeBytes { needle in
      guard let address = needle.baseAddress else { return 0 }
      // Safe: both buffers have the given sizes, and the result lies in the first.
      return unsafe memmem(start, count, address, needle.count).map { unsafe start.distance(to: UnsafeRawPointer($0)) }
    }
  }
}
