// swift-tools-version: 6.2
import PackageDescription

// The costs of single calls of the libraries, beside the same work without them. Scripts/bench-library runs it.
let package = Package(
  name: "vault-library-benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "vault", path: "../.."),
    // Without traits: nothing is put between the program and its allocator.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    // The peer that seals.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .executableTarget(
      name: "VaultLibrary",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "VaultCrypto", package: "vault"), .product(name: "VaultDocument", package: "vault"),
        .product(name: "VaultSealing", package: "vault"), .product(name: "VaultAge", package: "vault"),
        .product(name: "VaultStorage", package: "vault"), .product(name: "VaultRecords", package: "vault"),
        .product(name: "VaultKit", package: "vault"),
      ],
      path: "Benchmarks/VaultLibrary",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
