// swift-tools-version: 6.2
import PackageDescription

// A web service whose handlers read and write customers in a vault, in a folder or in PostgreSQL. A package of its
// own, so that nobody else fetches Hummingbird.
let package = Package(
  name: "vault-example-customer-service",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "CustomerService",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "VaultAge", package: "vault"),
        .product(name: "VaultCare", package: "vault"), .product(name: "VaultDocument", package: "vault"),
        .product(name: "VaultKit", package: "vault"), .product(name: "VaultPostgresStore", package: "vault"),
        .product(name: "VaultRecords", package: "vault"), .product(name: "VaultSealing", package: "vault"),
      ])
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
