import VaultAge
import VaultCrypto
import VaultDocument
import VaultSealing

/// The one vault and record of the inputs. Its keys are published here: they guard nothing.
///
/// Data sealed with random bytes stands here as text, so that an input means the same in every run.
enum Fixture {
  static let vaultID = VaultID(bytes: Array(1...16))
  static let recordID = RecordID(bytes: [0xab] + Array(repeating: 0x11, count: 15))
  static let slotID = SlotID(bytes: Array(repeating: 0x51, count: 16))
  static let now = must("a date") { () throws(DocumentError) in try Timestamp(parsing: "2026-11-21T01:40:28Z") }

  static let root = must("the root key") { () throws -> RootKey in
    try RootKey(SecretBytes(copying: RawSpan(_elements: [UInt8](repeating: 0x42, count: 32).span)), vaultID: vaultID)
  }

  /// A data key of `recordID`, wrapped under `root`.
  static let wrappedKey = must("the wrapped key") { () throws(SealingError) in
    try WrappedKey(parsing: wrappedKeyText)
  }
  static let keys = must("the record's keys") { () throws(SealingError) in
    try root.recordKeys(from: wrappedKey, record: recordID)
  }

  static let identity = must("the identity") { () throws(AgeError) in
    let text = Array(identityText.utf8)
    return try AgeIdentity(parsing: RawSpan(_elements: text.span))
  }

  /// The age file of the one slot: `root` for `identity`.
  static let slotFile = must("the slot") { () throws(DocumentError) in try Base64.decode(slotFileText) }
}
