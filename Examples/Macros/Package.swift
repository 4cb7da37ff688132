// swift-tools-version: 6.2
import PackageDescription

// A record type of ten lines that goes through a vault and back, as a program of its own: Scripts/examples --all.
let package = Package(
  name: "vault-example-macros",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "vault", path: "../..", traits: ["Macros"])],
  targets: [
    .executableTarget(
      name: "Macros",
      dependencies: ["VaultCare", "VaultKit", "VaultRecordMacros", "VaultTesting"].map {
        .product(name: $0, package: "vault")
      })
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
