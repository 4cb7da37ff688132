/// What can be told of an XML text without reading it, for readers that follow elements until the stack ends, or keep
/// one of two names without a word.
enum XMLShape {
  /// How many elements of a name there are; nil where more elements are open at any place than the limit. The text is
  /// UTF-8.
  static func count(of name: String, _ text: [UInt8], maximumDepth limit: Int) -> Int? {
    var count = 0
    var depth = 0
    var index = 0
    while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
      if let end = end(of: "<!--", "-->", at: start, in: text) ?? end(of: "<![CDATA[", "]]>", at: start, in: text) {
        index = end
        continue
      }
      guard let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else { return count }
      let first = text[start + 1]
      if first == UInt8(ascii: "/") {
        depth -= 1
      } else if first != UInt8(ascii: "!"), first != UInt8(ascii: "?"), text[end - 1] != UInt8(ascii: "/") {
        depth += 1
      }
      guard depth <= limit else { return nil }
      let tag = text[(start + 1)..<end]
      if tag.starts(with: name.utf8), tag.dropFirst(name.utf8.count).first.map({ $0 <= 0x20 || $0 == 0x2F }) ?? true {
        count += 1
      }
      index = end + 1
    }
    return count
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
