import Testing
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultRecords
import VaultTestSupport

@Suite("Databases of KeePass")
struct KDBXTests {
  /// Version 4 with ChaCha20 and seven rounds of AES, under the password `pw`; written by a program of its own.
  static let sample =
    "A9mimmf7S7UAAAQAAhAAAADWA4ori29MtaUkM5ox27WaAwQAAAABAAAABCAAAAARERERERERERERERERERERERERERERERERERER"
    + "EREREQcMAAAAMzMzMzMzMzMzMzMzC10AAAAAAUIFAAAAJFVVSUQQAAAAydnzmmKKRGC/dA0IwYpP6gUBAAAAUggAAAAHAAAAAAAA"
    + "AEIBAAAAUyAAAAAiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIgAABAAAAA0KDQpqfZUS/t8MXTqSckR58kk16mjOeytd"
    + "/zM6PKNBZCyA6K/1KCVjVgr/BiWmFUWkDo6CQiC4OSoqJUiyzEQFiEsWDWsYPkqquwH6iFAcjAGMWMHwgqr9pU73YnR41DRh/3lQ"
    + "AQAA5dfYBNvS0XcT/ujEtbRRiwNmKxXxFKu3GT1ni3cX0N1VKxMbCT7fV9nJDPAM2e7b8rXE2CwtsS+mpq7OUznumF1u6NevaRHv"
    + "psL3hXNx9Y3qFvCTlCiOZiO6j/OTSbF5gKRIclgwxhik53jG2voNQLcBtQrPPhAjpxGSN3BtISesdGEiKTObKARTGHHUMCs6UQKN"
    + "qyj6dPU+9PYavftsTxHOWdTqKSVMhAwqFCWvHrpAo6xYmz56SGhVIKyejbAX6tkD7DN4OjmhStmGL9I+5S1AL5x6LIuPZmyf9moy"
    + "wPiXC4T4Sx8hyT1s+nJ/gu13gEQy4QQ8JP+Zn18x8DcMlNpBLRzvUcxfsbbrpajDJ2LC2Y2Qtce7zALTWndYjbQm4gQewiycq85T"
    + "sFt2dMwGoY4rSYVtwrLg0x+EsfzRk6lG4ll73YEhWayi7Qy+Hxpvbpl38RDpCroU11dyIlxD7AkoJvn5Zh1Bo13ivs2bJCcAAAAA"

  /// The same with 1,400,000 zeros as the attachment of an entry; eight bytes follow the end of the packed data.
  private static let zeros =
    "A9mimmf7S7UAAAQAAhAAAADWA4ori29MtaUkM5ox27WaAwQAAAABAAAABCAAAAAREREREREREREREREREREREREREREREREREREREREREQcMAAAA"
    + "MzMzMzMzMzMzMzMzC10AAAAAAUIFAAAAJFVVSUQQAAAAydnzmmKKRGC/dA0IwYpP6gUBAAAAUggAAAAHAAAAAAAAAEIBAAAAUyAAAAAiIiIiIiIi"
    + "IiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIgAABAAAAA0KDQpqfZUS/t8MXTqSckR58kk16mjOeytd/zM6PKNBZCyA6K/1KCVjVgr/BiWmFUWkDo6C"
    + "QiC4OSoqJUiyzEQFiEsWxUWY9sbl4j1+9Fp3m6GtEOP5ypKWWOS9KUvXnwI7QPcoBgAA5dfYBNvS0XcT/qBZV7GQ+gv+KWt2EglVlXwlJDrNiY0Q"
    + "CAc2ieNBvMK8W4k9z/v5yw7XbDEQ1lZrf+aJy63VUKlpbrZQDIcaZ2/w6zHqqbp2W1tB0p9GNaYzHuoiWIpVyb4p9syElynu+UmAE26ddDASTbbu"
    + "rnN/hoXUfUHycMXVuVuPNwZQCrQqPl64uh/aVTSD0qBvOELqLv9w8jJc0UFjbHEXeWAEpH+j24eW8P+mhK5jbx9RYxl8RNzWocazuuFV9GseZfdw"
    + "7m7weNzHBWlsjvpFq9I6/L7pvAT9jqJ8GuuMXZ6+RxciwVjCewihcwmOv7NBizhe/CAAEGkz4EAIGjcYKhYFqQVH7vF1fwV7i6ZlkHAwY5SKbDYr"
    + "+2yB0tUBV9IhaHG4pSTp9Pe6IgSYK1KmoVCB+B9yOwrmSBDHntObrYceWc9NfSNIHRpvervsPm3sIJmkP0b+YLuOVrAw+15ZhTbpT/7eIBQrK8Kv"
    + "PpbXJPA1uI8cxxCY34stAzOItBZrO1qWUOq/eH6mwMxXIjIneifV7yNBzQQcXUuGNgEECcH/yCqp6RQbtCnCYIBHMglr3TlAycE9UrNwR3HbJ2+G"
    + "s/Vr4OHx4hvv8vcQVICMf4PYHx07iM148LXsV/0ul7FiWGk+oIGvHTOk9aYttCnbUJg5FiakzA88Z08GhjCS5x1KItei7ocIOhzuVTYbCEebsQ1e"
    + "dNlT9bjuX1Iv1APAOQkASYIEDtomAvUrzb9A5OYoF5DEykmYMPv9Y+2UQBITij/8DMK6qHoAYOgCF06KCZxe2R+Vr/Gy/olFQlSCPHJBGAIoSJ5m"
    + "a4zmxrua0N5DlWjsB8rBYED2D7NeD6dYr/Afcb4DcAYNGewuG/kQhozE802M7xD6e8+zawyB/uhaFTABg7+tWT185xeGcflp4ZAGjVhwducUnZtp"
    + "4frla3ulwR69lcPzwz5xTXoMSUZZSvXH/jIzQJjp1MkaxK8O60HiadiPMcccICXiHlwx6xYE4FpO2cg6MiiM2y5pkKDnLu/DM5UdjKraYhdb7wTH"
    + "tmngi7BXWerK7qdR7s+V0hbtGX9gQfRQgr4mo5k0bxwVAhzbBV9gxAEm07en/Fl0gW8ZCCrRwAeRPDGtn5OYfgaVZQRLrfWSOM4plYsHy4zrhBzB"
    + "KLa39+9b3yRlVVhNcScyDt8hugmbEpkwBFDaSy7m7ZhmVS8yCYsGmvs7mnuRp1/RswlzctvtHSCYD5SOkPSjjGAwpDXPB0t1+SGd8O3TXFP2BIiH"
    + "gj3IBHeWRVD/SXK6nt1srYW595zG6sZEHe4pT7J5SvEyIpbyXLF0Ou6npzkzhYQmo0aBbGoAvxZHuUNdaJiBjVuQn3qQfD37WGsbCjjSoBCBXuNt"
    + "V1N6+u9O09BVSzJ0NhoctW0MDRT5d+hVU4Xzo+OkQPvlBv1dJUpm6IDtqePHMYVipvjYlQfLx6Lyz8dGo7x+xidKdW376tEKqyXVbpNjtq4XfKmP"
    + "KSoNaiNL15YbgQcokb8c0h41WaCEJY9Ffqjqb0kAnnOAlEOZlDt6i3NLeDCUjHdHwF12gxBzofC+ZM0P4ub+h2Qf2C4S7/MpUxktMc3pKBiojypX"
    + "UJ29cVJy9kKcSKACcj6/Gluo5L/5gFElbQ4Xop7f3lXJjHnOpBjH6zwu+hiwkLay3uLrrNh8e3rPaJRVJxgXorQNccoQGmOgxOho9rgNh9Ki5KG6"
    + "KilEaMltmd91PkJI4J9JUDgrGHWQu/JImIZceJQcNHPJKr8KXWKvfdkyMztGcrl9XjBdobQtnXit3gciLNoWkwav3vQ9jctvTHFuq36v++2M/GKu"
    + "E8JB1zvjiSqmac8MdCxvEUnCUZ4uYcJAcTlDwEJitdyRBQAM7NQ1WffYM7mpphKE1FVLsfR21XnqRiY9TiEd3gSbE7Mi4hfkHBhWZUci+YokP/Jn"
    + "2Cy4Pn72lOC/+0QLQR5zlpmLMq7jlgPdgSA2MB+wq6XYG+7yPlMN7I36rmpWBtatO2IbxL3cxo1Ap/1odfwvpKd3PT+BVpPEQmUDS761JEUc8CpS"
    + "nSM7zv0e8m0bp9MaQhfDgIcwthQf1INuXUwzI4dE326Zd/EQ6Qq6FNdXciJcQ+wJKCb5+WYdQaNd4r7NmyQnAAAAAA=="

  static func options(_ password: String?, keyFile: [UInt8]? = nil) -> ImportOptions {
    var options = password.map(BitwardenTests.options) ?? ImportOptions()
    options.keyFile = keyFile
    return options
  }

  private func read(_ path: String, _ password: String?, keyFile: String? = nil) throws -> Imported {
    let source = try Fixtures.source("../\(path)")
    let importer = try ImportFormats.detecting(source.sample())
    #expect(importer.format.name == "keepass-kdbx")
    let key = try keyFile.map { try SharedData.bytes("fixtures/\($0)") }
    return try Imported(importer, source, options: Self.options(password, keyFile: key))
  }

  private func read(base64 text: String) throws -> Imported {
    try Imported(
      ImportFormats.named("keepass-kdbx"), ImportSource(name: "", bytes: Base64.decode(text)),
      options: Self.options("pw"))
  }

  @Test("protected values, codes, attachments and earlier versions are in the record")
  func values() throws {
    let imported = try read(base64: Self.sample)
    let record = try imported.first("mArKeR")
    #expect(try record.text("password") == "mArKeR")
    #expect(record.formerTexts == ["password": ["mArKeR old"]])
    #expect(try record.text("totp") == "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")
    #expect(try record.text("secrets[\"attachment note.txt\"]") == Base64.encode(Array("mArKeR bytes".utf8)))
    #expect(record.externalID == "keepass-xml:BAAAAAAAAAAAAAAAAAAAAA==")
    #expect(Set(imported.lines.map(\.place)).count == imported.lines.count)
    #expect(imported.totals.refused == 0)
  }

  @Test("attachments that pack very small are read, and what stands behind the end of what is packed is not")
  func packed() throws {
    let imported = try read(base64: Self.zeros)
    let record = try imported.first("zeros")
    let text = try record.attachments.first?.text ?? record.text("secrets[\"attachment z\"]") ?? ""
    #expect(try Base64.decode(text) == [UInt8](repeating: 0, count: 1_400_000))
    #expect(imported.totals.refused == 0)
  }

  @Test(
    "versions, ciphers and functions for keys of other programs are read",
    arguments: [
      ("kdbx/gokeepasslib/example-chacha-argon2.kdbx", "abcdefg12345678"),
      ("kdbx/gokeepasslib/example.kdbx", "abcdefg12345678"),
      ("kdbx/keepass-rs/test_db_with_password.kdbx", "demopass"),
      ("kdbx/keepass-rs/test_db_kdbx4_with_password_aes.kdbx", "demopass"),
      ("kdbx/keepass-rs/test_db_kdbx4_with_password_argon2id.kdbx", "demopass"),
      ("kdbx/keepass-rs/test_db_kdbx4_with_totp_entry.kdbx", "test"),
      ("password-managers/keepassxc/NewDatabase.kdbx", "a"), ("password-managers/keepassxc/Compressed.kdbx", ""),
      ("password-managers/keepassxc/NonAscii.kdbx", "\u{394}\u{F6}\u{636}"),
      ("password-managers/pass-import/keepass.kdbx", "correct horse battery staple"),
    ])
  func fixtures(path: String, password: String) throws {
    guard SharedData.isPresent(forCases: 1, of: "KDBX"), Need.argon2.isMet(forCases: 1, of: "KDBX") else { return }
    let imported = try read(path, password)
    #expect(!imported.records.isEmpty)
    #expect(imported.refused.isEmpty)
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
    #expect(Set(imported.lines.map(\.place)).count == imported.lines.count)
    let isTotp = path.contains("totp")
    #expect(!isTotp || imported.records.contains { $0.members["totp"] != nil })
  }

  @Test(
    "a key file opens alone or with the password, in each of its forms",
    arguments: [
      ("keepassxc/FileKeyHex.kdbx", nil, "keepassxc/FileKeyHex.key"),
      ("keepassxc/FileKeyXmlV2.kdbx", nil, "keepassxc/FileKeyXmlV2.keyx"),
      ("buttercup/test-archive-keyfile-kdbx4.kdbx", "passw0rd", "buttercup/test-archive-keyfile-kdbx4.key"),
    ])
  func keyFiles(path: String, password: String?, key: String) throws {
    guard SharedData.isPresent(forCases: 1, of: "key files"), Need.argon2.isMet(forCases: 1, of: "KDBX") else { return }
    let folder = "password-managers"
    // Some of them have no entries.
    #expect(try read("\(folder)/\(path)", password, keyFile: "\(folder)/\(key)").totals.leaves > 10)
    let error = #expect(throws: ExchangeError.self) { _ = try read("\(folder)/\(path)", password ?? "x") }
    #expect(error?.code == .wrongPassphrase)
  }

  @Test(
    "a wrong password, a changed header and a changed block are three different errors; none asks for a changed header")
  func damage() throws {
    let good = try Base64.decode(Self.sample)
    func code(_ bytes: [UInt8], _ password: String?) throws -> ExchangeError.Code? {
      let error = #expect(throws: ExchangeError.self) {
        _ = try Imported(
          ImportFormats.named("keepass-kdbx"), ImportSource(name: "", bytes: bytes), options: Self.options(password))
      }
      return error?.code
    }
    #expect(try code(good, "px") == .wrongPassphrase)
    #expect(try code(good, nil) == .passphraseNeeded)
    var header = good
    header[60] ^= 1
    #expect(try code(header, nil) == .notAuthentic)
    var block = good
    block[good.count - 60] ^= 1
    #expect(try code(block, "pw") == .notAuthentic)
    #expect(try code([3, 0xD9, 0xA2, 0x9A, 0x65, 0xFB, 0x4B, 0xB5, 0, 0, 3, 0], "pw") == .unsupported)
  }

  @Test("costs beyond what people set are refused before any work")
  func costs() throws {
    var bytes = try Base64.decode(Self.sample)
    let rounds = try #require(bytes.firstRange(of: [7, 0, 0, 0, 0, 0, 0, 0]))
    bytes[rounds.lowerBound + 4] = 1
    let error = #expect(throws: ExchangeError.self) {
      _ = try Imported(
        ImportFormats.named("keepass-kdbx"), ImportSource(name: "", bytes: bytes), options: Self.options("pw"))
    }
    #expect(error?.code == .unsupported)
  }

  @Test(
    "every database is opened by a password that its source names, or refused with a reason; a broken one never opens")
  func anyDatabase() throws {
    guard SharedData.isPresent(forCases: 20, of: "any KDBX"), Need.argon2.isMet(forCases: 20, of: "any KDBX") else {
      return
    }
    var tally = CaseTally("any KDBX")
    for group in ["kdbx", "password-managers"] {
      for tool in try SharedData.names(in: "fixtures/\(group)") {
        let names = try SharedData.names(in: "fixtures/\(group)/\(tool)")
        let sources = names.contains("SOURCES.md") ? try SharedData.text("fixtures/\(group)/\(tool)/SOURCES.md") : ""
        let words = sources.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 && $0.element.utf8.count < 40 }.map { String($0.element) }
        for name in names where name.hasSuffix(".kdbx") {
          try open("\(group)/\(tool)/\(name)", words, keys: names, &tally)
        }
      }
    }
    tally.report()
  }

  private func open(_ path: String, _ words: [String], keys: [String], _ tally: inout CaseTally) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let stem = path.split(separator: "/").last.map { $0.dropLast(5) } ?? ""
    let key = keys.first { !$0.hasSuffix(".kdbx") && $0.hasPrefix(stem) }.map { "\(folder)/\($0)" }
    for password in words + [""] {
      do {
        let imported = try read(path, password, keyFile: key)
        #expect(!path.lowercased().contains("broken"), "\(path)")
        for record in imported.records { #expect(throws: Never.self, "\(path)") { try record.sealed() } }
        return tally.ran()
      } catch let error as ExchangeError {
        #expect([.wrongPassphrase, .unsupported, .malformed, .notAuthentic].contains(error.code), "\(path): \(error)")
        if error.code != .wrongPassphrase { break }
      }
    }
    tally.notApplicable("\(path) is opened by none of the words of its source")
  }

  @Test("a file goes out as an attachment of its name")
  func files() throws {
    let records = try ExportedRecord.list("file", #"[{"name":"a.bin","size":3,"content":"AAH/"}]"#)
    let pass = Array("secret".utf8)
    let exported = try Exported(.kdbx, records, passphrase: try SecretBytes(copying: RawSpan(_elements: pass.span)))
    let back = try exported.imported(as: "keepass-kdbx", options: Self.options("secret"))
    #expect(try back.records.first?.text("secrets[\"attachment a.bin\"]") == "AAH/")
  }

  @Test("attachments have names of their own, and what no value can hold comes back as one")
  func attached() throws {
    var record = try #require(
      ExportedRecord.list("login", #"[{"title":"a","secrets":{"attachment x":"Yg=="}}]"#).first)
    let large = [UInt8](repeating: 7, count: 5 << 20)
    record.attachments = [
      ExportedAttachment(name: "x", bytes: [1]), ExportedAttachment(name: "a/b", bytes: large),
      ExportedAttachment(name: "c", bytes: large), ExportedAttachment(name: "empty", bytes: []),
    ]
    let pass = Array("secret".utf8)
    let exported = try Exported(.kdbx, [record], passphrase: try SecretBytes(copying: RawSpan(_elements: pass.span)))
    #expect(exported.notes.isComplete)
    let back = try exported.imported(as: "keepass-kdbx", options: Self.options("secret"))
    let found = try #require(back.records.first)
    #expect(try found.text("secrets[\"attachment x\"]") == "Yg==")
    #expect(try found.text("secrets[\"attachment x 2\"]") == "AQ==")
    #expect(found.attachments.map(\.name) == ["a_b", "c", "empty"])
    #expect(try Base64.decode(#require(found.attachments.first).text) == large)
    let lines = back.lines.filter { $0.outcome == .mapped(to: "attachments") }
    #expect(lines.contains { $0.place.path == "binary 2" })
    #expect(lines.contains { $0.place.path.contains("Binary[") })
    #expect(Set(back.lines.map(\.place)).count == back.lines.count)
    record.attachments = [ExportedAttachment(name: "\u{FFFE}", bytes: [])]
    #expect(throws: ExportError.self) {
      _ = try Exported(.kdbx, [record], passphrase: try SecretBytes(copying: RawSpan(_elements: pass.span)))
    }
  }

  @Test("what goes out as a database comes back: codes, attachments, dates and protected values")
  func roundTrip() throws {
    let json = """
      [{"title": "Bank & Co", "username": "ann", "password": "p\u{e4}ss <1>", "totp": "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP",
        "urls": ["https://bank.example"], "tags": ["a", "b c"], "notes": "two\\nlines",
        "fields": {"created": "2020-01-02T03:04:05Z", "shop": "7"},
        "secrets": {"pin": "1234", "attachment key.bin": "AAEC/w==", "attachment b.txt": "Yg=="}},
       {"title": "Mail", "password": "x", "secrets": {"attachment key.bin": "AwQ="}}]
      """
    let records = try ExportedRecord.list("login", json)
    let pass = Array("secret".utf8)
    let exported = try Exported(
      .kdbx, records, passphrase: try SecretBytes(copying: RawSpan(_elements: pass.span)))
    let back = try exported.imported(as: "keepass-kdbx", options: Self.options("secret"))
    #expect(back.refused.isEmpty)
    #expect(back.records.count == 2)
    for (one, other) in zip(records, back.records) {
      var members = ExternalID.removed(from: other.members, of: try KindCatalog.builtIn.kind(named: "login"))
      if members["tags"]?.array?.isEmpty == true { members["tags"] = nil }
      let (left, right) = (try JSONValue.object(one.members).prettyBytes(), try JSONValue.object(members).prettyBytes())
      #expect(String(decoding: left, as: UTF8.self) == String(decoding: right, as: UTF8.self))
    }
    #expect(exported.notes.isComplete)
  }
}
