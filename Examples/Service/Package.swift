// swift-tools-version: 6.2
import PackageDescription

// A service that reads the password of its database from a vault, through swift-configuration. A package of its own, so
// that nobody else fetches that.
let package = Package(
  name: "vault-example-service",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: "../..", traits: ["Configuration"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
  ],
  targets: [
    .executableTarget(
      name: "Service",
      dependencies: [
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "VaultAge", package: "vault"), .product(name: "VaultConfiguration", package: "vault"),
        .product(name: "VaultDelivery", package: "vault"), .product(name: "VaultDocument", package: "vault"),
        .product(name: "VaultKit", package: "vault"), .product(name: "VaultRecords", package: "vault"),
        .product(name: "VaultSealing", package: "vault"),
      ])
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
