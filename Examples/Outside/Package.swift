// swift-tools-version: 6.2
import PackageDescription

// Programs of somebody else: no setting of this package, nothing that is not public. Scripts/examples --all copies them
// to another folder, builds them there against this package by its path, and runs them.
let vault = [
  "VaultCare", "VaultConfiguration", "VaultCrypto", "VaultDocument", "VaultKit", "VaultRecords", "VaultSealing",
  "VaultStorage",
  "VaultTesting",
]
let programs: [(name: String, packages: [(product: String, package: String)])] = [
  ("Batch", []), ("Types", []), ("Store", []), ("Tasks", []), ("Errors", []),
  ("Settings", [("Configuration", "swift-configuration")]),
]

let package = Package(
  name: "programs-of-others",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: Context.environment["VAULT_PACKAGE"] ?? "../..", traits: ["Configuration"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
  ],
  targets: programs.map { program in
    .executableTarget(
      name: program.name,
      dependencies: vault.map { .product(name: $0, package: "vault") }
        + program.packages.map { .product(name: $0.product, package: $0.package) },
      path: program.name)
  }
)
