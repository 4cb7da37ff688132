// swift-tools-version: 6.2
import PackageDescription

// A sealed column in SQLite through GRDB. A package of its own, so that nobody else fetches GRDB.
let products: [Target.Dependency] = [
  .product(name: "GRDB", package: "GRDB.swift"), .product(name: "VaultCrypto", package: "vault"),
  .product(name: "VaultFields", package: "vault"), .product(name: "VaultSealing", package: "vault"),
]

let package = Package(
  name: "vault-example-database",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: "../..", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // A row with sealed columns.
    .target(name: "Accounts", dependencies: products),
    .executableTarget(name: "Database", dependencies: ["Accounts"] + products),
    // The same at 100,000 rows, beside clear text: Scripts/bench-service.
    .executableTarget(name: "Rows", dependencies: ["Accounts"] + products),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
