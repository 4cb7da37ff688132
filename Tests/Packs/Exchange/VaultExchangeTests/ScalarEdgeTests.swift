import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Values at the edges of files of lines, tables and services")
struct ScalarEdgeTests {
  @Test(
    "behind a keyword of netrc every word of the line is its value, also with a number sign",
    arguments: [
      ("machine h login u password #lead", "#lead"), ("machine h login u password a#b # not read", "a#b"),
      ("machine h login u password password", "password"), ("machine h login u password login", "login"),
      ("machine h login u password default # c", "default"), ("machine h login u\npassword\n  s3cret", "s3cret"),
      ("machine h login u password\n# comment\n\"login\"", "login"),
      ("# say \"hello\nmachine h # \"\nlogin u password p", "p"), ("machine h login #u password #", "#"),
    ])
  func netrcValues(_ text: String, _ password: String) throws {
    let imported = try Imported("netrc", text + "\nmachine z login v password q\n")
    #expect(try imported.first("h").text("password") == password)
    #expect(try imported.first("z").text("password") == "q")
    #expect(imported.records.count == 2)
  }

  @Test(
    "a keyword of netrc on a later line is never a value: its machine alone is refused",
    arguments: [
      "machine h login u password\ndefault login anonymous password x@y", "machine h login\nmachine z password q",
      "machine h login u password\nmachine z password q", "machine h login u password \"open\nmachine z password q",
      "machine h wrong u password p\nmachine z password q", "machine\nmachine z password q",
    ])
  func netrcFaults(_ text: String) throws {
    let imported = try Imported("netrc", text + "\n")
    #expect(imported.refused.map(\.place.line) == [1])
    #expect(imported.records.count == 1)
    #expect(try ["x@y", "q"].contains(imported.records.first?.text("password")))
  }

  @Test("a row in which every cell is empty or blank makes no record, in any table")
  func emptyRows() throws {
    for (format, header) in [("csv", "title,username,password"), ("chrome-csv", "name,url,username,password")] {
      let commas = String(repeating: ",", count: header.split(separator: ",").count - 1)
      let empty = [commas, "\"\"" + commas, " " + commas, "", commas].joined(separator: "\r\n")
      let text = "\(commas)\r\n\(header)\r\n\(empty)\r\nn\(commas)\r\n\(empty)\r\n"
      let imported = try Imported(format, text)
      #expect(try imported.records.map { try $0.text("title") } == ["n"])
      #expect(imported.refused.isEmpty)
    }
    let keeper = try Imported("keeper-csv", ",,,,,,\nf,t,u,p,,,\n,,,,,,\n")
    #expect(try keeper.records.map { try $0.text("password") } == ["p"])
  }

  @Test(
    "files of Python's configparser: a colon or an equals sign, lines that go on, comments and what follows a header",
    arguments: [
      "[pypi]\nusername: ann\npassword: p:w=#1\n", "[pypi]\nusername = ann\npassword=p:w=#1\n",
      "[pypi]  ; mine\n  username : ann\n  # password: no\n  password : p:w=#1\n",
      "; x\n[distutils]\nindex-servers =\n  pypi\n\n  other\n[pypi]\nusername:ann\npassword\t:\tp:w=#1\n",
    ])
  func sections(_ text: String) throws {
    let record = try Imported("pypirc", text).first("pypi")
    #expect(try record.text("username") == "ann")
    #expect(try record.text("password") == "p:w=#1")
  }

  @Test("a value that goes on behind an empty line keeps it, and a line without a name is refused with its section")
  func continuations() throws {
    let record = try Imported("pypirc", "[a]\nusername: ann\npassword: one\n  two\n\n  three\n").first("a")
    #expect(try record.text("password") == "one\ntwo\n\nthree")
    let broken = try Imported("pypirc", "[a]\nusername: ann\nbroken\n[b]\nusername: bob\npassword: p\n")
    #expect(broken.refused.count == 1)
    #expect(broken.records.map { $0.members["title"]?.string } == ["b"])
  }

  @Test(
    "values of .npmrc are read as npm reads them",
    arguments: [
      ("abc", "abc"), ("abc ; a comment", "abc"), ("abc # a comment", "abc"), (##"a\;b\#c\\d"##, ##"a;b#c\d"##),
      (#""a;b\"c""#, #"a;b"c"#), ("'abc'", "abc"), (#"a\b"#, #"a\b"#), (#"\${A}"#, "${A}"), ("a=b", "a=b"),
    ])
  func npm(_ written: String, _ read: String) throws {
    let record = try #require(try Imported("npmrc", "//r.example/:_authToken=\(written)\n").records.first)
    #expect(try record.text("secret") == read)
  }

  @Test("a token that stands for a variable is refused, wherever the variable stands in it")
  func npmVariables() throws {
    for written in ["${A}", "a${B}c", "\"${A}\""] {
      #expect(try Imported("npmrc", "//r.example/:_authToken=\(written)\n").refused.count == 1)
    }
  }

  private static func kv(_ data: String, _ metadata: String = "") -> String {
    #"{"request_id": "r", "lease_id": "", "lease_duration": 2764800, "renewable": false, "data": {"data": \#(data), "#
      + #""metadata": {"created_time": "2024-01-02T03:04:05Z", "custom_metadata": {"owner": "ann", "api_token": "t"}, "#
      + #""deletion_time": "\#(metadata)", "destroyed": false, "version": 3}}, "warnings": null, "mount_type": "kv"}"#
  }

  @Test("HashiCorp KV: custom metadata is kept, and what says which version it is refuses nothing")
  func hashiCorp() throws {
    let imported = try Imported("hashicorp-kv", Self.kv(#"{"a": "1.10"}"#))
    let record = try #require(imported.records.first)
    #expect(try record.text("secrets.a") == "1.10")
    #expect(try record.text("fields.owner") == "ann")
    #expect(try record.text("secrets.api_token") == "t")
    #expect(imported.totals.refused == 0)
    let first = try Imported(
      "hashicorp-kv", #"{"request_id": "r", "lease_duration": 1, "data": {"data": "x", "metadata": "y"}}"#)
    #expect(try first.records.first?.text("secrets.data") == "x")
    #expect(try first.records.first?.text("secrets.metadata") == "y")
  }

  @Test("HashiCorp KV: a version that was deleted or destroyed makes no record, and the reason says so")
  func deletedVersion() throws {
    let imported = try Imported("hashicorp-kv", Self.kv("null", "2024-02-02T00:00:00Z"))
    #expect(imported.records.isEmpty)
    #expect(imported.refused.map(\.reason) == ["the version was deleted: the file has no values"])
  }

  @Test(
    "values of LastPass with escaped signs are taken as they are, and counted",
    arguments: [("a&amp;b", 1), ("&lt;", 1), ("a&b", 0), ("&#39;&quot;", 1), ("amp;", 0)])
  func lastPass(_ password: String, _ count: Int) throws {
    let text = "url,username,password,extra,name,grouping,fav\nhttps://a.example,ann,\(password),,n,,0\n"
    let record = try Imported("lastpass-csv", text).first("n")
    #expect(try record.text("password") == password)
    #expect(record.remarks[.escapedMarkup, default: 0] == count)
  }
}
