import Testing
import VaultDocument
import VaultRecords

@Suite("Addresses with secrets in them")
struct SecretAddressTests {
  @Test(
    "passwords, keys, tokens and codes are found, however they are written",
    arguments: [
      "otpauth://totp/A?secret=JBSWY3DPEHPK3PXP", "OTPAUTH://totp/x", "otpauth%3A%2F%2Ftotp%2Fx",
      "steam://JBSWY3DPEHPK3PXP", "https://bob:hunter2@example.com/", "postgres://app:s3cr3t@db/x", "//bob:pw@host",
      "bob:pw@host", "sip:bob:pw@host", "redis://:pw@host", "https://bob%3Apw@host/", "https:\\\\bob:pw@host",
      "https:/bob:pw@host", " https://bob:pw@h", "https\n://bob:p\nw@h", "https://bob:p/w@host/x", "ftp://u:p@[::1]/",
      "user:pw@tcp(localhost:5555)/db", "ssh://git:pw@host:22/x", "mongodb+srv://u:p@c/",
      "jdbc:oracle:thin:scott/tiger@//h", "jdbc:mysql://h/db?user=x&password=yy",
      "https://ghp_abcdefghij1234567890@github.com/a/b", "https://KEY:@h", "https://e.example/?token=ghp_abc",
      "HTTPS://H/?PASSWORD=x1", "https://h/?pass%77ord=xyz", "https://h/%253Ftoken%253Dabc", "https://h/cb?code=abcd",
      "https://b.example/?sv=1&sig=abc%2F", "https://b/?X-Amz-Signature=abcd", "https://h/a;password=xx",
      "https://h/?user[password]=abc", "https://h/?a=1&amp;api_key=12", "https://h/#access_token=abc&x=1",
      "https://h/?redirect=https%3A%2F%2Fbob%3Apw%40i%2F", "https://h/#/d/abc/AbCdEf0123456789xyz",
      "https://privatebin.example/?abc#9FqDkYz1234567890AbCd", "https://h/?q=eyJhbGciOiJIUzI1NiJ9.e30.abc",
      "https://hooks.slack.com/services/T0/B0/abc", "Server=x;User Id=sa;Password=pw1;", "https://h/?пароль=слово",
    ])
  func secrets(_ text: String) { #expect(SecretAddress(in: text) != nil) }

  @Test(
    "addresses that lead somewhere and no further, and other texts, are left alone",
    arguments: [
      "https://example.com/", "https://example.com/a?b=c&page=2#top", "https://ann@example.com/", "ann@example.com",
      "android://hjkHJK34jkhKJH78sdf_-kjh==@com.example.app/", "mailto:bob@example.com", "git@github.com:org/repo.git",
      "ssh://git@host:22/x", "http://192.168.0.1:5000/", "https://[::1]:8080/x", "http://host.example:8080/@user",
      "https://medium.example/@user/post-1", "https://h/?country_code=US&zip=1", "https://h/#/login", "steam://run/440",
      "https://h/#heading-2-of-a-long-title", "https://accounts.example/?authuser=0", "https://h/settings/tokens",
      "https://h/reset-password", "https://h/i/123e4567-e89b-12d3-a456-426614174000", "https://h/?token=", "a: b",
      "https://h/?keyword=x", "2026-11-21T01:40:28Z", "chrome-csv:0123456789abcdef0123456789abcdef", "",
      "keepass-xml:+wSUOv6qf0OzW8/ZHAs2sA==", "bitwarden-csv:abc#2", "tel:+1-555", "100 % @home = fun",
    ])
  func harmless(_ text: String) { #expect(SecretAddress(in: text) == nil) }

  @Test("where an address leads is told only where that is beyond doubt")
  func origins() {
    #expect(SecretAddress.origin(of: "https://bob:hunter2@example.com:8443/x?token=a") == "https://example.com:8443")
    #expect(SecretAddress.origin(of: "https://bücher.example/?key=abc") == "https://bücher.example")
    for text in ["postgres://u:1234/x@h/db", "https://bob:p@ss/w@host/", "otpauth://totp/x", "bob:pw@host", "https://"]
    {
      #expect(SecretAddress.origin(of: text) == nil)
    }
  }

  @Test("a text of percent signs alone takes no time")
  func depth() {
    let text = "%" + String(repeating: "25", count: 200_000) + "@"
    #expect(SecretAddress(in: text) == .parameter)
  }

  @Test(
    "a text that begins an address or a token again and again takes no time",
    arguments: ["//a", "eyJ-", "ghp_/", "//[:"])
  func repetition(_ part: String) {
    let text = String(repeating: part, count: 100_000 / part.utf8.count) + " @"
    let time = ContinuousClock().measure { _ = SecretAddress(in: text) }
    #expect(time < .seconds(60))
  }

  @Test("of a token that begins within another the digits count, too")
  func tokens() {
    #expect(SecretAddress(in: "https://h/eyJ-eyJ-eyJ-eyJ-abc") == nil)
    #expect(SecretAddress(in: "https://h/eyJ-eyJ-eyJ-eyJ-abc1") == .parameter)
    #expect(SecretAddress(in: "https://h/eyJ-a/eyJ-abcdefghi1") == .parameter)
    #expect(SecretAddress(in: "https://h//a//bob:pw@host") == .password)
  }

  @Test(
    "of clear input only what the kind has is warned of, under its present name",
    arguments: [
      ("custom", #"{"title":"a","db":"postgres://u:p@h"}"#, []),
      ("custom", #"{"title":"a","fields":{"db":"postgres://u:p@h"}}"#, ["fields.db"]),
      ("login", #"{"title":"a","password":"postgres://u:p@h","extra":{"a":"https://u:p@h"}}"#, []),
      ("customer", #"{"name":"a","accessKey":"https://u:p@h"}"#, []),
      ("customer", #"{"name":"a","website":"https://u:p@h"}"#, ["contact_info.website"]),
    ])
  func clearInput(_ name: String, _ text: String, _ paths: [String]) throws {
    let kind = try #require(KindCatalog.builtIn[name])
    let members = try #require(JSONParser.parse(Array(text.utf8)).object)
    #expect(kind.warnings(about: members).map(\.path) == paths)
  }

  @Test("the readable members of a record with such an address are named, the sealed ones are not")
  func members() throws {
    let kind = try #require(KindCatalog.builtIn["login"])
    let members = try JSONParser.parse(
      Array(#"{"title":"a","urls":["https://a.example","https://h/?key=ab"],"notes":"https://b:c@h"}"#.utf8))
    let found = kind.secretAddresses(in: try #require(members.object))
    #expect(found.map(\.path.description) == ["urls[1]"])
    #expect(found.first?.secret == .parameter)
  }
}
