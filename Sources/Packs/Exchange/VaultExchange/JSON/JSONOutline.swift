/// The member names at the beginning of a JSON text, which tell its format. The text may be cut off anywhere.
///
/// Nothing is validated; a text that is not JSON has few names.
struct JSONOutline: Sendable {
  /// How many levels are read. Deeper levels are only counted.
  private static let maximumDepth = 5

  /// Paths of members, with `[]` for an item of a list: `items[].login.uris`.
  private(set) var paths: Set<String> = []
  /// Whether the text begins with an object or a list.
  private(set) var isJSON = false

  private enum Level {
    case object(path: String, isName: Bool)
    case list(path: String)
  }

  /// - Parameter head: the beginning of the file, in the encoding that it declares.
  init(_ head: [UInt8]) {
    var decoder = TextDecoder()
    let text = decoder.decode(head) + decoder.decode([])
    var levels: [Level] = []
    /// How many levels are open below the limit.
    var hiddenCount = 0
    var below = ""
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if levels.count == Self.maximumDepth {
          hiddenCount += 1
        } else {
          Self.open(byte, levels: &levels, below: &below)
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if hiddenCount > 0 { hiddenCount -= 1 } else { _ = levels.popLast() }
      case UInt8(ascii: ",") where hiddenCount == 0: Self.next(&levels, &below)
      case UInt8(ascii: ":") where hiddenCount == 0:
        if case .object(let path, _)? = levels.last { levels[levels.count - 1] = .object(path: path, isName: false) }
      case UInt8(ascii: "\""):
        let name = Self.string(in: text, from: &index)
        guard hiddenCount == 0, case .object(let path, true)? = levels.last else { break }
        let own = String(decoding: text[name], as: UTF8.self)
        below = path.isEmpty ? own : "\(path).\(own)"
        paths.insert(below)
      default: break
      }
      if levels.isEmpty, byte > UInt8(ascii: " ") { return }
      isJSON = true
    }
  }

  func has(_ names: String...) -> Bool { names.allSatisfy(paths.contains) }

  private static func open(_ bracket: UInt8, levels: inout [Level], below: inout String) {
    guard bracket == UInt8(ascii: "[") else { return levels.append(.object(path: below, isName: true)) }
    below += "[]"
    levels.append(.list(path: below))
  }

  private static func next(_ levels: inout [Level], _ below: inout String) {
    switch levels.last {
    case .object(let path, _)?: levels[levels.count - 1] = .object(path: path, isName: true)
    case .list(let path)?: below = path
    case nil: break
    }
  }

  /// The range of a string without its quotes.
  private static func string(in text: [UInt8], from index: inout Int) -> Range<Int> {
    let start = index
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index, text.count)
    index = end + 1
    return start..<end
  }
}
