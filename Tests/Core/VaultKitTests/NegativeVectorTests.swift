import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultRecords
import VaultStorage
import VaultTestSupport
import VaultKit
import VaultSealing

/// The refusals of the vectors in this program: from layer and error there, to the beginnings of ``Refusal/text`` here.
///
/// A record's, slot's or header's refusal begins with the file that it names; the layer that refused follows `<`. If a
/// layer of ours refuses earlier or later than theirs, the reason stands beside it.
private let refusals: [String: [String]] = [
  "json/byte-order-mark": ["json byteOrderMark"],
  "json/duplicate-member": ["json duplicateMember", "record damaged < json duplicateMember"],
  // One code for equal names and for names that look the same: both are one member twice.
  "json/equivalent-members": ["json duplicateMember"],
  "json/invalid-json": ["json invalidJSON"],
  "json/invalid-utf8": ["json invalidUTF8"],
  "json/lone-surrogate": ["json loneSurrogate"],
  "json/number-too-long": ["json numberTooLong"],
  "json/too-deep": ["json tooDeep"],

  // A text without even the shape of a token is clear text to a field, and another version has a separate code.
  "token/malformed": [
    "sealing malformedToken", "sealing clearText", "sealing unknownTokenVersion",
    "record damaged < sealing unknownTokenVersion",
  ],
  "token/not-canonical": ["sealing malformedToken"],
  "token/invalid-date": ["sealing malformedToken"],
  "token/too-short": ["sealing malformedToken"],
  "token/wrong-hint": ["sealing foreignToken", "record damaged < sealing foreignToken"],
  "token/authentication-failed": ["sealing authenticationFailed"],
  "token/bad-padding": ["sealing malformedPlaintext: was sealed with wrong padding"],
  "token/invalid-utf8": ["sealing malformedPlaintext: the opened value is not UTF-8"],

  "wrap/malformed": ["sealing malformedWrappedKey", "record damaged < sealing malformedWrappedKey"],
  "wrap/not-canonical": ["sealing malformedWrappedKey"],
  "wrap/unknown-root": ["sealing unknownRoot", "record damaged < sealing unknownRoot"],
  "wrap/authentication-failed": ["sealing authenticationFailed", "record damaged < sealing authenticationFailed"],

  "record/authentication-failed": ["record damaged < sealing authenticationFailed"],
  "record/malformed": ["record damaged < sealing malformedEnvelope"],
  "record/missing-member": ["record damaged < sealing malformedEnvelope"],
  "record/unknown-member": ["record damaged < sealing malformedEnvelope"],
  "record/unknown-format": ["record newerFormat < sealing newerFormat"],
  "record/unknown-extension": ["record newerFormat < sealing newerFormat: needs a feature that only a newer version"],
  "record/clear-text": ["record damaged: must be sealed, but it is clear text"],

  "directory/wrong-name": ["record damaged < sealing malformedEnvelope: the id and the file name differ"],
  "directory/stray-entry": ["directory strayEntry"],
  "directory/wrong-place": ["record damaged: was removed", "trash damaged: is in the trash"],

  "header/authentication-failed": ["header damaged: does not authenticate"],
  "header/malformed": [
    "header damaged: is missing or not of format 1", "header damaged: has the same", "header damaged: has no",
  ],
  "header/missing-member": ["header damaged: is missing or not of format 1"],
  "header/unknown-member": ["header damaged: has a member that format 1 does not know"],
  "header/unknown-format": ["header newerFormat"],
  "header/unknown-extension": ["header newerFormat: needs a feature that only a newer version"],
  // The commitment is compared before the MAC, with the key of the slot; the error names the slot.
  "header/wrong-commitment": ["slot damaged: does not hold the root key that the header names"],
  "keyring/malformed": ["header damaged: is missing or not of format 1"],
  "keyring/unknown-member": ["header damaged: has a member that format 1 does not know"],
  // An older root is unwrapped when a record needs it; until then nothing hangs on its entry.
  "keyring/wrong-root": [
    "sealing authenticationFailed: a keyring entry holds a root key other than the one it names",
    "sealing authenticationFailed: the keyring holds a root key other than the one it names",
  ],

  "slot/hidden-recipient": [
    "slot damaged: must have exactly one recipient", "slot damaged: is not of the kind that the header says",
  ],
  "slot/work-factor": ["slot damaged: has a work factor that is not between", "slot damaged: needs the work factor"],
  "slot/wrong-hash": ["slot damaged: is not the file that the header names"],
  "slot/too-large": ["slot damaged: is larger than 4 KiB"],
  "slot/malformed": ["slot damaged: is not an age file", "slot damaged: has no root key of this vault"],
  // An identity without a slot is told by its recipient, before anything is opened.
  "slot/cannot-open": ["vault wrongPassphrase", "vault noMatchingSlot"],
  "slot/authentication-failed": ["slot damaged: does not open", "slot damaged: is damaged"],
  // The payload is compared as a whole with the lines that this vault's slot must have.
  "slot/wrong-vault": ["slot damaged: has no root key of this vault"],
  "slot/wrong-root": [
    "slot damaged: has no root key of this vault", "slot damaged: does not hold the root key that the header names",
  ],

  "checkpoint/authentication-failed": ["checkpoint damaged: does not authenticate"],
  "checkpoint/malformed": [
    "checkpoint damaged: is missing or not of format 1",
    "checkpoint damaged: has a line that does not have the expected form",
    "checkpoint damaged: has a line with an unexpected form or order",
    "checkpoint damaged: has lines that do not match its first line",
    "checkpoint damaged: does not begin with a line of this format",
    "checkpoint damaged: does not begin with an object",
    "checkpoint damaged: does not end with a whole line", "checkpoint damaged < json invalidJSON",
  ],
  "checkpoint/unknown-format": ["checkpoint newerFormat"],
  "checkpoint/unknown-member": ["checkpoint damaged: has a member that format 1 does not know"],
  "checkpoint/unknown-root": ["checkpoint damaged < sealing unknownRoot"],
]

/// One fault a file, and every one must be refused by the layer that the format makes responsible.
@Suite("Own vectors: negative")
struct NegativeVectorTests {
  @Test(
    "each fault is refused, where and as the format says",
    arguments: ["json", "token", "wrap", "record", "header", "slot", "checkpoint"])
  func refused(input: String) async throws {
    var tally = CaseTally("own vectors negative/\(input)")
    defer { tally.report() }
    for fault in try OwnVectors.faults() where fault.input == input {
      let kind = "\(fault.layer)/\(fault.error)"
      for one in fault.cases {
        guard try one.canBeOpened() else {
          tally.notApplicable("OpenSSL here is older than 3.5")
          continue
        }
        let expected = try #require(refusals[kind], "no rule for \(kind)")
        let refusal = await refusal(of: one, input)
        let told = "\(one.place): \(refusal ?? "ACCEPTED"), not \(kind)"
        #expect(expected.contains { refusal?.hasPrefix($0) == true }, "\(told)")
        tally.ran()
      }
    }
    #expect(tally.runCount > 0)
  }

  @Test("every file is of a known input, and every rule of the table is used")
  func complete() throws {
    let faults = try OwnVectors.faults()
    #expect(Set(faults.map(\.input)) == ["json", "token", "wrap", "record", "header", "slot", "checkpoint"])
    #expect(Set(faults.map { "\($0.layer)/\($0.error)" }) == Set(refusals.keys))
  }

  private func refusal(of one: OwnVectors.Case, _ input: String) async -> String? {
    do {
      switch input {
      case "json": _ = try JSONParser.parse(one.base64("json_base64"))
      case "token": try one.openToken()
      case "wrap": try one.unwrap()
      case "record": try await one.openRecord()
      case "header": try await one.openHeader()
      case "slot": _ = try await VectorVault(slot: one).unlocked()
      default: try one.openCheckpoint()
      }
      return nil
    } catch {
      return Refusal(error).text
    }
  }
}

extension OwnVectors.Case {
  /// Opens a token with the field key of the vectors, in the place that the case says.
  fileprivate func openToken() throws {
    let keys = try OwnVectors.cases("record-keys")[0]
    #expect(try keys.text("field_key_hex") == text("field_key_hex"))
    #expect(try keys.text("hint") == text("hint"))
    let scope = try TokenScope(
      label: "ecv/1/field", hint: Base64.decodeURL(text("hint")), items: [id("vault_id").bytes, id("record_id").bytes])
    _ = try FieldCipher(form: .token(scope), keys: secretBytes(hex("field_key_hex"))).open(text("token"))
  }

  /// Unwraps a data key.
  fileprivate func unwrap() throws {
    let root = try rootKey(id("vault_id"))
    _ = try root.recordKeys(from: WrappedKey(parsing: text("wrap")), record: id("record_id"))
  }

  /// Reads a record from its path in a vault with an open and a retired older root, as far as a check of it goes.
  fileprivate func openRecord() async throws {
    let files = try VectorVault.withKeyring()
    let path = try text("path")
    try files.write(file("file"), to: path)
    let vault = try await files.unlocked()
    #expect(try vault.header.vaultID == id("vault_id"))
    let name = try #require(path.split(separator: "/").last?.dropLast(5))
    let id = try #require(RecordID(parsing: String(name)))
    if try vault.store.strayEntries().contains(path) {
      await #expect(throws: VaultError(.noSuchRecord, "")) { try await vault.record(id) }
      throw StrayEntry()
    }
    if path.hasPrefix("trash/") {
      let trash = try await vault.listedTrash()
      if let fault = trash.faults.first { throw fault }
      #expect(trash.records.map(\.id) == [id])
    } else {
      try await vault.record(id).check()
    }
  }

  /// Unlocks a vault with this header, and opens every older root that it offers.
  fileprivate func openHeader() async throws {
    let vault = try await VectorVault(header: file("file")).unlocked()
    #expect(try vault.keyring.current.id == rootKey(vault.header.vaultID).id)
    for entry in vault.header.keyring where entry.state == .openOnly {
      _ = try vault.keyring.root(hint: Array(entry.id.bytes.prefix(8)))
    }
  }

  fileprivate func openCheckpoint() throws {
    let root = try RootKey(secretBytes(Hex.decode(#require(try texts("root_keys_hex").first))), vaultID: id("vault_id"))
    try Checkpoint(parsing: file("file")).authenticate(under: Keyring(current: root, entries: []))
  }
}

private struct StrayEntry: Error {}

/// An error as the table names it.
private struct Refusal {
  let text: String

  init(_ error: any Error) {
    text =
      switch error {
      case is StrayEntry: "directory strayEntry"
      case let error as VaultError:
        "\(Self.place(error.file)) \(error.code)\(error.underlying.map { " < " + Self.cause($0) } ?? ""): \(error.reason)"
      default: "\(Self.cause(error)): \(Self.reason(error))"
      }
  }

  private static func place(_ file: String?) -> String {
    switch file?.prefix(while: { $0 != "/" }) {
    case "vault.json": "header"
    case "checkpoint.jsonl": "checkpoint"
    case "slots": "slot"
    case "records": "record"
    case "trash": "trash"
    default: "vault"
    }
  }

  private static func cause(_ error: any Error) -> String {
    switch error {
    case let error as DocumentError: "json \(error.code)"
    case let error as SealingError: "sealing \(error.code)"
    case let error as RecordError: "record \(error.underlying.map(cause) ?? "\(error.code)")"
    case let error as StoreError: "store \(error.code)"
    default: "\(type(of: error))"
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as DocumentError: error.reason
    case let error as SealingError: error.reason
    default: ""
    }
  }
}
