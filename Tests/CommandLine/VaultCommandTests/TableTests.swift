import Testing
import VaultCommands
import VaultTerminal

@Suite("Tables for eyes") struct TableTests {
  @Test(
    "a text is as wide as a terminal shows it",
    arguments: [
      ("Ada", 3), ("Zoe\u{308}", 3), ("Émile", 5), ("東京", 4), ("한국", 4), ("日本ガ", 6), ("Ｆ", 2), ("שָׁלוֹם", 4),
      ("مُحَمَّد", 4), ("Иван", 4), ("🔑", 2), ("👩‍👩‍👧", 2), ("🇮🇸", 2), ("❤️", 2), ("❤", 1), ("a\u{200B}b", 2), ("", 0),
    ])
  func widths(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  /// The widths are those of wcwidth(3), which terminals add up.
  @Test(
    "in scripts with vowel signs a sign that has a place of its own has a column of its own",
    arguments: [
      ("हिन्दी बैंक", 8), ("स्टेट बँक", 6), ("क्षत्रिय", 6), ("বাংলা ব্যাংক", 11), ("தமிழ் வங்கி", 9), ("க்ஷ", 2), ("తెలుగు", 5),
      ("ಕನ್ನಡ", 4), ("മലയാളം", 6), ("ગુજરાતી", 6), ("ਪੰਜਾਬੀ", 5), ("ଓଡ଼ିଆ", 3), ("සිංහල", 4), ("ខ្មែរ", 4), ("မြန်မာ", 5),
      ("ພາສາລາວ", 7), ("กำลังใจ", 6), ("བོད་ཡིག", 5), ("क्\u{200D}ष", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("한국", 4), ("👍🏽", 2), ("1\u{FE0F}\u{20E3}", 1),
    ])
  func scripts(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "what is cut ends with … and is never wider than it may be",
    arguments: [
      ("Ada Example", 11, "Ada Example"), ("Ada Example", 10, "Ada Examp…"), ("東京銀行", 8, "東京銀行"),
      ("東京銀行", 7, "東京銀…"), ("東京銀行", 6, "東京…"), ("Zoe\u{308}ab", 4, "Zoe\u{308}…"), ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"), ("ab", 1, "…"),
      ("ab", 0, ""), ("ไทยไทย", 4, "ไทย…"),
    ])
  func cut(_ text: String, _ width: Int, _ expected: String) {
    let cut = DisplayWidth.cut(text, to: width)
    #expect(cut.text == expected)
    #expect(cut.width == DisplayWidth.of(cut.text))
    #expect(cut.width <= width)
  }

  private func lines(_ rows: [[String]], width: Int?) throws -> [String] {
    let columns = [
      TableColumn<[String]>(title: "NAME", rank: 0, least: 6, most: 12) { $0[0] },
      TableColumn(title: "WHO", rank: 1, least: 4, most: 10) { $0[1] }, TableColumn(title: "ID", rank: 2) { $0[2] },
    ]
    var lines: [String] = []
    try Table(rows, columns, width: width).lines(Style(noColor: true, descriptor: 1)) { lines.append($0) }
    return lines
  }

  private let rows = [
    ["Ada", "ada@home", "1111"], ["東京銀行", "", "2222"], ["Zoe\u{308}", "zoe", ""],
    ["one name that is far wider than all others are", "x", "4444"],
  ]

  @Test("one wide text does not push the others, columns align, and no line ends with a blank")
  func widePushesNobody() throws {
    #expect(
      try lines(rows, width: 80) == [
        "NAME          WHO       ID\n", "Ada           ada@home  1111\n", "東京銀行                2222\n",
        "Zoe\u{308}           zoe\n", "one name th…  x         4444\n",
      ])
    #expect(try lines(rows, width: nil)[0] == "NAME" + String(repeating: " ", count: 44) + "WHO       ID\n")
  }

  @Test("every line fits the screen, which takes the widest first and then whole columns", arguments: 1...40)
  func fits(_ width: Int) throws {
    let shown = try lines(rows, width: width)
    #expect(shown.allSatisfy { DisplayWidth.of(String($0.dropLast())) <= width })
    #expect(shown[0].contains("ID") == (width >= 18))
    #expect(shown[0].contains("WHO") == (width >= 12))
  }

  @Test("many wide texts make their column wide")
  func usualWidth() throws {
    let rows = (0..<20).map { [String(repeating: "n", count: 20), "w", String($0)] }
    #expect(try lines(rows, width: 80)[0] == "NAME                  WHO  ID\n")
  }
}
