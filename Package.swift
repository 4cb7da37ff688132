// swift-tools-version: 6.2
import PackageDescription

let libraries = [
  "VaultCrypto", "VaultDocument", "VaultAge", "VaultSealing", "VaultStorage", "VaultRecords", "VaultFileStore",
  "VaultPostgresStore", "VaultKit", "VaultBackup", "VaultExchange", "VaultDelivery", "VaultMerge", "VaultConfiguration",
  "VaultTesting",
]

let package = Package(
  name: "vault",
  platforms: [.macOS(.v26)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + [.executable(name: "vault", targets: ["vault"])],
  traits: [
    // Who depends on libraries alone says `traits: []`, and fetches nothing.
    .default(enabledTraits: ["Command"]),
    .trait(name: "Command", description: "The program `vault`, which reads its arguments with swift-argument-parser."),
    .trait(name: "Configuration", description: "VaultConfiguration: values of a vault for swift-configuration."),
  ],
  dependencies: [
    // Fetched only where the trait asks for it, as it does by default.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The independent oracle of the crypto tests; no product depends on it.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    // Fetched only where the trait asks for it.
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
  ],
  targets: [
    // Layer 0
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

    // Declarations only: nothing is linked, and nothing need be installed to build.
    .systemLibrary(name: "CDynamicLibraries"),

    .target(name: "DynamicLibraries"),

    .target(name: "VaultSystem"),

    // Layer 1
    .target(name: "VaultCrypto", dependencies: ["COpenSSL", "DynamicLibraries"]),
    .target(name: "VaultDocument"),

    // Layer 2
    .target(name: "VaultAge", dependencies: ["VaultCrypto", "VaultDocument"]),
    .target(name: "VaultSealing", dependencies: ["VaultCrypto", "VaultDocument"]),
    .target(name: "VaultStorage", dependencies: ["VaultDocument", "VaultSystem"]),

    // Layer 3
    .target(name: "VaultRecords", dependencies: ["VaultSealing", "VaultCrypto", "VaultDocument"]),
    .target(name: "VaultMerge", dependencies: ["VaultSealing", "VaultStorage", "VaultDocument"]),
    .target(name: "VaultAgent", dependencies: ["VaultSealing", "VaultCrypto", "VaultDocument", "VaultSystem"]),
    .target(name: "VaultFileStore", dependencies: ["VaultStorage", "VaultDocument", "VaultSystem"]),
    .target(
      name: "VaultPostgresStore",
      dependencies: ["DynamicLibraries", "VaultStorage", "VaultDocument", "VaultSystem"]),
    .target(name: "VaultIndex", dependencies: ["CDynamicLibraries", "VaultStorage", "VaultDocument"]),

    // Layer 4
    .target(
      name: "VaultKit",
      dependencies: [
        "VaultRecords", "VaultFileStore", "VaultPostgresStore", "VaultIndex", "VaultSealing", "VaultStorage",
        "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem",
      ]),

    .target(
      name: "VaultExchange",
      dependencies: [
        "CDynamicLibraries", "DynamicLibraries", "VaultRecords", "VaultSealing", "VaultDocument", "VaultCrypto",
        "VaultAge",
      ]),

    // Layer 5
    .target(
      name: "VaultBackup",
      dependencies: [
        "VaultKit", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto", "VaultDocument",
        "VaultSystem",
      ]),

    .target(
      name: "VaultDelivery",
      dependencies: [
        "CDynamicLibraries", "VaultExchange", "VaultKit", "VaultRecords", "VaultSealing", "VaultCrypto",
        "VaultDocument", "VaultSystem",
      ]),

    // For tests of others; nothing here but our own tests stands on it.
    .target(
      name: "VaultTesting", dependencies: ["VaultKit", "VaultRecords", "VaultStorage", "VaultAge", "VaultDocument"]),

    // Layers 6 and 7
    .target(
      name: "VaultConfiguration",
      dependencies: [
        "VaultDelivery", "VaultKit", "VaultCrypto",
        .product(
          name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"])),
      ]),
    .target(
      name: "VaultCommands",
      dependencies: [
        "VaultKit", "VaultAgent", "VaultBackup", "VaultDelivery", "VaultExchange", "VaultMerge", "VaultRecords",
        "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem", "DynamicLibraries",
        "CDynamicLibraries",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ]),
    .executableTarget(name: "vault", dependencies: ["VaultCommands"]),

    // Tests
    .target(
      name: "VaultTestSupport", dependencies: ["VaultFileStore", "VaultStorage", "VaultDocument", "VaultSystem"],
      path: "Tests/VaultTestSupport"),
    // What Scripts/crash and Scripts/soak run. No product has it, so no user of the package builds it.
    .executableTarget(
      name: "VaultHarness",
      dependencies: [
        "VaultBackup", "VaultKit", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultAge",
        "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ],
      path: "Tests/VaultHarness"),
    .testTarget(
      name: "VaultCryptoTests",
      dependencies: ["VaultCrypto", "VaultTestSupport", .product(name: "Crypto", package: "swift-crypto")]),
    .testTarget(name: "VaultDocumentTests", dependencies: ["VaultDocument", "VaultTestSupport"]),
    .testTarget(name: "VaultAgeTests", dependencies: ["VaultAge", "VaultCrypto", "VaultTestSupport"]),
    .testTarget(
      name: "VaultSealingTests",
      dependencies: [
        "VaultSealing", "VaultCrypto", "VaultDocument", "VaultTestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "VaultStorageTests",
      dependencies: [
        "VaultStorage", "VaultFileStore", "VaultTesting", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultPostgresStoreTests",
      dependencies: [
        "VaultPostgresStore", "VaultStorage", "VaultTesting", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultIndexTests", dependencies: ["VaultIndex", "VaultStorage", "VaultDocument", "VaultTestSupport"]),
    .testTarget(
      name: "VaultRecordsTests",
      dependencies: ["VaultRecords", "VaultSealing", "VaultCrypto", "VaultDocument", "VaultTestSupport"]),
    .testTarget(
      name: "VaultKitTests",
      dependencies: [
        "VaultKit", "VaultIndex", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultTesting",
        "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultTestingTests",
      dependencies: ["VaultTesting", "VaultKit", "VaultRecords", "VaultSealing", "VaultStorage", "VaultDocument"]),
    .testTarget(
      name: "VaultExchangeTests",
      dependencies: [
        "VaultExchange", "VaultAge", "VaultRecords", "VaultSealing", "VaultDocument", "VaultCrypto",
        "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultBackupTests",
      dependencies: [
        "VaultBackup", "VaultKit", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultAge",
        "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultDeliveryTests",
      dependencies: [
        "VaultDelivery", "VaultKit", "VaultRecords", "VaultSealing", "VaultAge", "VaultCrypto", "VaultDocument",
        "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultMergeTests",
      dependencies: [
        "VaultMerge", "VaultSealing", "VaultStorage", "VaultCrypto", "VaultDocument", "VaultTestSupport",
      ]),
    .testTarget(
      name: "VaultAgentTests",
      dependencies: ["VaultAgent", "VaultSealing", "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport"]),
    .testTarget(
      name: "VaultCommandTests",
      dependencies: ["vault", "VaultCommands", "VaultStorage", "VaultDocument", "VaultTestSupport"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
