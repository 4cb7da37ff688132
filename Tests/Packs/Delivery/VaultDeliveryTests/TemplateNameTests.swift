import Testing
import VaultDelivery
import VaultTestSupport

private func isFilled(_ text: String, as format: TemplateFormat) -> Bool {
  guard let template = try? Template(parsing: Array(text.replacing("@@", with: "{{cvault://R/f}}").utf8)) else {
    return false
  }
  return (try? template.filled(as: format, with: template.placeholders.map { _ in TemplateValue("x") })) != nil
}

@Suite("Places in names", .enabled(if: Need.yaml.isMet(forCases: 50, of: "places in names")))
struct TemplateNameTests {
  @Test(
    "a place in a name, a tag, an anchor or a comment is refused",
    arguments: [
      (TemplateFormat.yaml, "@@: x"), (.yaml, "\"@@\": x"), (.yaml, "'a@@': x"), (.yaml, "{@@: x}"),
      (.yaml, "{a: 1, @@: 2}"),
      (.yaml, "? @@\n: x"), (.yaml, "? [@@]\n: x"), (.yaml, "? {a: @@}\n: x"), (.yaml, "a:\n  b:\n    @@: x"),
      (.yaml, "- @@: x"), (.yaml, "- a: 1\n  @@: x"), (.yaml, "? |\n  @@\n: x"), (.yaml, "&@@ a: x"),
      (.yaml, "a: &@@ x"),
      (.yaml, "a: *@@"), (.yaml, "a: !@@ x"), (.yaml, "a: !<@@> x"), (.yaml, "[@@: x]"), (.yaml, "a: 1 # @@"),
      (.yaml, "%TAG ! @@\n--- a"),
      (.yaml, "a: 1\n---\n@@: 2"), (.toml, "@@ = 1"), (.toml, "\"@@\" = 1"), (.toml, "'@@' = 1"), (.toml, "a.@@ = 1"),
      (.toml, "a.\"@@\".b = 1"),
      (.toml, "[@@]"), (.toml, "[a.@@]"), (.toml, "[a.\"@@\"]"), (.toml, "[[@@]]"), (.toml, "[[a.'@@']]"),
      (.toml, "a = {@@ = 1}"),
      (.toml, "a = {b = 1, \"@@\" = 2}"), (.toml, "a = [{@@ = 1}]"), (.toml, "a = [\n  1,\n  {b = {\"@@\" = 1}}\n]"),
      (.toml, "a = 1 # @@"),
      (.toml, "x = 1\n@@ = 2"), (.toml, "[t]\n\"@@\" = 2"), (.json, "{\"@@\": 1}"), (.json, "{@@: 1}"),
      (.json, "{\"a\": {\"x@@\": 1}}"),
      (.json, "[{\"a\": 1, \"@@\": 2}]"), (.ini, "[@@]\na = 1"), (.ini, "@@ = 1"), (.ini, "a@@ = 1"), (.ini, "; @@"),
      (.ini, "# @@"), (.ini, "[a]\n\t@@ = 1"), (.ini, "[a]\nk = 1\n\t@@"), (.ini, "[a]\n  x@@: 1"),
      (.env, "@@=x"), (.env, "A@@=x"), (.env, "export @@=x"), (.env, "# @@"), (.xml, "<@@/>"), (.xml, "<a @@='x'/>"),
      (.xml, "<a>&@@;</a>"),
      (.xml, "<a><!-- @@ --></a>"), (.xml, "<a><?x @@?></a>"), (.xml, "<x:@@ xmlns:x='u'/>"), (.shell, "@@=x"),
      (.shell, "export @@=x"),
      (.shell, "A@@=x"), (.shell, "${@@}"),
    ])
  func names(_ format: TemplateFormat, _ text: String) {
    #expect(!isFilled(text, as: format))
  }

  @Test(
    "a place in a value is filled",
    arguments: [
      (TemplateFormat.yaml, "a: @@"), (.yaml, "{a: @@, b: [@@]}"), (.yaml, "? a\n: @@"), (.yaml, "- @@\n- b: @@"),
      (.yaml, "a: !t &n @@"),
      (.yaml, "a: {b: {c: @@}}\nd: @@"), (.yaml, "? [a]\n: @@"), (.toml, "a = @@"),
      (.toml, "a = \"x@@\"\n[t]\nb = [@@, {c = @@}]"),
      (.toml, "a = {b = \"@@\", c = [\n  '@@',\n]}\n[[x]]\ny.z = @@"), (.json, "{\"a\": \"@@\"}"),
      (.ini, "[s]\na = @@"), (.env, "A=@@"),
      (.xml, "<a b='@@'>@@</a>"), (.shell, "A=@@"),
    ])
  func values(_ format: TemplateFormat, _ text: String) {
    #expect(isFilled(text, as: format))
  }
}
