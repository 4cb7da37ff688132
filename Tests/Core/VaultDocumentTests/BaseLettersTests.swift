import Testing
import VaultDocument

@Suite("Base letters") struct BaseLettersTests {
  @Test(
    "a letter with marks is its base letter, however it is composed",
    arguments: [
      ("Émile", "emile"), ("E\u{301}mile", "emile"), ("Þóra Æsa", "thora aesa"), ("Søren", "soren"), ("Łódź", "lodz"),
      ("Straße", "strasse"), ("Nguyễn Văn", "nguyen van"), ("Œuvre", "oeuvre"), ("Ｆｕｌｌ", "full"), ("İI", "ii"),
      ("Ἀλέξανδρος", "αλεξανδροσ"), ("Ёлка", "елка"), ("שָׁלוֹם", "שׁלום"), ("مُحَمَّد", "محمد"), ("東京", "東京"), ("日本ガ", "日本ガ"),
      ("한국", "한국"), ("ไทย", "ไทย"), ("", ""), ("a-1 B", "a-1 b"),
    ])
  func base(_ text: String, _ letters: String) {
    #expect(BaseLetters.of(text) == letters)
  }

  @Test("names stand by base letters, then by marks, then by case, and the order is one")
  func order() {
    let names = [
      "ada", "Ada", "Adà", "Eb", "Émile", "emile", "Ez", "tz", "Þóra", "Ti", "Zoe", "Zoë", "Älg", "zoe", "Иван", "東京",
      "אבא", "",
    ]
    let expected = [
      "", "Ada", "ada", "Adà", "Älg", "Eb", "emile", "Émile", "Ez", "Þóra", "Ti", "tz", "Zoe", "zoe", "Zoë", "Иван",
      "אבא", "東京",
    ]
    for shuffled in [names, names.reversed(), names.sorted(), names.shuffled()] {
      #expect(shuffled.sorted { LetterOrder($0) < LetterOrder($1) } == expected)
    }
  }
}
