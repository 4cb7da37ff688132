import VaultAge
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage

/// `vault.json`: as it is, and with a MAC that fits whatever it says.
enum HeaderTarget: FuzzTarget {
  static let name = "header"

  /// A good header: one slot, one older root that is retired.
  static let headerTree = must("the header") { () throws -> JSONObject in
    let time: JSONValue = .string(Fixture.now.text)
    // Bound to a name of its own: a span must not outlive what it was taken of.
    let slotFile = Fixture.slotFile
    let slot = try JSONObject([
      ("created_at", time), ("id", .string(Fixture.slotID.text)), ("kind", "x25519"), ("label", "laptop"),
      ("recipient", .string(try Fixture.identity.recipient.text)),
      ("sha256", .string(Hex.encode(try SHA256.hash(RawSpan(_elements: slotFile.span))))),
    ])
    let root = try JSONObject([
      ("commitment", .string(Base64.encode(Fixture.root.commitment))), ("created_at", time),
      ("id", .string(Fixture.root.id.description)),
    ])
    return try authenticated(
      JSONObject([
        ("created_at", time), ("format", 1), ("id", .string(Fixture.vaultID.text)), ("keyring", .array([])),
        ("kinds", .object(JSONObject())), ("revision", 1), ("root", .object(root)), ("slots", .array([.object(slot)])),
      ]))
  }
  static let headerBytes = must("the header's bytes") { () throws(DocumentError) in
    try JSONValue.object(headerTree).prettyBytes()
  }

  static func seeds() throws -> [[UInt8]] {
    var older = headerTree
    let entry = try JSONObject([
      ("id", "AAECAwQFBgcICQoLDA0ODw"), ("commitment", .string(Base64.encode(Fixture.root.commitment))),
      ("state", "retired"), ("created_at", .string(Fixture.now.text)), ("replaced_at", .string(Fixture.now.text)),
      ("reason", "reseal"),
    ])
    older["keyring"] = .array([.object(entry)])
    var newer = headerTree
    newer["requires"] = .array(["later"])
    return try [headerBytes] + [older, newer].map { try JSONValue.object(authenticated($0)).prettyBytes() }
  }

  static func check(_ input: [UInt8]) {
    let tree = (try? JSONParser.parse(input))?.object
    if unlocks(input) {
      require(tree.map(isAuthentic) ?? false, "a header that nobody with the root key wrote does not unlock")
    }
    guard let tree, let bytes = try? JSONValue.object(authenticated(tree)).compactBytes() else { return }
    // Here the MAC fits: every other check has to do its own part.
    guard unlocks(bytes) else { return }
    require(tree["requires"] == nil, "no extension is known")
    require(tree["id"] == headerTree["id"], "a vault that unlocks has the id that its slot says")
    require(tree["root"]?["id"] == headerTree["root"]?["id"], "a vault that unlocks has the root that its slot holds")
  }

  private static func isAuthentic(_ tree: JSONObject) -> Bool {
    (try? Fixture.root.authenticates(tree, as: .header)) ?? false
  }

  private static func authenticated(_ tree: JSONObject) throws(SealingError) -> JSONObject {
    var tree = tree
    tree["mac"] = .string(Base64.encode(try Fixture.root.mac(of: tree, as: .header)))
    return tree
  }

  /// Whether a vault with this header opens for the identity; whatever is wrong is a `VaultError`.
  private static func unlocks(_ header: [UInt8]) -> Bool {
    let store = MemoryStore()
    must("a store in memory takes any bytes") { () throws(StoreError) in
      try store.apply([
        StoreChange(.header, from: nil, to: header),
        StoreChange(.slot(Fixture.slotID), from: nil, to: Fixture.slotFile),
      ])
    }
    guard let vault = try? LockedVault(store: store) else { return false }
    let print = must("a parsed header has a fingerprint") { () throws(VaultError) in try vault.fingerprint() }
    require(print.utf8.count == 40, "a fingerprint has 40 digits")
    require(!vault.header.slots.isEmpty, "a parsed header has a slot")
    return waiting { await opens(vault) }
  }

  private static func opens(_ vault: LockedVault) async -> Bool {
    guard let open = try? await vault.unlock(with: .identity(Fixture.identity), options: Vault.Options(state: nil))
    else { return false }
    guard let list = try? await open.list() else { broken("a vault without records can be listed") }
    require(list.isEmpty, "a vault without records lists none")
    return true
  }
}
