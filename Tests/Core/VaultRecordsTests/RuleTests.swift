import Testing
import VaultDocument
import VaultSealing
import VaultRecords

@Suite("Rules of values")
struct RuleTests {
  @Test(
    "numbers are compared by value, without rounding",
    arguments: [
      ("1", "1.0", 0), ("100", "1e2", 0), ("-0", "0.0", 0), ("0.1", "0.10000000000000000000000000001", -1),
      ("9007199254740993", "9007199254740992", 1), ("-1", "1", -1), ("-2", "-1", -1), ("1e400", "1e399", 1),
      ("1e-400", "0", 1), ("-1e-400", "0", -1), ("12", "9", 1), ("0.5e1", "5", 0), ("1E99999999999999999999", "1", 1),
      ("1e-99999999999999999999", "1", -1), ("0e99999999999999999999", "0", 0),
    ])
  func numbers(_ left: String, _ right: String, _ order: Int) throws {
    let one = DecimalValue(try #require(JSONNumber(literal: left)))
    let other = DecimalValue(try #require(JSONNumber(literal: right)))
    #expect((one < other) == (order < 0))
    #expect((one > other) == (order > 0))
    #expect((one == other) == (order == 0))
  }

  @Test(
    "whole numbers may be written with a point or an exponent",
    arguments: [("1.0", true), ("1.5", false), ("15e-1", false), ("150e-1", true), ("1e30", true), ("0.0", true)])
  func wholeNumbers(_ literal: String, _ isWhole: Bool) throws {
    #expect(DecimalValue(try #require(JSONNumber(literal: literal))).isWhole == isWhole)
  }

  @Test(
    "each format takes what it is for and nothing else",
    arguments: [
      (TextFormat.dateTime, ["2026-11-21T01:40:28Z", "2026-11-21T01:40:28.5+01:00"], ["2026-11-21", "yesterday"]),
      (.date, ["2024-02-29"], ["2026-02-29", "2026-2-1", "2026-11-21T00:00:00Z"]),
      (
        .email, ["ada@example.com", "a.b+c@xn--bcher-kva.example"], ["ada", "@example.com", "a@", "a b@c.de", "a@b..c"]
      ),
      (.uri, ["https://example.com/a?b", "mailto:a@b.c", "urn:isbn:1"], ["example.com", "//x", "1a:b", "a:", "a: b"]),
      (.uuid, ["17373545-a393-913b-b441-3217f6c9e76d", "17373545-A393-913B-B441-3217F6C9E76D"], ["17373545a393913b"]),
      (.base64, ["", "eA==", "eHg=", "eHh4"], ["eA", "eB==", "e A=", "eA=", "eA==\n", "*"]),
      (.hostname, ["example.com", "a-1.b"], ["-a.b", "a_b", "", "a..b", String(repeating: "a", count: 64)]),
      (.ipv4, ["192.0.2.1", "0.0.0.0"], ["192.0.2", "256.0.0.1", "01.2.3.4", "1.2.3.4.5", "a.b.c.d"]),
      (
        .ipv6, ["::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1::"],
        [
          ":", "1:2:3", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9", ":::", "::192.0.2.1:1", "1:2:3:4:5:6:7:8::",
          "192.0.2.1::",
        ]
      ),
    ])
  func formats(_ format: TextFormat, _ good: [String], _ bad: [String]) {
    for text in good { #expect(format.fits(text), "\(format): \(text)") }
    for text in bad { #expect(!format.fits(text), "\(format): \(text)") }
  }

  @Test("the check digit of a card number is looked at, whatever stands between the digits")
  func checkDigits() {
    for number in ["4111111111111111", "4111 1111 1111 1111", "378282246310005"] {
      #expect(PaymentCard.hasCheckDigit(number))
    }
    for number in ["4111111111111112", "", "0", "abc"] { #expect(!PaymentCard.hasCheckDigit(number)) }
  }

  @Test("the address of a database escapes what is in it")
  func connectionURLs() throws {
    let place = Database(
      engine: "postgresql", host: "2001:db8::1", port: 5432, database: "a/b", user: "ada@x", password: "p:ss/ö")
    #expect(try place.connectionURL() == "postgresql://ada%40x:p%3Ass%2F%C3%B6@[2001:db8::1]:5432/a%2Fb")
    #expect(try Database(engine: "redis", host: "localhost").connectionURL() == "redis://localhost")
  }
}
