import Testing
import VaultDelivery
import VaultDocument

/// A value with characters that have a meaning somewhere: quotes, line ends, signs, and letters beyond ASCII.
private let odd = "p w\"x\n2'$`\\% #: é\u{01}"

private func filled(_ text: String, as format: TemplateFormat, _ values: [String]) throws -> String {
  let template = try Template(parsing: Array(text.utf8))
  let values = template.placeholders.indices.map { TemplateValue(values[$0 % values.count]) }
  return String(decoding: try template.filled(as: format, with: values), as: UTF8.self)
}

/// The line of the fault, or 0 if none is named; nil without a fault.
private func faultLine(_ text: String, as format: TemplateFormat, _ value: String = odd) -> Int? {
  do {
    _ = try filled(text, as: format, [value])
    return nil
  } catch let fault as TemplateFault {
    #expect(value.utf8.count < 4 || !fault.reason.contains(value), "a fault never tells the value")
    return fault.line ?? 0
  } catch {
    return -1
  }
}

@Suite("Templates")
struct TemplateTests {
  @Test("only places with a reference are replaced, and doubled braces")
  func places() throws {
    let text = "{{{{ a }} {{ x }} {{cvault://R/f}}{{\tCVAULT://R/g?view=otp#L }} {{{ cvault://R/h }}} cvault://R/i {{"
    let template = try Template(parsing: Array(text.utf8))
    #expect(template.placeholders.map { "\($0.reference)" }.count == 3)
    #expect(try filled(text, as: .raw, ["1", "2", "3"]) == "{{ a }} {{ x }} 12 {3} cvault://R/i {{")
    #expect(try filled("", as: .raw, ["1"]) == "")
  }

  @Test(
    "a place that is not closed, or whose reference is none, is refused with its line",
    arguments: [
      "\n{{ cvault://R/f }", "\n{{ cvault://R/f", "\n{{ cvault://R/f\n}}", "\n{{ cvault:// }}", "\n{{ cvault://R }}",
      "\n{{ cvault://R/f x }}", "\n{{cvault://R/f/g}}",
    ])
  func faults(_ text: String) {
    #expect(faultLine(text, as: .raw) == 2)
  }

  @Test("the name of a file tells its format")
  func formats() {
    for (name, format) in [
      ("a.json", TemplateFormat.json), ("x/a.yaml.tmpl", .yaml), ("a.yml.in", .yaml), (".env", .env),
      ("a/.env.prod", .env),
      ("app.env", .env), ("run.sh", .shell), (".profile", .shell), ("x.zsh.tmpl", .shell), (".bashrc", .shell),
      ("x.ksh", .shell), ("Info.plist", .xml), ("my.cfg", .ini), ("a.toml.example", .toml),
    ] {
      #expect(TemplateFormat(ofFileNamed: name) == format, "\(name)")
    }
    for name in ["", "a", "json", "a.conf", "a.tmpl", "env", "a.json/b"] {
      #expect(TemplateFormat(ofFileNamed: name) == nil, "\(name)")
    }
  }

  @Test("JSON: the value is the string, with quotes or without, and nothing else changes")
  func json() throws {
    let text = try filled(#"{"a\"": {{cvault://R/f}}, "b": "x{{cvault://R/f}}\\"}"#, as: .json, [odd])
    let tree = try JSONParser.parse(text)
    #expect(tree.object?["a\""]?.string == odd)
    #expect(tree.object?["b"]?.string == "x\(odd)\\")
    for bad in [
      "{\n{{cvault://R/f}}: 1}", "{\n\"{{cvault://R/f}}\": 1}", "[\n\"\\{{cvault://R/f}}\"]", "[\n{{cvault://R/f}} 1]",
      "[\n1{{cvault://R/f}}]",
    ] {
      #expect(faultLine(bad, as: .json) == 2, "\(bad)")
    }
  }

  @Test("numbers stay numbers where nothing is quoted, and what is no number brings its quotes")
  func types() throws {
    let text = "{\"a\":{{cvault://R/f}},\"b\":\"{{cvault://R/f}}\"}"
    let template = try Template(parsing: Array(text.utf8))
    let number = TemplateValue("5432", isText: false)
    let made = try template.filled(as: .json, with: [number, number])
    #expect(String(decoding: made, as: UTF8.self) == "{\"a\":5432,\"b\":\"5432\"}")
    #expect(try filled("{\"a\":{{cvault://R/f}}}", as: .json, ["true"]) == "{\"a\":\"true\"}")
    #expect(throws: TemplateFault.self) {
      // A text that claims to be a number cannot bring more than one value.
      try template.filled(as: .json, with: [TemplateValue("1,\"c\":2", isText: false), number])
    }
    #expect(try filled("a = {{cvault://R/f}}", as: .toml, ["1"]) == "a = \"1\"")
  }

  @Test("TOML: strings of four sorts")
  func toml() throws {
    #expect(try filled("a = {{cvault://R/f}} # x", as: .toml, ["a\"\n"]) == "a = \"a\\\"\\n\" # x")
    #expect(try filled("a = \"x{{cvault://R/f}}\"", as: .toml, ["\\é\u{7F}"]) == "a = \"x\\\\é\\u007f\"")
    #expect(try filled("a = '''\n{{cvault://R/f}}'''", as: .toml, ["x\ny"]) == "a = '''\nx\ny'''")
    for (bad, line) in [
      ("\na = '{{cvault://R/f}}'", 2), ("a = 1\n# {{cvault://R/f}}", 2), ("\na = x{{cvault://R/f}}", 2),
      ("a = \"\n{{cvault://R/f}}", 1), ("a = \"\\q\"{{cvault://R/f}}", 1),
    ] {
      #expect(faultLine(bad, as: .toml) == line, "\(bad)")
    }
    #expect(faultLine("a = '{{cvault://R/f}}'", as: .toml, "x\ny") == 1)
    #expect(faultLine("a = '''{{cvault://R/f}}'''", as: .toml, "x\r\ny") == 1)
  }

  @Test("INI: only what every reader takes as it is")
  func ini() throws {
    #expect(faultLine("a = {{cvault://R/f}}", as: .ini, "x\u{A0}") == 1)
    #expect(faultLine("a = {{cvault://R/f}}", as: .ini, "\u{3000}x") == 1)
    #expect(try filled("[s]\na = {{cvault://R/f}}\r\n", as: .ini, ["x y/=+"]) == "[s]\na = x y/=+\r\n")
    #expect(try filled("a: \"{{cvault://R/f}}\"", as: .ini, [" a;b"]) == "a: \" a;b\"")
    for value in ["a;b", "a#b", "'a'", " a", "a ", "a\\b", "a%b", "a\nb", "a\rb", "a\"b", "a$b"] {
      #expect(faultLine("\na = {{cvault://R/f}}", as: .ini, value) == 2, "\(value)")
    }
    for bad in ["\n; {{cvault://R/f}}", "\n[{{cvault://R/f}}]", "\n{{cvault://R/f}} = 1", "\n{{cvault://R/f}}"] {
      #expect(faultLine(bad, as: .ini, "x") == 2, "\(bad)")
    }
  }

  @Test("files of variables: as run reads them")
  func environment() throws {
    let text = "A={{cvault://R/f}}\nexport B=\"x {{cvault://R/f}}\"\nC='{{cvault://R/f}}'\n"
    let entries = try EnvironmentFile.parse(Array(try filled(text, as: .env, [odd]).utf8))
    let values = entries.map { if case .text(let text) = $0.variable.content { text } else { "" } }
    #expect(values == [odd, "x " + odd, odd])
    #expect(try filled("A={{cvault://R/f}}\nB=x{{cvault://R/f}}", as: .env, ["a/b+1"]) == "A=a/b+1\nB=xa/b+1")
    #expect(faultLine("\nA=x{{cvault://R/f}}", as: .env) == 2)
    #expect(faultLine("\n# A={{cvault://R/f}}", as: .env, "x") == 2)
    #expect(faultLine("\n{{cvault://R/f}}=x", as: .env, "x") == 2)
  }

  @Test("scripts: in each sort of quotes the value is one word, and nothing that a shell acts on")
  func shell() throws {
    let value = "a'b\"$(x)`\\"
    #expect(try filled("A={{cvault://R/f}}", as: .shell, [value]) == "A='a'\\''b\"$(x)`\\'")
    #expect(try filled("A=\"{{cvault://R/f}}\"", as: .shell, [value]) == "A=\"a'b\\\"\\$(x)\\`\\\\\"")
    #expect(try filled("A='{{cvault://R/f}}'", as: .shell, [value]) == "A='a'\\''b\"$(x)`\\'")
    #expect(try filled("echo $# it\\'s \"$(x {{cvault://R/f}})\"", as: .shell, ["a b"]).hasSuffix("$(x 'a b')\""))
    #expect(try filled("cat <<'E' # '\n it's\nE\nx {{cvault://R/f}}", as: .shell, [""]).hasSuffix("x ''"))
  }

  @Test(
    "scripts: where quotes cannot be told, or hold no value, it is refused",
    arguments: [
      "\n# {{cvault://R/f}}", "\"\n$A{{cvault://R/f}}\"", "\n$'{{cvault://R/f}}'", "cat <<E\n{{cvault://R/f}}\nE\n",
      "\n`x {{cvault://R/f}}`", "\n${A:-{{cvault://R/f}}}", "\n$((1+{{cvault://R/f}}))", "\n\\{{cvault://R/f}}",
      "$(case x in x) y;; esac)\n{{cvault://R/f}}", "\"${A:-'}\"\n{{cvault://R/f}}", "\n${{cvault://R/f}}",
      "x\n\"\\{{cvault://R/f}}\"",
    ])
  func shellRefusals(_ text: String) {
    #expect(faultLine(text, as: .shell, "x") == 2)
  }

  @Test("scripts that are not closed are refused", arguments: ["'", "\"", "`", "$(", "${", "\"$(\"", "$((1"])
  func shellFaults(_ text: String) {
    #expect(faultLine("{{cvault://R/f}}\n" + text, as: .shell, "x") != nil)
  }

  @Test("addresses: what a value holds is no part of the address")
  func url() throws {
    #expect(try filled("x://{{cvault://R/f}}@h", as: .url, ["a/b@c:é "]) == "x://a%2Fb%40c%3A%C3%A9%20@h")
  }
}
