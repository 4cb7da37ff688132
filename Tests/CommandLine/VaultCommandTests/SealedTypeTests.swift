import Testing
import VaultTestSupport

@Suite("The type of a sealed member")
struct SealedTypeTests {
  private static func schema(_ properties: String, _ more: String = "") -> String {
    #"{"type":"object","x-kind":"w","x-title":"t","required":["t"],"properties":{"t":{"type":"string"},"#
      + properties + "}" + more + "}"
  }

  private static func pin(_ keywords: String) -> String { schema(#""pin":{"# + keywords + #""x-sealed":true}"#) }

  /// A kind, a kind that is to replace it, and the path that the refusal names.
  private static let changes: [(old: String, new: String, path: String)] = [
    (pin(""), pin(#""type":"string","#), "pin"),
    (pin(#""type":"string","#), pin(""), "pin"),
    (pin(#""type":"string","#), pin(#""type":"integer","#), "pin"),
    (pin(#""type":"string","#), pin(#""type":"number","#), "pin"),
    (pin(#""type":"string","#), pin(#""type":"boolean","#), "pin"),
    (pin(#""type":"string","#), pin(#""type":"object","#), "pin"),
    (pin(#""type":"string","#), pin(#""type":"array","#), "pin"),
    (pin(#""type":"integer","#), pin(#""type":"string","#), "pin"),
    (pin(#""type":"number","#), pin(#""type":"integer","#), "pin"),
    (pin(#""type":"boolean","#), pin(#""type":"string","#), "pin"),
    (pin(#""enum":["x","y"],"#), pin(#""enum":["x","y",1],"#), "pin"),
    (pin(#""enum":["x","y",1],"#), pin(#""enum":["x","y"],"#), "pin"),
    (
      schema(#""a":{"type":"object","properties":{"pin":{"type":"string","x-sealed":true}}}"#),
      schema(#""a":{"type":"object","properties":{"pin":{"type":"integer","x-sealed":true}}}"#), "a.pin"
    ),
    (
      schema(#""pins":{"type":"array","items":{"type":"string","x-sealed":true}}"#),
      schema(#""pins":{"type":"array","items":{"x-sealed":true}}"#), "pins[]"
    ),
    (
      schema(#""pins":{"type":"object","additionalProperties":{"type":"string","x-sealed":true}}"#),
      schema(#""pins":{"type":"object","additionalProperties":{"type":"integer","x-sealed":true}}"#), "pins.*"
    ),
    (
      pin(#""type":"string","#),
      schema(
        #""code":{"type":"integer","x-sealed":true}"#,
        #","x-schema":2,"x-migrations":{"2":[{"move":"pin","to":"code"}]}"#), "pin"
    ),
  ]

  @Test("a kind that reads a sealed member as another type is refused and named", arguments: changes.indices)
  func refused(index: Int) throws {
    let (old, new, path) = Self.changes[index]
    let workspace = try Workspace.withVault()
    _ = workspace.write(old, to: "old.json")
    _ = workspace.write(new, to: "new.json")
    #expect(workspace.open("kinds", "add", "old.json").code == 0)
    let before = workspace.snapshot()
    let refused = workspace.open("kinds", "add", "new.json")
    #expect(refused.status == .inputRefused, "\(refused.errors)")
    #expect(refused.errors.contains(path), "\(refused.errors)")
    #expect(workspace.snapshot() == before)
  }

  private static let compatible: [(old: String, new: String)] = [
    (pin(#""type":"string","#), pin(#""type":"string","minLength":4,"#)),
    (pin(#""enum":["x","y"],"#), pin(#""enum":["x","y","z"],"#)),
    (pin(#""type":"integer","#), pin(#""type":"number","#)),
    (pin(#""type":"integer","#), pin("")),
  ]

  @Test("a kind that reads every sealed value as before replaces the old one", arguments: compatible.indices)
  func taken(index: Int) throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write(Self.compatible[index].old, to: "old.json")
    _ = workspace.write(Self.compatible[index].new, to: "new.json")
    #expect(workspace.open("kinds", "add", "old.json").code == 0)
    let taken = workspace.open("kinds", "add", "new.json")
    #expect(taken.code == 0, "\(taken.errors)")
  }

  @Test("verify names a record that a narrower kind no longer describes, and calls it no damage")
  func narrower() throws {
    let workspace = try Workspace.withVault()
    let wide = Self.schema(#""n":{"type":"integer"},"pin":{"type":"integer","x-sealed":true}"#)
    let readable = Self.schema(#""n":{"type":"integer","maximum":9},"pin":{"type":"integer","x-sealed":true}"#)
    let sealed = Self.schema(#""n":{"type":"integer"},"pin":{"type":"integer","maximum":9,"x-sealed":true}"#)
    _ = workspace.write(wide, to: "wide.json")
    #expect(workspace.open("kinds", "add", "wide.json").code == 0)
    let added = workspace.open("add", "w", "t=wifi", "n=12", "--secret-stdin", "pin", input: "12")
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("verify").code == 0)
    for (kind, field) in [(readable, "n"), (sealed, "pin")] {
      _ = workspace.write(kind, to: "narrow.json")
      #expect(workspace.open("kinds", "add", "narrow.json").code == 0)
      for command in ["verify", "check"] {
        let found = workspace.open(command)
        #expect(found.status == .findings, "\(command), \(field): \(found.errors)")
        #expect(
          found.errors.contains(field == "pin" ? ": pin: the opened value must" : ".json: n must"), "\(found.errors)")
        #expect(!found.errors.contains(" 12"))
      }
    }
    #expect(workspace.open("get", "wifi", "pin").output == "12")
  }
}
