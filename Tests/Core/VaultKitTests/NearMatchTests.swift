import Testing
import VaultKit

@Suite("Texts that are nearly what was typed") struct NearMatchTests {
  @Test(
    "a slip is near, in any script, with marks or without",
    arguments: [
      ("gtlab", "GitLab"), ("gitlba", "GitLab"), ("Emile", "Émile Zola"), ("kierkegard", "Søren Kierkegaard"),
      ("соколва", "Ирина Соколова"), ("東京銀", "東京銀行"), ("한국은헹", "한국은행"), ("שלם רב", "שלום רב"),
      ("محمد علي", "محمود علي"),
      ("git lab", "GitLab"), ("paris", "12 rue X, Pariss"),
    ])
  func near(_ word: String, _ text: String) {
    #expect(NearMatch(word).similarity(to: text) > 0)
  }

  @Test(
    "what has little in common is not, nor is anything near to two letters or to a long text",
    arguments: [
      ("gtlab", "Bank"), ("gtlab", "lab"), ("ab", "ab"), ("", "x"), ("---", "---"), ("соколва", "东京"), ("東京銀行", "京都"),
      ("gitlab", String(repeating: "gitlab ", count: 1000)),
    ])
  func far(_ word: String, _ text: String) {
    #expect(NearMatch(word).similarity(to: text) == 0)
  }

  @Test(
    "a part of a text is found byte by byte as it is letter by letter",
    arguments: [
      ("git", "my GitLab", true), ("a\r\nb", "xa\r\nbx", true), ("\n", "a\r\nb", false), ("\n", "a\nb", true),
      ("e", "é", false),
      ("é", "cafe\u{301}", true), (";", "\u{37E}", true), ("k", "\u{212A}", true), ("lab", "la", false),
      ("aab", "aaab", true),
      ("\r", "a\r\nb", false), ("b", "\r\nb", true),
    ])
  func parts(_ part: String, _ text: String, _ isThere: Bool) {
    #expect(TextMatch(part).matches(text) == isThere)
  }

  @Test("the nearer text is the more similar one, and letters with marks are their base letters")
  func order() {
    let near = NearMatch("gitlab")
    #expect(near.similarity(to: "GITLÁB") == 1)
    #expect(near.similarity(to: "my gitlab") == 1)
    #expect(near.similarity(to: "gitlabs") > near.similarity(to: "github"))
  }
}
