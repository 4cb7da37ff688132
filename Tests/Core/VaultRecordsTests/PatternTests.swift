import Testing
import VaultRecords

@Suite("A pattern of a declared kind")
struct PatternTests {
  @Test(
    "matches as ECMA-262 says, somewhere in the text",
    arguments: [
      ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("^abc$", "abc", true), ("^$", "", true),
      ("", "anything", true), ("a.c", "a\nc", false), ("a.c", "axc", true), ("^(?:ab|cd)+$", "abcdab", true),
      ("^(ab|cd)+$", "abc", false), ("^a{2,3}$", "a", false), ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false),
      ("^a{2}$", "aa", true), ("^a{2,}$", "aaaaa", true), ("^a?b*?c+$", "bbc", true), ("^[a-c-]+$", "a-c", true),
      ("^[^0-9]$", "7", false), (#"^\d{3}\D\w\W\s\S$"#, "123x_- y", true), (#"\bcat\b"#, "a cat!", true),
      (#"\bcat\b"#, "concat", false), (#"\Bcat"#, "concat", true), (#"^\u0041\x42\u{1F600}$"#, "AB😀", true),
      (#"^\p{Lu}\p{L}+$"#, "Łódź", true), (#"^\P{N}$"#, "5", false), (#"^[\d.]+$"#, "1.5", true),
      (#"^\.$"#, "x", false),
      ("^(?<year>[0-9]{4})$", "2026", true), ("^.$", "é", true), ("^.$", "e\u{301}", false), ("(a|)b", "b", true),
      ("^[]$", "x", false), ("^[^]$", "x", true), (#"^[\]\\]+$"#, #"]\"#, true),
    ])
  func matches(_ pattern: String, _ text: String, _ fits: Bool) throws {
    #expect(try Pattern(pattern).matches(text) == fits, "\(pattern) on \(text)")
  }

  @Test(
    "what would need going back, or is malformed, is refused with what it is",
    arguments: [
      (#"(a)\1"#, "back references"), ("(?=a)", "look-around"), ("(?!a)", "look-around"), ("(?<=a)b", "look-around"),
      (#"\k<x>"#, "back references"), ("(a", "not closed"), ("a)", "no matching ("), ("*a", "nothing to repeat"),
      ("a{3,2}", "below its minimum"), ("[z-a]", "wrong order"), ("[a", "ends too early"),
      (#"\p{Script=Greek}"#, "general"),
      (#"\q"#, "is not known"), ("a{1001}", "count"), ("(?:a{100}){100}", "too long"), ("^*", "takes no character"),
      (String(repeating: "(", count: 50) + String(repeating: ")", count: 50), "too deeply"),
    ])
  func refused(_ pattern: String, _ reason: String) {
    do throws(RecordError) {
      _ = try Pattern(pattern)
      Issue.record("\(pattern) must be refused")
    } catch {
      #expect(error.code == .invalidSchema)
      #expect(error.reason.contains(reason), "\(pattern): \(error.reason)")
    }
  }

  @Test("patterns that make others go back for ever are tried in one pass over the text")
  func noCatastrophe() throws {
    let text = String(repeating: "a", count: 5_000) + "!"
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*(.*)*(.*)*x", "^(((a*)*)*)*$"] {
      #expect(try !Pattern(pattern).matches(text), "\(pattern)")
    }
    // Repetitions of nothing are not written out a thousand times a thousand times.
    #expect(try Pattern("((){1000}){1000}").matches("x"))
  }
}
