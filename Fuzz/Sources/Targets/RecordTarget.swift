import VaultDocument
import VaultCare
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage

/// A record file: refused with a typed error, or authentic; and whatever it holds can be sealed, changed and refused.
enum RecordTarget: FuzzTarget {
  static let name = "record"

  static func seeds() throws -> [[UInt8]] {
    let secret = try Fixture.keys.seal(RawSpan(_elements: Array("correct horse".utf8).span), at: Fixture.now)
    let trees: [JSONObject] = [
      JSONObject(),
      try JSONObject([("name", "Ada Example"), ("access_key", .string(secret)), ("added_on", "2020-08-19T18:50:26Z")]),
      try JSONObject([("twice", .array([.string(secret), .string(secret)])), ("n", 1)]),
    ]
    let sealed = try trees.map { try RecordSeal.seal($0, draft(), keys: Fixture.keys).document.prettyBytes() }
    var needing = draft()
    needing.requirements = ["later"]
    let newer = try RecordSeal.seal(trees[1], needing, keys: Fixture.keys).document.prettyBytes()
    let clear = #"{"name":"Ada","access_key":"x","added_on":"2020-08-19T18:50:26Z","es1:":"es1:"}"#
    return sealed + [newer, Array(clear.utf8)]
  }

  static func check(_ input: [UInt8]) {
    let document = try? JSONParser.parse(input)
    if let document { checkVerification(of: document) }
    checkStore(input, document)
    guard case .object(var fields)? = document else { return }
    let envelope = try? RecordEnvelope(of: .object(fields))
    fields[RecordEnvelope.memberName] = nil
    checkSealing(fields, draft: draft(like: envelope), input: input)
  }

  private static func draft(like envelope: RecordEnvelope? = nil) -> EnvelopeDraft {
    var draft = EnvelopeDraft(
      id: Fixture.recordID, kind: envelope?.kind ?? "customer", schema: envelope?.schema ?? 1, now: Fixture.now,
      wrappedKey: Fixture.wrappedKey)
    guard let envelope else { return draft }
    draft.revision = envelope.revision
    draft.createdAtText = envelope.createdAt.text
    draft.deletedAt = envelope.deletedAt
    return draft
  }

  private static func verify(_ document: JSONValue) throws(SealingError) -> VerifiedRecord {
    try RecordSeal.verify(document, as: Fixture.recordID) { hint throws(SealingError) in
      guard hint == Array(Fixture.root.id.bytes.prefix(8)) else { throw SealingError(.unknownRoot, "another root") }
      return Fixture.root
    }
  }

  private static func checkVerification(of document: JSONValue) {
    guard let record = try? verify(document) else { return }
    require(record.envelope.requirements.isEmpty, "no extension is known")
    require(record.envelope.id == Fixture.recordID, "a verified record is the one that was asked for")
    require(record.fields[RecordEnvelope.memberName] == nil, "the envelope is none of a record's own members")
    let pretty = must("a verified record can be written") { () throws(DocumentError) in try document.prettyBytes() }
    let again = must("a written record can be read") { () throws(DocumentError) in try JSONParser.parse(pretty) }
    _ = must("a verified record verifies again") { () throws(SealingError) in try verify(again) }
  }

  /// The same file seen without a key.
  private static func checkStore(_ input: [UInt8], _ document: JSONValue?) {
    let store = MemoryStore()
    let vault = must("a vault in memory") { () throws in
      try store.apply([
        StoreChange(.header, from: nil, to: HeaderTarget.headerBytes),
        StoreChange(.slot(Fixture.slotID), from: nil, to: Fixture.slotFile),
      ])
      try store.apply([StoreChange(.record(Fixture.recordID), from: nil, to: input)])
      return try LockedVault(store: store)
    }
    let envelope = document.flatMap { try? RecordEnvelope(of: $0) }
    let isLive = envelope.map { $0.id == Fixture.recordID && $0.deletedAt == nil } ?? false
    require(
      ((try? vault.record(Fixture.recordID)) != nil) == isLive, "a record is read exactly where its envelope is good")
    guard let list = waiting({ try? await vault.list { _ in } }) else { broken("one bad file does not stop a list") }
    require(list.count == (isLive ? 1 : 0), "a file is a row, or is left out")
    require((waiting { try? await vault.list() } == nil) != isLive, "a file that is left out is a fault")
  }

  private static func checkSealing(_ fields: JSONObject, draft: EnvelopeDraft, input: [UInt8]) {
    let sealed: JSONValue
    do throws(SealingError) {
      sealed = try RecordSeal.seal(fields, draft, keys: Fixture.keys).document
    } catch {
      return require(
        error.code == .tokenShapedText, "only text that looks like a token keeps a record from being sealed")
    }
    // Within the limits of depth: the fields stand where they stood.
    let bytes = must("a sealed record can be written") { () throws(DocumentError) in try sealed.prettyBytes() }
    let tree = must("a written record can be read") { () throws(DocumentError) in try JSONParser.parse(bytes) }
    let record = must("a sealed record verifies") { () throws(SealingError) in try verify(tree) }
    require(revealed(record.fields) == revealed(fields), "a record holds what was sealed")
    checkCustomer(record)
    checkTampering(bytes, tree: tree, input: input)
  }

  private static func revealed(_ fields: JSONObject) -> JSONValue {
    var tree = JSONValue.object(fields)
    must("every token of a sealed record opens") { () throws(SealingError) in
      try tree.mapStrings { _, text throws(SealingError) in
        SealedToken.hasTokenShape(text) ? try Fixture.keys.reveal(text) : text
      }
    }
    return tree
  }

  private static func checkCustomer(_ record: VerifiedRecord) {
    let context = record.context()
    guard let customer = try? Customer.decoded(from: record.fields, in: context) else { return }
    let members = must("what was decoded can be encoded") { () throws(RecordError) in try customer.encoded(in: context)
    }
    let again = must("what was encoded can be decoded") { () throws(RecordError) in
      try Customer.decoded(from: members, in: context)
    }
    require(again == customer, "encoded and decoded, a customer is the same")
    require(members["access_key"] == record.fields["access_key"], "an unchanged secret keeps its token")
  }

  /// One bit of the file is turned, at a place that the input chooses.
  private static func checkTampering(_ bytes: [UInt8], tree: JSONValue, input: [UInt8]) {
    let choice = input.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } >> 8
    var changed = bytes
    changed[Int(choice % UInt64(bytes.count))] ^= 1 << UInt8(choice >> 40 & 7)
    guard let other = try? JSONParser.parse(changed), other != tree else { return }
    require((try? verify(other)) == nil, "a record that was changed does not verify")
  }
}
