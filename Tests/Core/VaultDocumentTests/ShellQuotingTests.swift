import Testing
import VaultDocument

@Suite("Words for the shell")
struct ShellQuotingTests {
  @Test(
    "a text is one word of the shell, and quoted only where it has to be",
    arguments: [
      ("records/ab/c-1.json", "records/ab/c-1.json"), ("größe", "größe"), ("", "''"), ("a b", "'a b'"),
      ("it's", "'it'\\''s'"), ("$(x)", "'$(x)'"), ("a\nb", "'a\nb'"), ("~", "'~'"), ("a=b", "'a=b'"),
    ])
  func quoted(_ text: String, _ word: String) { #expect(text.shellQuoted == word) }
}
