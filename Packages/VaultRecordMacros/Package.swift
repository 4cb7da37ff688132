// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The macro `@VaultRecord`. A package of its own: whoever writes record types without it never builds swift-syntax.
let package = Package(
  name: "vault-record-macros",
  platforms: [.macOS(.v26)],
  products: [.library(name: "VaultRecordMacros", targets: ["VaultRecordMacros"])],
  dependencies: [
    .package(name: "vault", path: "../..", traits: []),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    .macro(
      name: "RecordMacroPlugin",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "VaultDocument", package: "vault"),
      ]),
    .target(
      name: "VaultRecordMacros",
      dependencies: ["RecordMacroPlugin"]
        + ["VaultDocument", "VaultRecords", "VaultSealing"].map { .product(name: $0, package: "vault") }),
    // A record type of ten lines that goes through a vault and back: Scripts/examples --all.
    .executableTarget(
      name: "MacroExample",
      dependencies: ["VaultRecordMacros"]
        + ["VaultKit", "VaultTesting"].map { .product(name: $0, package: "vault") }),
    .testTarget(
      name: "VaultRecordMacrosTests",
      dependencies: [
        "RecordMacroPlugin", "VaultRecordMacros",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
        .product(name: "VaultKit", package: "vault"), .product(name: "VaultTesting", package: "vault"),
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
