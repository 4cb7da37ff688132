/// The two injective encodings of the format (format 1, section 1, Encodings): `ENC` of labelled items and `T` of JSON
/// trees.
///
/// `LP(x)` is a 32-bit big-endian byte count, then x. `ENC(label; x1 … xn)` is LP(label), the 32-bit count n, then each
/// LP(xi). All authenticated and derived data uses these encodings; nothing is ever joined with a separator.
package enum CanonicalEncoding {
  package static func enc(_ label: String, _ items: [[UInt8]] = []) -> [UInt8] {
    var builder = Builder(label, itemCount: items.count)
    for item in items { builder.append(item) }
    return builder.finish()
  }

  /// Builds an `ENC` item by item, so that a large or secret item need not be copied into an array first.
  package struct Builder: Sendable {
    private var bytes: [UInt8] = []
    private var missingItemCount: Int

    /// Begins `ENC(label; …)` of exactly `itemCount` items.
    package init(_ label: String, itemCount: Int) {
      missingItemCount = itemCount
      bytes.reserveCapacity(1024)
      bytes.appendPrefixed(label.utf8Span.span)
      bytes.appendCount(itemCount)
    }

    package mutating func append(_ item: [UInt8]) { append(item.span) }

    package mutating func append(_ item: RawSpan) { append(Span<UInt8>(_bytes: item)) }

    /// Adds the 16 raw bytes of an identifier as the next item.
    package mutating func append(_ identifier: Identifier) {
      missingItemCount -= 1
      bytes.appendCount(Identifier.byteCount)
      identifier.appendBytes(to: &bytes)
    }

    /// Adds the UTF-8 of a text as the next item.
    package mutating func append(_ text: String) { append(text.utf8Span.span) }

    /// Adds `T(value)` as the next item.
    package mutating func append(canonical value: JSONValue) {
      append { value.appendCanonical(to: &$0) }
    }

    /// Adds `T` of an object as the next item, leaving out some members of one of its members.
    package mutating func append(canonical object: JSONObject, leavingOut names: [String], in member: String) {
      append { bytes in
        bytes.append(0x06)
        bytes.appendCount(object.count)
        for index in object.members.indices {
          bytes.appendPrefixed(object.members[index].name.utf8Span.span)
          if sameBytes(object.members[index].name, member), case .object(let inner) = object.members[index].value {
            inner.appendCanonical(to: &bytes, leavingOut: names)
          } else {
            object.members[index].value.appendCanonical(to: &bytes)
          }
        }
      }
    }

    private mutating func append(_ item: (inout [UInt8]) -> Void) {
      missingItemCount -= 1
      let start = bytes.count
      bytes.appendCount(0)
      item(&bytes)
      bytes.setCount(bytes.count - start - 4, at: start)
    }

    package consuming func finish() -> [UInt8] {
      // With a wrong count, two different sequences of items could encode alike: a mistake of the caller.
      precondition(missingItemCount == 0, "ENC was given another number of items than announced")
      return bytes
    }

    private mutating func append(_ item: Span<UInt8>) {
      missingItemCount -= 1
      bytes.appendPrefixed(item)
    }
  }
}

extension [UInt8] {
  /// Appends a count as 32 bits, big-endian.
  @inline(__always)
  mutating func appendCount(_ count: Int) {
    // A document within the limits never has more than 2^32 bytes or items.
    let word = UInt32(count)
    append(addingCapacity: 4) { output in
      output.append(UInt8(truncatingIfNeeded: word >> 24))
      output.append(UInt8(truncatingIfNeeded: word >> 16))
      output.append(UInt8(truncatingIfNeeded: word >> 8))
      output.append(UInt8(truncatingIfNeeded: word))
    }
  }

  /// Overwrites the four bytes of a count.
  mutating func setCount(_ count: Int, at offset: Int) {
    let word = UInt32(count)
    for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: word >> (24 - 8 * index)) }
  }

  /// Appends `LP(bytes)`.
  @inline(__always)
  mutating func appendPrefixed(_ bytes: Span<UInt8>) {
    appendCount(bytes.count)
    append(all: bytes)
  }
}
