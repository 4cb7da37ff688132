import Testing
import VaultAge
import VaultDocument
import VaultExchange

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("passage")
struct PassageTests {
  private let identity: AgeIdentity

  init() throws { identity = try AgeIdentity.generate() }

  private func sealed(_ text: String, to recipient: AgeRecipient? = nil) throws -> [UInt8] {
    let bytes = Array(text.utf8)
    return try AgeFile.seal(RawSpan(_elements: bytes.span), to: [recipient ?? identity.recipient])
  }

  private func imported(_ files: [(String, [UInt8])], _ identities: [AgeIdentity]) throws -> Imported {
    var options = ImportOptions()
    options.identities = identities
    let source = ImportSource(
      name: "store", files: files.map { file in ImportFile(path: file.0) { () throws(ExchangeError) in file.1 } })
    return try Imported(ImportFormats.detecting(source.sample()), source, options: options)
  }

  @Test("the first line is the password; names, one-time codes and notes go where they belong")
  func entry() throws {
    let text =
      "pw\nuser: ann\nurl: https://a.example\notpauth://totp/x?secret=ABC\npin: 1234\n\nJust a note. See: below\nend\n"
    let imported = try imported([("Mail/Work/me.age", try sealed(text))], [identity])
    let record = try imported.first("Mail/Work/me")
    #expect(record.externalID == "passage:Mail/Work/me")
    #expect(record.list("tags") == ["Mail/Work"])
    #expect(try record.text("username") == "ann")
    #expect(try record.text("password") == "pw")
    #expect(try record.text("totp") == "otpauth://totp/x?secret=ABC")
    #expect(try record.text("secrets.pin") == "1234")
    #expect(record.list("urls") == ["https://a.example"])
    #expect(try record.text("notes") == "Just a note. See: below\nend")
    #expect(imported.totals.leaves == 8)
  }

  @Test("identities that open no file at all are the wrong ones, which is no fault of the files")
  func wrongIdentity() throws {
    let other = try AgeIdentity.generate()
    let files = [("a.age", try sealed("x", to: other.recipient)), ("b.age", try sealed("y", to: other.recipient))]
    #expect(throws: ExchangeError(.wrongIdentity, "")) { try imported(files, [identity]) }
  }

  @Test("each file stands for itself: what does not open is refused by its path, and the others are taken")
  func refusals() throws {
    let other = try AgeIdentity.generate()
    let whole = try sealed("pw")
    let imported = try imported(
      [
        ("a.age", whole), ("b.age", try sealed("x", to: other.recipient)), ("c.age", Array(whole.dropLast(3))),
        ("d.txt", [1]), ("e.age", [1, 2]),
      ], [identity])
    #expect(imported.records.count == 1)
    #expect(imported.refused.map(\.place.path) == ["b.age", "c.age", "d.txt", "e.age"])
    #expect(imported.totals.leaves == 5)
  }

  @Test("without an identity nothing is opened")
  func noIdentity() throws {
    let file = try sealed("pw")
    #expect(throws: ExchangeError(.identityNeeded, "")) { _ = try imported([("a.age", file)], []) }
  }

  @Test("a folder is listed without following links and without what begins with a dot")
  func folder() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "passage-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for folder in ["sub", ".git"] {
      try FileManager.default.createDirectory(at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    try Data(try sealed("pw")).write(to: root.appending(path: "sub/x.age"))
    try Data([1]).write(to: root.appending(path: ".git/y.age"))
    try FileManager.default.createSymbolicLink(
      atPath: root.appending(path: "link.age").path, withDestinationPath: "/etc/passwd")
    var options = ImportOptions()
    options.identities = [identity]
    let source = try ImportFolder.source(at: root.path)
    let imported = try Imported(ImportFormats.detecting(source.sample()), source, options: options)
    #expect(try imported.records.map { try $0.text("title") } == ["sub/x"])
    #expect(imported.refused.map(\.place.path) == ["link.age"])
  }

  @Test("a folder with too many levels is refused with advice on folders")
  func levels() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "passage-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let path = (0..<40).map { "\($0)" }.joined(separator: "/")
    try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
    let error = try #require(throws: ExchangeError.self) { _ = try ImportFolder.source(at: root.path) }
    #expect(error.advice == ["name a folder that holds only the files to import; nothing was changed"])
  }
}
