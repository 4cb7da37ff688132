import Testing
import VaultTestSupport

@Suite("Text of others on a terminal")
struct TerminalTextTests {
  /// A title, a line separator, a cursor command of eight bits, a turn of the writing direction and an invisible tag.
  private static let evil = "a\u{1B}]0;t\u{07}\u{7F}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{061C}\u{2028}\u{E0041}z"
  private static let escapes = #"\u001b]0;t\u0007\u007f\u009b31m\u202e\u2066\u200f\u061c\u2028\udb40\udc41"#

  private func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\r" || scalar == "\t"
        || !(scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
          || Self.evil.dropFirst().dropLast().unicodeScalars
            .contains { $0 == scalar && !$0.isASCII })
    }
  }

  private func workspace() throws -> (Workspace, id: String) {
    let workspace = try Workspace.withVault()
    let members: [String: JSON] = ["title": .string(Self.evil), "text": .string(Self.evil + "\n\tsecond")]
    let input = String(decoding: try JSON.object(members).foundationBytes(), as: UTF8.self)
    let added = workspace.open("add", "secure-note", "--from", "-", input: input)
    try #require(added.code == 0, "\(added.errors)")
    return (workspace, String(added.output.dropLast()))
  }

  @Test("get shows a value's control characters as escapes on a terminal, with a note, and gives a pipe every byte")
  func get() throws {
    let (workspace, id) = try workspace()
    for (path, value) in [("title", Self.evil), ("text", Self.evil + "\n\tsecond")] {
      let words = ["get", id, path, "--vault", "v", "--identity", "id.txt"]
      #expect(workspace.run(words).output == value)
      let shown = workspace.type(words, [], outputOnTerminal: true)
      #expect(shown.code == 0, "\(shown.shown.debugDescription)")
      #expect(isSafe(shown.shown), "\(shown.shown.debugDescription)")
      #expect(shown.shown.contains("a\(Self.escapes)z"), "\(shown.shown.debugDescription)")
      #expect(shown.errors.contains("note: control characters are shown as escapes"), "\(shown.errors)")
    }
    let plain = workspace.type(
      ["get", id, "title", "--vault", "v", "--identity", "id.txt", "-q"], [], outputOnTerminal: true)
    #expect(plain.code == 0)
    #expect(plain.errors == "")
  }

  @Test("documents and exports are safe on a terminal and mean the same; in a pipe they are as the writer has them")
  func documents() throws {
    let (workspace, id) = try workspace()
    let key = ["--vault", "v", "--identity", "id.txt"]
    for words in [
      ["show", id, "--reveal", "--json"], ["get", id, "text", "--json"], ["list", "--json"],
      ["export", "--reveal", "--format", "json", "-y"], ["export", "--reveal", "--format", "jsonl", "-y"],
    ] {
      let piped = workspace.run(words + key)
      #expect(piped.code == 0, "\(words)")
      #expect(piped.output.contains("\u{9B}"), "\(words)")
      #expect(piped.output.contains("\u{202E}"), "\(words)")
      let shown = workspace.type(words + key, [], outputOnTerminal: true)
      #expect(isSafe(shown.shown), "\(words): \(shown.shown)")
      #expect(shown.shown.contains(#"\u009b31m\u202e"#), "\(words): \(shown.shown)")
      #expect(JSON(shown.shown) == JSON(piped.stdout), "\(words)")
    }
    for format in ["csv", "yaml", "env"] {
      let shown = workspace.type(["export", "--reveal", "--format", format, "-y"] + key, [], outputOnTerminal: true)
      #expect(shown.shown.contains("second"), "\(format): \(shown.shown.debugDescription)")
      #expect(isSafe(shown.shown), "\(format): \(shown.shown.debugDescription)")
    }
    let file = workspace.type(
      ["export", "--reveal", "--format", "json", "-y", "-o", "out.json"] + key, [], outputOnTerminal: true)
    #expect(file.code == 0)
    #expect(workspace.text(of: "out.json").contains("\u{9B}"))
  }

  @Test("an error as JSON has no control characters either")
  func errors() throws {
    let workspace = try Workspace.withVault()
    let outcome = workspace.open("get", "x\u{9B}31m\u{202E}", "y\u{9B}", "--json")
    #expect(outcome.code != 0, "\(outcome.errors.debugDescription)")
    #expect(isSafe(outcome.errors), "\(outcome.errors.debugDescription)")
    let file = workspace.run("list", "--vault", "no\u{9B}where\u{202E}", "--json")
    #expect(file.status == .noVault, "\(file.errors.debugDescription)")
    #expect(isSafe(file.errors), "\(file.errors.debugDescription)")
    #expect(JSON(Array(file.errors.utf8))["file"]?.text == "no\u{9B}where\u{202E}")
  }
}
