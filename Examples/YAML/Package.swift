// swift-tools-version: 6.2
import PackageDescription

// A sealed member in YAML through Yams. A package of its own, so that nobody else fetches Yams.
let package = Package(
  name: "vault-example-yaml",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: "../..", traits: []),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .executableTarget(
      name: "YAML",
      dependencies: [
        .product(name: "Yams", package: "Yams"), .product(name: "VaultCrypto", package: "vault"),
        .product(name: "VaultSealing", package: "vault"),
      ],
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
