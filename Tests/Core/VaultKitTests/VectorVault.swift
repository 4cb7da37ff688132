import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultTestSupport
import VaultKit

/// A vault on disk, put together from the project's own vectors; its header's slots are those of `slots.json`.
struct VectorVault {
  private let folder = TemporaryFolder()
  private let key: VaultKey

  /// The path of the vault.
  var path: String { folder.path + "/vault" }

  /// A vault with these bytes as its header.
  ///
  /// - Parameter key: unlocks it; nil takes the identity of `slots.json` if the header has its slot, else the
  ///   passphrase.
  init(header: [UInt8], key: VaultKey? = nil) throws {
    let slots = try OwnVectors.cases("slots")
    if let key {
      self.key = key
    } else {
      let recipients = (try? VaultHeader(parsing: header))?.slots.map(\.kind) ?? []
      let wanted = try slots.first { slot in
        guard slot.has("recipient") else { return true }
        return try recipients.contains(Slot.Kind(AgeRecipient(parsing: slot.text("recipient"))))
      }
      self.key = try #require(try wanted?.key())
    }
    write(header, to: "vault.json")
    for slot in try Self.allSlots() {
      let file = try #require(try slots.first { try $0.text("kind") == slot.kind.name })
      try write(file.base64("file_base64"), to: slot.path)
    }
  }

  /// A vault of the current root, which also has an open and a retired older one.
  static func withKeyring() throws -> VectorVault {
    try VectorVault(header: OwnVectors.cases("headers")[1].file("file"))
  }

  /// A header of `headers.json`.
  static func headers(_ index: Int) throws -> VaultHeader {
    try VaultHeader(parsing: OwnVectors.cases("headers")[index].file("file"))
  }

  /// A slot of each kind of `slots.json`, as a header of `headers.json` has it.
  private static func allSlots() throws -> [Slot] {
    let listed = try OwnVectors.cases("headers").indices.flatMap { try headers($0).slots }
    return try OwnVectors.cases("slots").map { one in
      try #require(try listed.first { try $0.kind.name == one.text("kind") })
    }
  }

  func write(_ bytes: [UInt8], to relative: String) { FileTree.writeWithFolder(bytes, to: path + "/" + relative) }

  func unlocked() async throws -> Vault {
    try await LockedVault(at: path).unlock(with: key, options: Vault.Options(state: nil))
  }
}

extension VectorVault {
  /// A vault whose only slot is that of a case of `slots.json` or `negative/slot-*`, under a good MAC.
  init(slot one: OwnVectors.Case) throws {
    let good = try OwnVectors.cases("headers")[0]
    var header = try #require(try JSONParser.parse(good.file("file")).object)
    let kind = try one.text("kind")
    let slot = try #require(try Self.allSlots().first { $0.kind.name == kind })
    var members = slot.members
    members["sha256"] = .string(try one.text("sha256"))
    if kind == Requirements.postQuantum { header[Requirements.memberName] = .array([.string(kind)]) }
    header["slots"] = .array([.object(members)])
    header["mac"] = .string(Base64.encode(try good.rootKey(Self.headers(0).vaultID).mac(of: header, as: .header)))
    try self.init(header: JSONValue.object(header).prettyBytes(), key: one.key())
    try write(one.base64("file_base64"), to: slot.path)
  }
}

extension OwnVectors.Case {
  /// Whether the OpenSSL here has the algorithms of the case's slot.
  func canBeOpened() throws -> Bool {
    guard has("kind"), try text("kind") == Requirements.postQuantum else { return true }
    return Need.postQuantum.isMet
  }

  /// The identity or passphrase of the case.
  func key() throws -> VaultKey {
    guard has("identity") else { return .passphrase(try secretBytes(file("passphrase"))) }
    return .identity(try identity())
  }

  /// The identity of the case.
  func identity() throws -> AgeIdentity {
    let text = try file("identity")
    return try AgeIdentity(parsing: RawSpan(_elements: text.span))
  }

  /// The root key of the case in the vault `vaultID`.
  func rootKey(_ vaultID: VaultID) throws -> RootKey {
    try RootKey(secretBytes(hex("root_key_hex")), vaultID: vaultID)
  }
}

/// Published bytes in secure memory.
func secretBytes(_ bytes: [UInt8]) throws -> SecretBytes { try SecretBytes(copying: RawSpan(_elements: bytes.span)) }
