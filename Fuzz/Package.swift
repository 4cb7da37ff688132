// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets, in a separate package, so that users of the vault never build them. Built and run by Scripts/fuzz.
let package = Package(
  name: "vault-fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "vault", path: "..")],
  targets: [
    .executableTarget(
      name: "vault-fuzz",
      dependencies: [
        "VaultAge", "VaultCare", "VaultCrypto", "VaultDelivery", "VaultDocument", "VaultExchange", "VaultFileStore",
        "VaultKit",
        "VaultRecords",
        "VaultSealing", "VaultStorage",
      ].map { .product(name: $0, package: "vault") },
      path: "Sources")
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
