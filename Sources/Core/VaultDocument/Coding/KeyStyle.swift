/// How the words of a member name are joined: `home_phone`, `homePhone` or `home-phone`.
///
/// Every style reads every other. A name with characters other than ASCII letters, digits, `_` and `-` is not a
/// program's key (`Meta Data`, `1. open`) and stays as it is; `_` and `-` at its ends stay too. Words begin at a
/// separator and at an upper-case letter. A run of upper-case letters is one word: `imageURLs` is `image_ur_ls`, as in
/// Foundation. Names survive a change of style if every word but the first has at least two characters and begins with
/// a letter.
public enum KeyStyle: String, Sendable, CaseIterable {
  /// `home_phone`.
  case snake
  /// `homePhone`.
  case camel
  /// `home-phone`.
  case kebab

  /// `name` in this style.
  public func name(for name: String) -> String {
    let bytes = Array(name.utf8)
    guard bytes.allSatisfy({ $0.isSeparator || $0.isUpper || $0.isLower || $0.isDigit }),
      let first = bytes.firstIndex(where: { !$0.isSeparator }),
      let last = bytes.lastIndex(where: { !$0.isSeparator })
    else { return name }
    let middle = joined(Self.words(of: bytes[first...last]))
    return String(decoding: bytes[..<first] + middle + bytes[(last + 1)...], as: UTF8.self)
  }

  /// There is at least one word, and no word is empty.
  private func joined(_ words: [[UInt8]]) -> [UInt8] {
    switch self {
    case .snake: Array(words.joined(separator: [UInt8(ascii: "_")]))
    case .kebab: Array(words.joined(separator: [UInt8(ascii: "-")]))
    case .camel: words[0] + words.dropFirst().flatMap { [$0[0].uppercased] + $0.dropFirst() }
    }
  }

  /// The words in lower case, without empty words.
  private static func words(of bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = [[]]
    for index in bytes.indices {
      let byte = bytes[index]
      if byte.isSeparator || beginsWord(at: index, in: bytes), words.last?.isEmpty == false { words.append([]) }
      if !byte.isSeparator { words[words.count - 1].append(byte.lowercased) }
    }
    return words
  }

  /// Whether an upper-case letter follows another character, or ends a run that a lower-case letter follows.
  private static func beginsWord(at index: Int, in bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes[index].isUpper, index > bytes.startIndex else { return false }
    return !bytes[index - 1].isUpper || (index + 1 < bytes.endIndex && bytes[index + 1].isLower)
  }
}

extension UInt8 {
  fileprivate var isSeparator: Bool { self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
  fileprivate var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var lowercased: UInt8 { isUpper ? self + 32 : self }
  fileprivate var uppercased: UInt8 { isLower ? self - 32 : self }
}

extension JSONValue {
  /// The tree with every member name in a style, except in the trees that `isLeftAlone` selects.
  ///
  /// - Throws: ``DocumentError`` `.duplicateMember`, with its path, if two names of one object become the same.
  public func names(
    in style: KeyStyle, except isLeftAlone: (JSONValue) -> Bool = { _ in false }
  ) throws(DocumentError) -> JSONValue {
    try names(in: style, except: isLeftAlone, at: .root)
  }

  private func names(
    in style: KeyStyle, except isLeftAlone: (JSONValue) -> Bool, at path: MemberPath
  ) throws(DocumentError) -> JSONValue {
    switch self {
    case .object(let object) where !isLeftAlone(self):
      var members: [(String, JSONValue)] = []
      for (name, value) in object {
        let value = try value.names(in: style, except: isLeftAlone, at: path.appending(name))
        members.append((style.name(for: name), value))
      }
      do throws(DocumentError) {
        return .object(try JSONObject(members))
      } catch {
        throw DocumentError(
          code: .duplicateMember, reason: "two member names become the same", path: path.description)
      }
    case .array(let items) where !isLeftAlone(self):
      var result: [JSONValue] = []
      for (index, item) in items.enumerated() {
        result.append(try item.names(in: style, except: isLeftAlone, at: path.appending(index)))
      }
      return .array(result)
    default: return self
    }
  }
}
