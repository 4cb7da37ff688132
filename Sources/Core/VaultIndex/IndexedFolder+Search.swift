internal import CDynamicLibraries

/// One text that is looked for in the values of records.
package struct IndexProbe: Sendable {
  /// What the bytes of every value in normal form C hold that satisfies `matches`; empty when nothing can be said.
  let bytes: [UInt8]
  /// Whether a value, given in lower case, is one that is looked for; nil when the probe is all that is asked here.
  let matches: (@Sendable (String) -> Bool)?

  package init(_ bytes: [UInt8], where matches: (@Sendable (String) -> Bool)?) {
    (self.bytes, self.matches) = (bytes, matches)
  }

  /// Looks for a text in lower case.
  ///
  /// - Parameter fallback: a part of it that stands as it is in every text that holds it, however that is composed.
  package init(_ text: String, fallback: [UInt8], where matches: (@Sendable (String) -> Bool)?) {
    self.init(RecordText.key(of: text) ?? fallback, where: matches)
  }
}

extension IndexedFolder {
  /// The records with values that satisfy every probe; none where texts were not asked for.
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
