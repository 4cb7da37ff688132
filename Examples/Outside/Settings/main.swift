import Configuration
import VaultConfiguration
import VaultKit
import VaultRecords
import VaultTesting

/// A configuration that says where its secrets are, and a program that reads both in one way.
let configuration = InMemoryProvider(values: [
  "db.host": "db.example.com", "db.password": "cvault://Orders/password",
])
let vault = try await TestVault().vault
try await vault.add(Login(title: "Orders", username: "ada", password: "sample-password"))
let secrets = try await VaultProvider(vault, ["db.password"], of: configuration)
let reader = ConfigReader(providers: [secrets, configuration]).scoped(to: "db")
let password = try reader.requiredString(forKey: "password")
precondition(password == "sample-password")
precondition(!"\(secrets)".contains("sample"))
print("Settings: \(try reader.requiredString(forKey: "host")), with a password from a vault")
