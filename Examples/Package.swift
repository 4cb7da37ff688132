// swift-tools-version: 6.2
import PackageDescription

// The cookbook: one file for each system whose data it reads. It is a separate package, so that users of the vault
// never build it. Run by Scripts/examples; one alone with `swift run --package-path Examples Launches [FILE…]`. Beside
// it are parts that are only compiled: closures of every isolation, and the snippets of the documents.
let products = ["VaultAge", "VaultCare", "VaultCrypto", "VaultDocument", "VaultKit", "VaultRecords", "VaultSealing"]
  .map { Target.Dependency.product(name: $0, package: "vault") }

// Each executable is one file of the same folder.
let cookbook = ["Launches", "ToyStore", "Books", "Cards", "Stocks", "Market", "Customers", "Shapes"]

let isolation = ["Plain", "MainActor", "Actors"].map { name in
  Target.target(name: "\(name)Program", dependencies: products, path: "Isolation/\(name)")
}

// A custom store and a custom type, checked by the tests of the library.
let testing = Target.executableTarget(
  name: "Testing",
  dependencies: products + ["VaultStorage", "VaultTesting"].map { .product(name: $0, package: "vault") },
  path: "Testing")

// Scripts/snippets writes the other files there. A folder of the name `Snippets` would be built file by file.
let snippets = Target.target(
  name: "Snippets",
  dependencies: products
    + ["VaultDelivery", "VaultStorage", "VaultTesting"].map { .product(name: $0, package: "vault") },
  path: "FromDocuments")

let package = Package(
  name: "vault-examples",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "vault", path: "..", traits: [])],
  targets: [.target(name: "CookbookSupport", dependencies: products, path: "Cookbook/Support")]
    + cookbook.map { name in
      .executableTarget(
        name: name, dependencies: ["CookbookSupport"] + products, path: "Cookbook",
        exclude: ["Support"] + cookbook.filter { $0 != name }.map { "\($0).swift" }, sources: ["\(name).swift"])
    } + isolation + [testing, snippets]
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
// The settings of a new app in Xcode.
for target in package.targets where target.name == "MainActorProgram" {
  target.swiftSettings?.append(.defaultIsolation(MainActor.self))
}
// Written as a reader has them: without settings of their own.
snippets.swiftSettings = [.swiftLanguageMode(.v6)]
