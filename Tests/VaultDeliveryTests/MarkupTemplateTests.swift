import Testing
import VaultDelivery
import VaultTestSupport

private func filled(_ text: String, as format: TemplateFormat, _ value: String) throws -> String {
  let template = try Template(parsing: Array(text.utf8))
  let values = template.placeholders.map { _ in TemplateValue(value) }
  return String(decoding: try template.filled(as: format, with: values), as: UTF8.self)
}

private func fault(_ text: String, as format: TemplateFormat, _ value: String) -> TemplateFault? {
  do {
    _ = try filled(text, as: format, value)
    return nil
  } catch {
    return error as? TemplateFault
  }
}

@Suite("Templates of YAML", .enabled(if: Need.yaml.isMet(forCases: 2, of: "templates of YAML")))
struct YAMLTemplateTests {
  @Test("each place gets the value as it asks for it")
  func values() throws {
    for (text, value, wanted) in [
      ("a: {{cvault://R/f}} # x\n", "b: #\n", "a: \"b: #\\n\" # x\n"), ("a: {{cvault://R/f}}", "no", "a: \"no\""),
      ("a: \"{{cvault://R/f}}\"", "\"\\\u{85}", "a: \"\\\"\\\\\\u0085\""),
      ("a: '{{cvault://R/f}}'", "it's", "a: 'it''s'"),
      ("[{{cvault://R/f}}, {x: {{cvault://R/f}}}]", "]", "[\"]\", {x: \"]\"}]"),
      ("a: x{{cvault://R/f}}", "y z", "a: xy z"), ("{{cvault://R/f}}: 1", "a: b", "\"a: b\": 1"),
      ("a:\n  - |\n    {{cvault://R/f}}\nb: 1", "x\n y\n\nz\n", "a:\n  - |\n    x\n     y\n    \n    z\nb: 1"),
      ("a: 1\n---\nb: {{cvault://R/f}}\n", "x", "a: 1\n---\nb: \"x\"\n"),
      ("# {{{{\na: !t &n {{cvault://R/f}}", "", "# {{\na: !t &n \"\""),
    ] {
      #expect(try filled(text, as: .yaml, value) == wanted, "\(text)")
    }
  }

  @Test("what would make another document is refused with its line, and the value is not told")
  func refusals() {
    for (text, value) in [
      ("\na: x{{cvault://R/f}}", ": y"), ("\na: x{{cvault://R/f}}", " #y"), ("\na: 1{{cvault://R/f}}", "2"),
      ("\na: 'x {{cvault://R/f}}'", "a\nb"), ("\na: {{cvault://R/f}}{{cvault://R/f}}", "7"),
      ("\n# {{cvault://R/f}}", "x"),
      ("\na: &{{cvault://R/f}} x", "y"), ("a: |\n  {{cvault://R/f}}\n", " x\ny"),
      ("a: >\n  {{cvault://R/f}}\n", "x\ny"),
      ("a: 1\nb: [{{cvault://R/f}}", "x"), ("\n[a, x{{cvault://R/f}}]", ", y"), ("\na: x{{cvault://R/f}}", " "),
      ("a: |\n  {{cvault://R/f}}\n", "x\r\ny"),
    ] {
      let found = fault(text, as: .yaml, value)
      #expect(found != nil && found?.line ?? 2 >= 2, "\(text): \(String(describing: found))")
    }
  }
}

@Suite("Templates of XML", .enabled(if: Need.expat.isMet(forCases: 2, of: "templates of XML")))
struct XMLTemplateTests {
  @Test("texts, attributes and sections get the value, whatever it holds")
  func values() throws {
    for (text, value, wanted) in [
      ("<a>{{cvault://R/f}}</a>", "<b>&\r\n", "<a>&lt;b&gt;&amp;&#13;\n</a>"),
      ("<a x='{{cvault://R/f}}'/>", "'\"\n\t", "<a x='&apos;&quot;&#10;&#9;'/>"),
      ("<a><![CDATA[x]]>&amp;<![CDATA[{{cvault://R/f}}]]></a>", "<&", "<a><![CDATA[x]]>&amp;<![CDATA[<&]]></a>"),
      ("<a><![CDATA[x]]>{{cvault://R/f}}</a>", "<&", "<a><![CDATA[x]]>&lt;&amp;</a>"),
    ] {
      #expect(try filled(text, as: .xml, value) == wanted, "\(text)")
    }
  }

  @Test("what holds no value is no place, and what would end its part is refused")
  func refusals() {
    for (text, value) in [
      ("<a>\n<!-- {{cvault://R/f}} --></a>", "x"), ("<a>\n<?p {{cvault://R/f}}?></a>", "x"),
      ("<a>\n<{{cvault://R/f}}/></a>", "x"),
      ("<a>\n<![CDATA[{{cvault://R/f}}]]></a>", "]]><b/>"), ("<a>\n{{cvault://R/f}}</a>", "\u{1}"),
      ("<a>\n{{cvault://R/f}}", "x"),
      ("<!DOCTYPE a>\n<a>{{cvault://R/f}}</a>", "x"),
    ] {
      #expect(fault(text, as: .xml, value) != nil, "\(text)")
    }
  }
}
