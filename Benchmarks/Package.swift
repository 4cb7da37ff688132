// swift-tools-version: 6.2
import PackageDescription

// The floors for the measurements, in a package of their own, so that users of the vault never build them.
let package = Package(
  name: "vault-benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // The command tree of `vault` without a vault: the cost of starting a process and parsing its arguments.
    .executableTarget(
      name: "get-floor", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    // JSONDecoder over the files of a vault: the cost of reading and decoding without opening anything.
    .executableTarget(name: "export-floor"),
    // The files of a vault, only written: many and one sync, or one durably.
    .executableTarget(name: "write-floor"),
    // Runs one program: how long, how much memory.
    .executableTarget(name: "stopwatch"),
    // The work of a service with a vault: transactions, many tasks at once, a million customers.
    .executableTarget(
      name: "service",
      dependencies: ["VaultAge", "VaultCare", "VaultCrypto", "VaultKit", "VaultRecords", "VaultSealing"]
        .map { .product(name: $0, package: "vault") }),
    // Sealing 32 bytes and nothing else, beside `openssl speed`.
    .executableTarget(name: "seal-floor", dependencies: [.product(name: "VaultCrypto", package: "vault")]),
    // Clients that change records of one vault at a time, without a process for each change.
    .executableTarget(
      name: "writers",
      dependencies: [
        .product(name: "VaultCare", package: "vault"), .product(name: "VaultKit", package: "vault"),
        .product(name: "VaultRecords", package: "vault"), .product(name: "VaultPostgresStore", package: "vault"),
        .product(name: "VaultAge", package: "vault"), .product(name: "VaultDocument", package: "vault"),
      ]),
    // A customer with sealed fields beside one with plain strings, both encoded in this program.
    .executableTarget(
      name: "encode-floor",
      dependencies: [
        .product(name: "VaultRecords", package: "vault"), .product(name: "VaultSealing", package: "vault"),
        .product(name: "VaultCrypto", package: "vault"),
      ]),
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
