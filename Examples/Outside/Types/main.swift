import Foundation
import VaultDocument
import VaultCare
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTesting

/// Types of one's own, the next version of one, and a kind that a vault declares.
struct Server: VaultRecord {
  static let kindName = "server"
  var host: String
  var first, last: String
  var password: EncryptedCodableString
}

struct ServerNow: VaultRecord, Equatable {
  struct Limits: Codable, Equatable, Sendable { var sessions: Int }
  static let (kindName, schema) = ("server", 2)
  static let migrations = [
    Migration(
      to: 2,
      [
        .move("host", to: "net.host"),
        .compute("owner from first and last name") { record in
          record["owner"] = .string([record["first"], record["last"]].compactMap { $0?.string }.joined(separator: " "))
          (record["first"], record["last"]) = (nil, nil)
        },
      ])
  ]
  struct Net: Codable, Equatable, Sendable { var host: String }
  var net: Net
  var owner: String
  var password: EncryptedCodableString
  var limits: Sealed<Limits>?
  var codes: Sealed<[String]>?
  var expires: Sealed<Date>?
}

let old = try await TestVault(types: [Server.self])
let id = try await old.vault.add(Server(host: "db.example.com", first: "Ada", last: "King", password: "sample"))
var options = Vault.Options()
options.types = [ServerNow.self]
let vault = try await Vault.open(in: old.store, unlockingWith: .identity(old.identity), options: options)
try RecordKind.check(of: ServerNow.self)
try await vault.update(id, as: ServerNow.self) { server in
  (server.limits, server.codes) = (Sealed(.init(sessions: 3)), Sealed(["a", "b"]))
}
try await vault.migrate()
let schema = try JSONParser.parse(
  Array(
    #"{"type":"object","required":["ssid"],"properties":{"ssid":{"type":"string"},"key":{"type":"string","x-sealed":true}}}"#
      .utf8))
try await vault.declareKind("wifi", as: schema.object ?? JSONObject())
let server = try await vault.record(id, as: ServerNow.self).value
print(
  "Types: \(server.owner) at \(server.net.host), \(try server.limits?.reveal().sessions ?? 0) sessions, \(vault.kinds.names.count) kinds"
)
