internal import VaultAge
internal import VaultCrypto
package import VaultDocument
package import VaultSealing

/// The age file of a slot, made for one recipient or passphrase, and inspected before any expensive work.
public enum SlotFile {
  /// The scrypt cost of new passphrase slots, as a binary logarithm.
  public static let defaultWorkFactor = 18
  /// The largest scrypt cost that is accepted by default.
  public static let defaultMaximumWorkFactor = 20
  /// The allowed costs of a slot; the upper end must be requested.
  package static let workFactors = 10...22
  package static let newWorkFactors = 10...20
  /// The largest slot file in bytes.
  static let maximumByteCount = 4 << 10

  /// Makes a slot's file and its entry in the header. The caller stores both.
  package static func make(_ new: NewSlot, root: RootKey, now: Timestamp) throws(VaultError) -> (
    slot: Slot, file: [UInt8]
  ) {
    if case .passphrase(_, let workFactor) = new.kind, !newWorkFactors.contains(workFactor) {
      throw VaultError(.slotRefused, "the work factor of a new slot must be between 10 and 20")
    }
    let payload = try SlotPayload.make(root)
    let file: [UInt8]
    do throws(AgeError) {
      file = try payload.withBytes { bytes throws(AgeError) in try new.seal(bytes) }
    } catch {
      throw VaultError(.slotRefused, error.reason, underlying: error)
    }
    let slot = Slot(id: .random(), label: new.label, kind: new.slotKind, createdAt: now, sha256: try hash(of: file))
    if case .plugin = slot.kind { try checkPlugin(file, slot) }
    return (slot, file)
  }

  /// A plugin chooses its stanzas, so its file may be one that no reader would take.
  private static func checkPlugin(_ file: [UInt8], _ slot: Slot) throws(VaultError) {
    do throws(VaultError) {
      try inspect(file, slot, maximumWorkFactor: defaultMaximumWorkFactor)
    } catch {
      throw VaultError(.slotRefused, "the plugin made a slot that \(error.reason)")
    }
  }

  package static func hash(of file: [UInt8]) throws(VaultError) -> [UInt8] {
    try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(file.span.bytes) }
  }

  /// Checks, in this order, the size limit, that there is exactly the stanza that the header says, that the cost is in
  /// bounds, and the hash of the header. All of this comes before any key or memory is spent on the file.
  package static func inspect(_ file: [UInt8], _ slot: Slot, maximumWorkFactor: Int) throws(VaultError) {
    guard file.count <= maximumByteCount else { throw damaged(slot, "is larger than 4 KiB") }
    let header: AgeHeader
    do throws(AgeError) {
      header = try unsafe AgeHeader.parse(file.span.bytes)
    } catch {
      throw damaged(slot, "is not an age file of format 1")
    }
    guard header.stanzas.count == 1, let stanza = header.stanzas.first else {
      throw damaged(slot, "must have exactly one recipient")
    }
    guard slot.mayHave(stanza) else {
      throw damaged(slot, "is not of the kind that the header says")
    }
    if case .scrypt = slot.kind { try checkWorkFactor(of: stanza, slot, maximum: maximumWorkFactor) }
    guard constantTimeEqual(try hash(of: file), slot.sha256) else {
      throw damaged(slot, "is not the file that the header names")
    }
  }

  /// The scrypt cost in a slot's file, as a binary logarithm; nil for a recipient's.
  package static func workFactor(of file: [UInt8]) -> Int? {
    (try? unsafe AgeHeader.parse(file.span.bytes))?.stanzas.first.flatMap(workFactor(of:))
  }

  private static func workFactor(of stanza: AgeStanza) -> Int? {
    guard stanza.arguments.count == 2 else { return nil }
    return JSONNumber(literal: stanza.arguments[1])?.int
  }

  private static func checkWorkFactor(
    of stanza: AgeStanza, _ slot: Slot, maximum: Int
  ) throws(VaultError) {
    guard let factor = workFactor(of: stanza), workFactors.contains(factor) else {
      throw damaged(slot, "has a work factor that is not between 10 and 22")
    }
    guard factor <= maximum else {
      throw VaultError(
        .damaged, "needs the work factor \(factor), but at most \(maximum) is allowed", file: slot.path,
        remedies: [.allowWorkFactor(factor)])
    }
  }

  package static func damaged(_ slot: Slot, _ reason: String) -> VaultError {
    VaultError(.damaged, reason, file: slot.path)
  }
}

extension NewSlot {
  fileprivate var slotKind: Slot.Kind {
    switch kind {
    case .recipient(let recipient): Slot.Kind(recipient)
    case .passphrase: .scrypt
    }
  }

  fileprivate func seal(_ payload: RawSpan) throws(AgeError) -> [UInt8] {
    switch kind {
    case .recipient(let recipient): try AgeFile.seal(payload, to: [recipient])
    case .passphrase(let passphrase, let workFactor):
      try passphrase.withBytes { passphrase throws(AgeError) in
        try AgeFile.seal(payload, passphrase: passphrase, workFactor: workFactor)
      }
    }
  }
}

extension Slot {
  /// Whether the slot's file may have this stanza. A plugin chooses its types, but a passphrase is not one of them.
  fileprivate func mayHave(_ stanza: AgeStanza) -> Bool {
    switch kind {
    case .x25519: stanza.type == "X25519"
    case .hybrid: stanza.type == "mlkem768x25519"
    case .plugin: stanza.type != "scrypt"
    case .scrypt: stanza.type == "scrypt"
    }
  }
}
