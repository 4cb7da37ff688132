/// How deep the elements of an XML text are nested, for readers that would follow them until the stack ends.
enum XMLDepth {
  /// Whether no more elements are open at any place than the limit; the text is UTF-8.
  static func isWithin(_ limit: Int, _ text: [UInt8]) -> Bool {
    var depth = 0
    var index = 0
    while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
      if let end = end(of: "<!--", "-->", at: start, in: text) ?? end(of: "<![CDATA[", "]]>", at: start, in: text) {
        index = end
        continue
      }
      guard let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else { return true }
      let first = text[start + 1]
      if first == UInt8(ascii: "/") {
        depth -= 1
      } else if first != UInt8(ascii: "!"), first != UInt8(ascii: "?"), text[end - 1] != UInt8(ascii: "/") {
        depth += 1
      }
      guard depth <= limit else { return false }
      index = end + 1
    }
    return true
  }

  /// Where what begins here ends, if it begins so: what is in it is no element.
  private static func end(of opening: String, _ closing: String, at start: Int, in text: [UInt8]) -> Int? {
    guard text[start...].starts(with: opening.utf8) else { return nil }
    let rest = text[(start + opening.utf8.count)...]
    let last = Array(closing.utf8)
    var index = rest.startIndex
    while let next = rest[index...].firstIndex(of: last[0]) {
      if rest[next...].starts(with: last) { return next + last.count }
      index = next + 1
    }
    return text.count
  }
}
