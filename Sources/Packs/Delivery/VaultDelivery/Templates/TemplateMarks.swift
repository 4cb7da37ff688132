internal import VaultDocument

/// Words that replace the values while a template is parsed: a prefix that the template does not contain, a number and
/// an `x`.
struct TemplateMarks: RandomAccessCollection {
  private let prefix: [UInt8]
  let endIndex: Int

  var startIndex: Int { 0 }

  init(for template: Template) {
    var number = 0
    while template.texts.contains(where: { String(decoding: $0, as: UTF8.self).contains("cvault\(number)place") }) {
      number += 1
    }
    (prefix, endIndex) = (Array("cvault\(number)place".utf8), template.placeholders.count)
  }

  subscript(index: Int) -> String { String(decoding: prefix, as: UTF8.self) + "\(index)x" }

  /// The part of a text that contains each mark, found in one pass; nil for a mark in no part.
  func holders<Part>(among parts: [Part], _ text: (Part) -> [UInt8]) -> [Part?] {
    var found = [Part?](repeating: nil, count: count)
    for part in parts {
      for number in numbers(in: text(part)) where indices.contains(number) {
        found[number] = found[number] ?? part
      }
    }
    return found
  }

  func areIn(_ text: [UInt8]) -> Bool { text.contains(prefix[0]) }

  func numbers(in text: [UInt8]) -> [Int] {
    text.indices.compactMap { text[$0] == prefix[0] ? number(in: text, at: $0)?.number : nil }
  }

  /// The number and end of the mark that begins here; nil without a mark.
  func number(in text: [UInt8], at start: Int) -> (number: Int, end: Int)? {
    guard text.has(prefix, at: start) else { return nil }
    let digits = text[(start + prefix.count)...].prefix { $0 != UInt8(ascii: "x") }
    return Int(String(decoding: digits, as: UTF8.self)).map { ($0, start + prefix.count + digits.count + 1) }
  }
}
