import Testing
import VaultAge
import VaultDeposit
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

/// A vault in memory with a login, whose inbox takes any bytes.
struct DepositBench {
  static let secret = "deposited-secret-77"
  let test: TestVault
  let login: RecordID

  var vault: Vault { test.vault }
  var store: MemoryStore { test.store }
  var locked: LockedVault { get throws { try LockedVault(store: store) } }

  init() async throws {
    test = try await TestVault()
    login = try await test.vault.add(Login(title: "Mail", username: "ada", password: EncryptedCodableString("before")))
  }

  /// A whole login as a deposit.
  static func login(_ name: String, from: String? = nil) -> Deposit {
    Deposit(
      .record(kind: "login", members: JSONObject(members: ["password": secret, "title": name, "username": "ada"])),
      from: from)
  }

  /// A new password for the login, made by a depositor who sees its file.
  func password(_ value: String) throws -> Deposit {
    let path = try MemberPath(parsing: "password")
    let replaces = try locked.sealingTime(of: path, in: login)
    return Deposit(.value(record: login.text, field: path, value: value, replaces: replaces))
  }

  @discardableResult
  func put(_ bytes: [UInt8], as id: DepositID = .random()) throws -> DepositID {
    try store.put(bytes, at: .inbox(id))
    return id
  }

  /// A file with any payload, sealed to any recipient.
  static func sealed(_ payload: [UInt8], to recipient: AgeRecipient, isPadded: Bool = true) throws -> [UInt8] {
    var payload = payload
    if isPadded { Padding.withBytes(after: payload.count) { payload += $0.copiedBytes() } }
    return try unsafe AgeFile.seal(payload.span.bytes, to: [recipient])
  }

  /// The members of a good deposit of a login, to be changed.
  func members(_ id: DepositID) -> JSONObject {
    JSONObject(members: [
      "created_at": Timestamp.now(), "format": 1, "id": id, "kind": "login",
      "record": JSONObject(members: ["password": Self.secret, "title": "Evil"]), "vault": vault.header.vaultID,
    ])
  }

  /// The members of the header.
  func header() throws -> JSONObject {
    let bytes = try #require(try store.read(.header))
    return try #require(try JSONParser.parse(bytes).object)
  }

  /// Everything except the inbox.
  func documents() throws -> [StoreLocation: [UInt8]] {
    var documents: [StoreLocation: [UInt8]] = [:]
    for place in try store.places() {
      if case .inbox = place { continue }
      documents[place] = try store.read(place)
    }
    return documents
  }

  func password() async throws -> String? {
    try await vault.record(login).revealed()["password"]?.string
  }
}

extension MemoryStore {
  /// Puts bytes at a place, as somebody can who can write to the vault's folder.
  func put(_ bytes: [UInt8], at place: StoreLocation) throws {
    try apply([StoreChange(place, from: read(place), to: bytes)])
  }
}
