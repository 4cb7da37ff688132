/// The member names of a JSON text that may be cut off anywhere: what a format is told by.
///
/// Nothing is checked; what is no JSON just has few names.
struct JSONOutline {
  /// Paths of members, `[]` for an item of a list: `items[].login.uris`.
  private(set) var paths: Set<String> = []
  /// Whether the text begins as an object or list.
  private(set) var isJSON = false

  private enum Level {
    case object(path: String, isName: Bool)
    case list(path: String)
  }

  /// - Parameter depth: how many levels are looked at.
  init(_ sample: ImportSample, depth: Int = 5) {
    var decoder = TextDecoder()
    let text = decoder.decode(sample.head) + decoder.decode([])
    var levels: [Level] = []
    var below = ""
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"): levels.append(.object(path: below, isName: true))
      case UInt8(ascii: "["):
        below += "[]"
        levels.append(.list(path: below))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
      case UInt8(ascii: ","): Self.next(&levels, &below)
      case UInt8(ascii: ":"):
        if case .object(let path, _)? = levels.last { levels[levels.count - 1] = .object(path: path, isName: false) }
      case UInt8(ascii: "\""):
        let name = Self.string(in: text, from: &index)
        guard case .object(let path, true)? = levels.last, levels.count <= depth else { break }
        below = path.isEmpty ? name : "\(path).\(name)"
        paths.insert(below)
      default: break
      }
      if levels.isEmpty, byte > UInt8(ascii: " ") { return }
      isJSON = true
    }
  }

  func has(_ names: String...) -> Bool { names.allSatisfy(paths.contains) }

  private static func next(_ levels: inout [Level], _ below: inout String) {
    switch levels.last {
    case .object(let path, _)?: levels[levels.count - 1] = .object(path: path, isName: true)
    case .list(let path)?: below = path
    case nil: break
    }
  }

  private static func string(in text: [UInt8], from index: inout Int) -> String {
    let start = index
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index, text.count)
    index = end + 1
    return String(decoding: text[start..<end], as: UTF8.self)
  }
}
