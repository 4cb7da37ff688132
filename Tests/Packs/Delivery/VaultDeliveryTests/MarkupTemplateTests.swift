import Testing
import VaultDelivery
import VaultDocument
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
      ("a: x{{cvault://R/f}}", "y z", "a: xy z"),
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
      #expect(found != nil, "\(text): \(String(describing: found))")
      #expect(found?.line ?? 2 >= 2, "\(text): \(String(describing: found))")
    }
  }
}

@Suite("Templates with many places", .enabled(if: Need.expat.isMet(forCases: 8, of: "templates with many places")))
struct ManyPlacesTests {
  @Test(
    "of many values the one that cannot stand in its place is named by its line", arguments: [0, 1, 2, 7, 498, 499])
  func culprit(_ index: Int) throws {
    let lines = (0..<500).map { _ in "<b><![CDATA[{{cvault://R/f}}]]></b>" }
    let template = try Template(parsing: Array("<a>\(lines.joined(separator: "\n"))</a>".utf8))
    let values = lines.indices.map { TemplateValue($0 == index ? "]]><c/>" : "<\($0)>") }
    let fault = #expect(throws: TemplateFault.self) { try template.filled(as: .xml, with: values) }
    #expect(fault?.line == index + 1)
  }

  @Test("each of many places gets its own value", arguments: [TemplateFormat.xml, .toml])
  func order(_ format: TemplateFormat) throws {
    let numbers = 0..<500
    func text(_ value: (Int) -> String) -> String {
      format == .xml
        ? "<a>" + numbers.map { "<b x='\(value($0))'>\(value($0))</b>" }.joined() + "</a>"
        : numbers.map { "a\($0) = \"\(value($0)) \(value($0))\"\n" }.joined()
    }
    let template = try Template(parsing: Array(text { _ in "{{cvault://R/f}}" }.utf8))
    let filled = try template.filled(
      as: format, with: numbers.flatMap { [TemplateValue("v\($0)"), TemplateValue("v\($0)")] })
    #expect(String(decoding: filled, as: UTF8.self) == text { "v\($0)" })
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
      ("<a><![CDATA[{{cvault://R/f}} {{cvault://R/f}}]]>{{cvault://R/f}}</a>", "<", "<a><![CDATA[< <]]>&lt;</a>"),
      (
        "<a x='{{cvault://R/f}}'><![CDATA[{{cvault://R/f}}]]><![CDATA[]]>{{cvault://R/f}}<b/>{{cvault://R/f}}</a>", "&",
        "<a x='&amp;'><![CDATA[&]]><![CDATA[]]>&amp;<b/>&amp;</a>"
      ),
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
