import Testing
import VaultDelivery
import VaultDocument

@Suite("Redaction")
struct RedactorTests {
  private static func needles(_ values: [String]) -> (needles: NeedleSet, names: [String]) {
    var needles = NeedleSet()
    for (index, value) in values.enumerated() { unsafe needles.add(Array(value.utf8).span.bytes, label: index) }
    return (needles, values.indices.map { "R/f\($0)" })
  }

  private static func redacted(_ text: String, _ values: [String], pieces: [Int] = [1]) -> String {
    let (needles, names) = needles(values)
    var redactor = Redactor(needles, names: names)
    var (output, rest, turn) = ([UInt8](), Array(text.utf8)[...], 0)
    while !rest.isEmpty {
      output += redactor.take(Array(rest.prefix(pieces[turn % pieces.count])))
      rest = rest.dropFirst(pieces[turn % pieces.count])
      turn += 1
    }
    output += redactor.end()
    return String(decoding: output, as: UTF8.self)
  }

  @Test(
    "a value is replaced in each form in which programs print it",
    arguments: [
      "password=s3cret pä\"w'd/1\n", "{\"p\":\"s3cret p\u{E4}\\\"w'd/1\"}", "s3cret p\\u00e4\\\"w'd/1",
      "s3cret p\u{E4}\\\"w'd\\/1", "s3cret%20p%C3%A4%22w%27d%2F1", "s3cret%20p%c3%a4%22w%27d%2f1",
      "s3cret+p%C3%A4%22w%27d%2F1", "'s3cret pä\"w'\\''d/1'", "s3cret\\ pä\\\"w\\'d/1", "$'s3cret pä\"w\\'d/1'",
      "<p>s3cret pä&quot;w&#39;d/1</p>", "73336372657420703ca42277276",
    ])
  func forms(_ text: String) {
    let value = "s3cret pä\"w'd/1"
    let text = text.replacing("73336372657420703ca42277276", with: Hex.encode(Array(value.utf8)))
    let output = Self.redacted(text, [value])
    #expect(output.contains("«R/f0»"), "\(output)")
    #expect(!output.contains("s3cret"), "\(output)")
    #expect(!output.contains("7333"), "\(output)")
  }

  @Test("a short value is replaced as it is, if the caller wants that, also across pieces and beside another one")
  func shortAsItIs() {
    for pieces in [[1], [3], [4, 1], [100]] {
      var needles = NeedleSet()
      for (index, value) in ["7301", "73", "o2", "long-enough-1", "730"].enumerated() {
        let isFound = unsafe needles.add(Array(value.utf8).span.bytes, label: index, includingShort: true)
        #expect(isFound == (value.count > 2), "\(value)")
      }
      var redactor = Redactor(needles, names: ["a", "b", "c", "d", "e"])
      var (output, rest, turn) = ([UInt8](), Array("pin 7301, 73012 730 73 o2 long-enough-1 73".utf8)[...], 0)
      while !rest.isEmpty {
        output += redactor.take(Array(rest.prefix(pieces[turn % pieces.count])))
        rest = rest.dropFirst(pieces[turn % pieces.count])
        turn += 1
      }
      output += redactor.end()
      #expect(String(decoding: output, as: UTF8.self) == "pin «a», «a»2 «e» 73 o2 «d» 73")
    }
    var usual = NeedleSet()
    #expect(unsafe !usual.add(Array("7301".utf8).span.bytes, label: 0))
  }

  @Test("base64 is found wherever the value stands in what was encoded, in both alphabets, and in wrapped lines")
  func base64() {
    let value = "correct?horse>battery~staple"
    for prefix in ["", "u", "u:", "us:", "user:"] {
      let bytes = Array("\(prefix)\(value)-tail".utf8)
      for text in [Base64.encode(bytes), Base64.encodeURL(bytes)] {
        let output = Self.redacted("x \(text) y", [value])
        #expect(output.contains("«R/f0»"), "\(prefix): \(output)")
        #expect(output.count < text.count, "\(prefix): \(output)")
      }
    }
    let key = (0..<40).map { "line \($0) of a key that is long enough" }.joined(separator: "\n")
    let text = Base64.encode(Array(key.utf8))
    let lines = stride(from: 0, to: text.count, by: 76).map { text.dropFirst($0).prefix(76) }.joined(separator: "\n")
    let output = Self.redacted(lines, [key], pieces: [7])
    #expect(output.split(separator: "\n").allSatisfy { $0 == "«R/f0»" }, "\(output)")
  }

  @Test(
    "base64 and hex are found where their lines are wrapped, wherever the value begins",
    arguments: [60, 64, 76], ["\n", "\r\n", "\n    "])
  func wrapped(_ width: Int, _ lineBreak: String) {
    let value = "correct?horse>battery~staple"
    for count in 0..<80 {
      let bytes = Array(
        "\(String(repeating: "~", count: count))\(value) and what follows, for some more of a line".utf8)
      for text in [Base64.encode(bytes), Base64.encodeURL(bytes), Hex.encode(bytes)] {
        let lines = stride(from: 0, to: text.count, by: width).map { text.dropFirst($0).prefix(width) }
        let output = Self.redacted("x\n" + lines.joined(separator: lineBreak) + "\n", [value], pieces: [7, 1, 40])
        // Both line breaks may be within the value.
        let marks = output.split(separator: "«R/f0»", omittingEmptySubsequences: false).count - 1
        #expect(marks == 1, "\(count): \(output)")
      }
    }
  }

  @Test("a line that is not full ends at once, though a value may begin with its last bytes")
  func shortLineEnds() {
    let (needles, names) = Self.needles(["abcdefghij"])
    var redactor = Redactor(needles, names: names)
    #expect(redactor.take(Array("Continue? abc\n".utf8)) == Array("Continue? abc\n".utf8))
    #expect(redactor.take(Array("defghij\n".utf8)) == Array("defghij\n".utf8))
  }

  @Test("lines of a value, the texts of a JSON value, and a value without the blanks behind it are found")
  func parts() {
    let key = "-----BEGIN KEY-----\nAAAABBBBCCCCDDDDEEEE\nshort\n-----END KEY-----\n"
    #expect(Self.redacted("> AAAABBBBCCCCDDDDEEEE <", [key]) == "> «R/f0» <")
    #expect(Self.redacted("short", [key]) == "short")
    #expect(Self.redacted("[hunter2hunter2]", [#"{"a":{"b":["hunter2hunter2", 1]}}"#]) == "[«R/f0»]")
    #expect(Self.redacted("'trailing-line'", ["trailing-line\n"]) == "'«R/f0»'")
  }

  @Test(
    "a short line of a value of several is found where it tells by itself",
    arguments: [
      "abcd-efghi", "k3j9x2m1", "12345-67890", "aB3dE6gH", "ABCD-EFGH", "abcd efgh1", "7f3a 9b2c", "tr0ub4dor",
      "x9!kw2#pq",
      "passWord", "ab12:cd34", "pässw0rt",
    ])
  func shortLines(_ line: String) {
    let value = "other-line-1\n  \(line)\n\"\(line)x\",\n"
    #expect(!Self.redacted("> \(line) <", [value]).contains(line))
    #expect(Self.redacted("\(line)\n", [value, "unrelated-value"], pieces: [3]) == "«R/f0»\n")
    #expect(unsafe NeedleSet.leftOutLineCount(of: Array(value.utf8).span.bytes) == 0)
  }

  @Test(
    "a word, a bracket and a short number on a line are left alone, and lines that could be secrets are counted",
    arguments: [
      ("}", 0), ("end", 0), ("return", 1), ("password", 1), ("\"password\":", 1), ("12345678901", 1), ("abc-123", 1),
      ("two words", 1), ("---", 0), ("],", 0),
    ])
  func leftOut(_ line: String, _ count: Int) {
    let value = "first-line-1\n\(line)\n}\n"
    #expect(Self.redacted("> \(line) <", [value]) == "> \(line) <")
    #expect(unsafe NeedleSet.leftOutLineCount(of: Array(value.utf8).span.bytes) == count)
  }

  @Test("what is short, or a short number, is not looked for")
  func short() {
    var needles = NeedleSet()
    for value in ["1234567", "pässw", "12345678901", ""] {
      #expect(unsafe !needles.add(Array(value.utf8).span.bytes, label: 0))
    }
    #expect(needles.isEmpty)
    #expect(unsafe needles.add(Array("123456789012".utf8).span.bytes, label: 0))
    #expect(!needles.isEmpty)
  }

  @Test("a possible beginning is held back until it is decided, and nothing else is")
  func holding() {
    let (needles, names) = Self.needles(["abcdefghij"])
    var redactor = Redactor(needles, names: names)
    #expect(redactor.take(Array("Name: ".utf8)) == Array("Name: ".utf8))
    #expect(redactor.take(Array("xabc".utf8)) == Array("x".utf8))
    #expect(redactor.take(Array("defgh".utf8)) == [])
    #expect(redactor.take(Array("i!".utf8)) == Array("abcdefghi!".utf8))
    #expect(redactor.take(Array("abcdefghij".utf8)) == Array("«R/f0»".utf8))
    #expect(redactor.take(Array("abc".utf8)) == [])
    #expect(redactor.end() == Array("abc".utf8))
    #expect(redactor.count == 1)
  }

  @Test("all that overlapping values cover is replaced; of values that begin alike the longest is")
  func overlapping() {
    #expect(Self.redacted("12abcabcabc34", ["abcabcabc", "abcabcabcabc"]) == "12«R/f0»34")
    #expect(Self.redacted("12abcabcabcabc34", ["abcabcabc", "abcabcabcabc"]) == "12«R/f1»34")
    #expect(Self.redacted("aaaabbbbccccdddd", ["aaaabbbbcccc", "bbbbccccdddd"]) == "«R/f0»")
    #expect(Self.redacted(String(repeating: "a", count: 5000), ["aaaaaaaa"], pieces: [3, 900]) == "«R/f0»")
  }

  @Test("a mark never holds, nor makes, what it stands for")
  func marks() {
    var needles = NeedleSet()
    unsafe needles.add(Array("Customers".utf8).span.bytes, label: 0)
    unsafe needles.add(Array("»abcdefgh".utf8).span.bytes, label: 1)
    var redactor = Redactor(needles, names: ["Customers/password", "Other/password"])
    let output = String(
      decoding: redactor.take(Array("Customersabcdefgh »abcdefgh".utf8)) + redactor.end(), as: UTF8.self)
    #expect(output == "***abcdefgh ***")
  }

  @Test("in pieces of any size no value is left, and what holds none is as it was")
  func pieces() {
    var random = SystemRandomNumberGenerator()
    for number in 0..<300 {
      // At the end of a piece a quote or backslash counts as it is, so that nothing waits for more of an escape. At
      // once, the same place may be read as an escape, and more be covered.
      let hasEscapes = number.isMultiple(of: 2)
      let alphabet = Array((hasEscapes ? "ab\"\\ /\n=é" : "abc /\n=é").map(String.init))
      func text(_ range: ClosedRange<Int>) -> String {
        (0..<Int.random(in: range, using: &random)).map { _ in alphabet.randomElement(using: &random)! }.joined()
      }
      let whole = text(9...40)
      // Values that are beginnings of each other, and one of their own.
      let values = [whole, String(whole.prefix(9)), String(whole.prefix(20)), text(8...16)]
      let (needles, names) = Self.needles(values)
      var input = ""
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        input += text(0...30) + values.randomElement(using: &random)!
      }
      input += text(0...30)
      let sizes = (0..<5).map { _ in [1, 2, 7, 64, 1 << 16].randomElement(using: &random)! }
      var redactor = Redactor(needles, names: names)
      var (output, rest, turn) = ([UInt8](), Array(input.utf8)[...], 0)
      while !rest.isEmpty {
        output += redactor.take(Array(rest.prefix(sizes[turn % 5])))
        rest = rest.dropFirst(sizes[turn % 5])
        turn += 1
      }
      output += redactor.end()
      #expect(needles.occurrences(in: output).isEmpty)
      if needles.occurrences(in: Array(input.utf8)).isEmpty { #expect(output == Array(input.utf8)) }
      var atOnce = Redactor(needles, names: names)
      let outputAtOnce = atOnce.take(Array(input.utf8)) + atOnce.end()
      #expect(needles.occurrences(in: outputAtOnce).isEmpty)
      #expect(hasEscapes || outputAtOnce == output)
    }
  }
}
