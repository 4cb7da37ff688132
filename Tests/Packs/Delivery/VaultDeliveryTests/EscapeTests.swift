import Testing
import VaultDelivery
import VaultDocument

/// One way in which an encoder writes a value.
private struct Encoder: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let text: String

  init(_ name: String, _ text: String) { (testDescription, self.text) = (name, text) }
}

private let value = "p<a>&b+c/d=e \"f\" 'g' h!*()i\\jä😀"

/// As each encoder prints ``value``; made with that encoder, or by its documentation.
private let encoders = [
  Encoder("as it is", value),
  Encoder("Go encoding/json", #"p\u003ca\u003e\u0026b+c/d=e \"f\" 'g' h!*()i\\jä😀"#),
  Encoder(
    ".NET System.Text.Json",
    #"p\u003Ca\u003E\u0026b\u002Bc/d=e \u0022f\u0022 \u0027g\u0027 h!*()i\\j\u00E4\uD83D\uDE00"#),
  Encoder("Python json", #"p<a>&b+c/d=e \"f\" 'g' h!*()i\\j\u00e4\ud83d\ude00"#),
  Encoder("PHP json_encode", #"p<a>&b+c\/d=e \"f\" 'g' h!*()i\\j\u00e4\ud83d\ude00"#),
  Encoder("Rails JSON", #"p\u003ca\u003e\u0026b+c/d=e \"f\" 'g' h!*()i\\jä😀"#),
  Encoder("JSON within JSON", #"p<a>&b+c/d=e \\\"f\\\" 'g' h!*()i\\\\jä😀"#),
  Encoder("JSON within JSON within JSON", #"p<a>&b+c/d=e \\\\\\\"f\\\\\\\" 'g' h!*()i\\\\\\\\jä😀"#),
  Encoder("Go JSON within JSON", #"p\\u003ca\\u003e\\u0026b+c/d=e \\\"f\\\" 'g' h!*()i\\\\jä😀"#),
  Encoder("encodeURIComponent", "p%3Ca%3E%26b%2Bc%2Fd%3De%20%22f%22%20'g'%20h!*()i%5Cj%C3%A4%F0%9F%98%80"),
  Encoder("encodeURI", "p%3Ca%3E&b+c/d=e%20%22f%22%20'g'%20h!*()i%5Cj%C3%A4%F0%9F%98%80"),
  Encoder("URLSearchParams", "p%3Ca%3E%26b%2Bc%2Fd%3De+%22f%22+%27g%27+h%21*%28%29i%5Cj%C3%A4%F0%9F%98%80"),
  Encoder("urllib quote", "p%3Ca%3E%26b%2Bc/d%3De%20%22f%22%20%27g%27%20h%21%2A%28%29i%5Cj%C3%A4%F0%9F%98%80"),
  Encoder("urllib quote_plus", "p%3Ca%3E%26b%2Bc%2Fd%3De+%22f%22+%27g%27+h%21%2A%28%29i%5Cj%C3%A4%F0%9F%98%80"),
  Encoder("lower-case percent", "p%3ca%3e%26b%2bc%2fd%3de%20%22f%22%20%27g%27%20h%21%2a%28%29i%5cj%c3%a4%f0%9f%98%80"),
  Encoder(
    "percent twice",
    "p%253Ca%253E%2526b%252Bc%252Fd%253De%2520%2522f%2522%2520'g'%2520h!*()i%255Cj%25C3%25A4%25F0%259F%2598%2580"),
  Encoder("percent within JSON", #"p%3Ca%3E%26b%2Bc\/d%3De%20%22f%22%20'g'%20h!*()i%5Cj%C3%A4%F0%9F%98%80"#),
  Encoder("Python html.escape", "p&lt;a&gt;&amp;b+c/d=e &quot;f&quot; &#x27;g&#x27; h!*()i\\jä😀"),
  Encoder("Go html.EscapeString", "p&lt;a&gt;&amp;b+c/d=e &#34;f&#34; &#39;g&#39; h!*()i\\jä😀"),
  Encoder("PHP htmlspecialchars", "p&lt;a&gt;&amp;b+c/d=e &quot;f&quot; &#039;g&#039; h!*()i\\jä😀"),
  Encoder("XML text", "p&lt;a&gt;&amp;b+c/d=e \"f\" 'g' h!*()i\\jä😀"),
  Encoder("XML text without >", "p&lt;a>&amp;b+c/d=e \"f\" 'g' h!*()i\\jä😀"),
  Encoder("XML attribute", "p&lt;a&gt;&amp;b+c/d=e &quot;f&quot; &apos;g&apos; h!*()i\\jä😀"),
  Encoder(".NET HtmlEncode", "p&lt;a&gt;&amp;b+c/d=e &quot;f&quot; &#39;g&#39; h!*()i\\j&#228;&#128512;"),
  Encoder("OWASP HTML", "p&lt;a&gt;&amp;b&#x2B;c&#x2F;d&#x3d;e &quot;f&quot; &#x27;g&#x27; h!*()i\\j&#xe4;&#x1f600;"),
  Encoder("HTML twice", "p&amp;lt;a&amp;gt;&amp;amp;b+c/d=e &amp;quot;f&amp;quot; &amp;#39;g&amp;#39; h!*()i\\jä😀"),
  Encoder("JSON within HTML", #"p&lt;a&gt;&amp;b+c/d=e \&quot;f\&quot; &#39;g&#39; h!*()i\\jä😀"#),
  Encoder("Python bytes", #"p<a>&b+c/d=e "f" \'g\' h!*()i\\j\xc3\xa4\xf0\x9f\x98\x80"#),
  Encoder("Python ascii", #"p<a>&b+c/d=e "f" \'g\' h!*()i\\j\xe4\U0001f600"#),
  Encoder("Python repr", #"p<a>&b+c/d=e "f" \'g\' h!*()i\\jä😀"#),
  Encoder("Rust and Swift debug", #"p<a>&b+c/d=e \"f\" \'g\' h!*()i\\j\u{e4}\u{1f600}"#),
  Encoder("C octal, as git prints paths", #"p<a>&b+c/d=e \"f\" 'g' h!*()i\\j\303\244\360\237\230\200"#),
  Encoder("JavaScript \\x", #"p\x3Ca\x3E\x26b+c/d=e \x22f\x22 \x27g\x27 h!*()i\\jä😀"#),
  Encoder("SQL", "p<a>&b+c/d=e \"f\" ''g'' h!*()i\\jä😀"),
  Encoder("CSV", "p<a>&b+c/d=e \"\"f\"\" 'g' h!*()i\\jä😀"),
  Encoder("shell, single quotes", #"p<a>&b+c/d=e "f" '\''g'\'' h!*()i\jä😀"#),
  Encoder("shell, the other way", #"p<a>&b+c/d=e "f" '"'"'g'"'"' h!*()i\jä😀"#),
  Encoder("shell, double quotes", #"p<a>&b+c/d=e \"f\" 'g' h!*()i\\jä😀"#),
  Encoder("bash printf %q", #"p\<a\>\&b+c/d=e\ \"f\"\ \'g\'\ h\!\*\(\)i\\jä😀"#),
  Encoder("bash declare -p", #"$'p<a>&b+c/d=e "f" \'g\' h!*()i\\j\303\244\360\237\230\200'"#),
]

@Suite("Values with escapes")
struct EscapeTests {
  private static let needles: NeedleSet = {
    var needles = NeedleSet()
    unsafe needles.add(Array(value.utf8).span.bytes, label: 0)
    return needles
  }()

  private func redacted(_ text: String, pieces size: Int) -> String {
    var (redactor, output) = (Redactor(Self.needles, names: ["R/f"]), [UInt8]())
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      output += redactor.take(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    return String(decoding: output + redactor.end(), as: UTF8.self)
  }

  @Test("a value is replaced whole, whatever encoder printed it and wherever pieces end", arguments: encoders)
  fileprivate func encoded(_ encoder: Encoder) {
    for size in [1, 2, 3, 7, 64, 1 << 16] {
      let output = redacted("key=[\(encoder.text)],\n", pieces: size)
      #expect(output == "key=[«R/f»],\n" || output == "key=[$'«R/f»'],\n", "\(size): \(output)")
    }
  }

  @Test("a search finds what is replaced, once, and in the right line", arguments: encoders)
  fileprivate func searched(_ encoder: Encoder) {
    for size in [1, 5, 1 << 16] {
      var (search, found) = (NeedleSearch(Self.needles), [NeedleSearch.Finding]())
      let bytes = Array("\n%41 & \\ '' \n\(encoder.text)\n".utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        found += search.take(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      found += search.end()
      #expect(found.map(\.line) == [3], "\(size)")
    }
  }

  @Test(
    "text that only looks like escapes passes as it is, and nothing of it is lost",
    arguments: [
      "100% of %4 %zz %", #"a\ b\u12 \x \u{110000} \uD800 \u{ \"#, "R&D &amp &#; &#x; &#12 &lt &unknown; &",
      "'' \"\" ''' '\\' '\"", "+ + +", "",
    ])
  func others(_ text: String) {
    for size in [1, 3, 1 << 16] { #expect(redacted(text, pieces: size) == text, "\(size)") }
  }

  @Test(
    "a value that holds escapes itself is found as it is, and as other encoders print it",
    arguments: [
      "literal%41percent", "plus+plus+plus", "entity&amp;entity", #"back\nslash\\ "q" "#, "two''quotes\"\"here",
      "%2B+&lt;\\u0041''",
    ])
  func escapesOfItsOwn(_ value: String) throws {
    var needles = NeedleSet()
    unsafe needles.add(Array(value.utf8).span.bytes, label: 0)
    let json = String(
      decoding: try JSONValue.string(value).compactBytes(limits: .exchange).dropFirst().dropLast(), as: UTF8.self)
    let entities = value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    for text in [value, json, PercentEncoding.encoded(value), entities, value.replacing("'", with: "''")] {
      #expect(!needles.occurrences(in: Array("x=\(text) ".utf8)).isEmpty, "\(text)")
    }
  }

  /// Encoders of a text, by name.
  private static let encodings: [(name: String, encode: @Sendable (String) -> String)] = [
    ("HTML", { entities($0, ["&": "&amp;", "<": "&lt;", "\"": "&quot;", "'": "&#39;"]) }),
    ("HTML of all signs", { entities($0, [:]) }), ("JSON", json), ("addresses", PercentEncoding.encoded),
    ("forms", { PercentEncoding.encoded($0).replacing("%20", with: "+") }),
    ("SQL", { $0.replacing("'", with: "''") }), ("CSV", { $0.replacing("\"", with: "\"\"") }),
    ("single quotes of shells", { $0.replacing("'", with: #"'\''"#) }),
  ]

  private static func json(_ text: String) -> String {
    let bytes = try? JSONValue.string(text).compactBytes(limits: .exchange)
    return String(decoding: (bytes ?? []).dropFirst().dropLast(), as: UTF8.self)
  }

  /// Entities by a table; of an empty table, all that is neither letter nor digit is a number.
  private static func entities(_ text: String, _ table: [Character: String]) -> String {
    text.map { sign in
      if table.isEmpty, !sign.isLetter, !sign.isNumber { return "&#\(sign.unicodeScalars.first?.value ?? 0);" }
      return table[sign] ?? String(sign)
    }.joined()
  }

  @Test("two signs that begin escapes stand side by side in a value, and it is found behind one encoder and behind two")
  func neighbours() {
    let signs = Array("\\&<\"'%+;#4nux ab\n").map(String.init)
    var missed: [String: Set<String>] = [:]
    for pair in signs.flatMap({ first in signs.map { first + $0 } }) {
      for value in ["head\(pair)bodytail", "\(pair)4bodytailend"] {
        var needles = NeedleSet()
        unsafe needles.add(Array(value.utf8).span.bytes, label: 0)
        for (inner, encode) in Self.encodings {
          let once = encode(value)
          let twice = Self.encodings.map { (name: "\(inner) in \($0.name)", text: $0.encode(once)) }
          for (name, text) in [(inner, once)] + twice
          where needles.occurrences(in: Array("x=[\(text)]".utf8)).isEmpty {
            missed[name, default: []].insert(pair)
          }
        }
      }
    }
    #expect(missed.isEmpty, "\(missed)")
  }

  @Test(
    "a backslash before an escape is one of the value, wherever pieces end",
    arguments: [
      (#"secret\&value"#, #"secret\&amp;value"#), (#"secret\<value"#, #"secret\&lt;value"#),
      (#"secret\'value"#, #"secret\&#39;value"#), (#"secret\"value"#, #"secret\&quot;value"#),
      (#"secret\\&value"#, #"secret\\&amp;value"#), (#"secret\&amp;value"#, #"secret\&amp;amp;value"#),
      ("secret'value", #"secret&#39;\&#39;&#39;value"#), (#"secret\'value"#, #"secret\'\''value"#),
      ("secret'value", #"secret'\''\'\'''\''value"#), ("secretvalue&", #"secretvalue\&"#),
      ("secretvalue'", #"secretvalue\'"#), ("secret&value", #"secret\&value"#),
      ("secret&;value", #"secret\&\;value"#),
    ])
  func backslashes(_ value: String, _ text: String) {
    var needles = NeedleSet()
    unsafe needles.add(Array(value.utf8).span.bytes, label: 0)
    for size in [1, 2, 3, 5, 8, 64] {
      var (redactor, output) = (Redactor(needles, names: ["R/f"]), [UInt8]())
      let bytes = Array("x=\(text)".utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        output += redactor.take(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(String(decoding: output + redactor.end(), as: UTF8.self) == "x=«R/f»", "\(size)")
    }
  }

  @Test("a line of a value is found as base64 and with escapes, and text is found as UTF-16, also as base64")
  func partsAndWideText() {
    let line = "second line, with \"quotes\" in it"
    var needles = NeedleSet()
    unsafe needles.add(Array("first line\n\(line)\n".utf8).span.bytes, label: 0)
    unsafe needles.add(Array("wide text äö".utf8).span.bytes, label: 1)
    let wide = "wide text äö".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = "wide text äö".utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    #expect(needles.occurrences(in: Array(Base64.encode(Array(line.utf8)).utf8)).map(\.label).contains(0))
    #expect(needles.occurrences(in: Array(line.replacing("\"", with: "&quot;").utf8)).map(\.label).contains(0))
    #expect(needles.occurrences(in: wide).map(\.label).contains(1))
    #expect(needles.occurrences(in: big).map(\.label).contains(1))
    #expect(needles.occurrences(in: Array(Base64.encode(wide).utf8)).map(\.label).contains(1))
  }
}
