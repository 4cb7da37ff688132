// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let libraries = [
  "Vault",
  "VaultCrypto", "VaultDocument", "VaultAge", "VaultSealing", "VaultStorage", "VaultRecords", "VaultFileStore",
  "VaultKit", "VaultCare", "VaultTrust", "VaultBackup", "VaultExchange", "VaultDelivery", "VaultConfiguration",
  "VaultPostgresStore", "VaultDeposit", "VaultSets", "VaultFields", "VaultTesting",
]
// `@VaultRecord`, with the trait `Macros`; else empty.
let macros = ["VaultRecordMacros"]

// Scripts/install sets this variable, to a folder with the archive of libstdc++. The program then contains it and the
// Swift runtime, and exports nothing, so that less is looked up at its start (docs/decisions/0215-a-shorter-start.md).
// Only the link changes, so that the program as installed and the tests come from the same objects
// (docs/decisions/0160-one-build.md). The program has no build id, because its hash would cover the folders of the
// build.
let staticRuntime: [LinkerSetting] =
  Context.environment["VAULT_LINK_STATIC"].map { archives in
    [
      .unsafeFlags(
        ["-L", archives, "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections"]
          + ["--build-id=none", "--no-export-dynamic"].flatMap { ["-Xlinker", $0] })
    ]
  } ?? []

// The packs of the program, and the libraries of each. `VAULT_WITHOUT=Git,Backup` leaves some out; Scripts/packs builds
// the program without each.
let allPacks = [
  ("Agent", ["VaultAgent"]), ("Attachments", []), ("Backup", ["VaultBackup"]), ("Care", ["VaultRepair"]),
  ("Clipboard", []), ("Completion", []), ("Delivery", ["VaultDelivery"]), ("Deposit", ["VaultDeposit"]), ("Edit", []),
  ("Exchange", ["VaultExchange"]), ("Git", ["VaultMerge"]), ("Keys", []), ("Kinds", []), ("Picker", []),
  ("Postgres", ["VaultPostgresStore"]), ("Sets", ["VaultSets"]), ("Trash", []),
]
let leftOut = (Context.environment["VAULT_WITHOUT"] ?? "").split(separator: ",").map(String.init)
let packs = allPacks.filter { !leftOut.contains($0.0) }

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))

// What the command line stands on.
let openVault: [Target.Dependency] = [
  "VaultKit", "VaultRecords", "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem",
  argumentParser,
]

let package = Package(
  name: "vault",
  platforms: [.macOS(.v26)],
  products: (libraries + macros).map { .library(name: $0, targets: [$0]) }
    + [.executable(name: "vault", targets: ["VaultProgram"])],
  traits: [
    // A program that depends only on libraries gives `traits: []`, and fetches nothing.
    .default(enabledTraits: ["Command"]),
    .trait(name: "Command", description: "The program `vault`, which reads its arguments with swift-argument-parser."),
    .trait(name: "Configuration", description: "VaultConfiguration: values of a vault for swift-configuration."),
    .trait(name: "Macros", description: "VaultRecordMacros: record types by @VaultRecord, which builds swift-syntax."),
  ],
  dependencies: [
    // A package is fetched only if its trait is on. The trait of the command is on by default.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
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
    // XML and YAML, read by expat and libyaml, which are opened when they are needed.
    .target(name: "VaultMarkup", dependencies: ["VaultDocument", "CDynamicLibraries", "DynamicLibraries"]),
    .target(name: "VaultAge", dependencies: ["VaultCrypto", "VaultDocument"]),
    .target(name: "VaultSealing", dependencies: ["VaultCrypto", "VaultDocument"]),
    .target(name: "VaultStorage", dependencies: ["VaultDocument", "VaultSystem"]),

    // Layer 3
    .target(name: "VaultRecords", dependencies: ["VaultSealing", "VaultCrypto", "VaultDocument"]),
    .target(name: "VaultMerge", dependencies: ["VaultSealing", "VaultStorage", "VaultDocument"]),
    .target(name: "VaultAgent", dependencies: ["VaultSealing", "VaultCrypto", "VaultDocument", "VaultSystem"]),
    .target(name: "VaultFileStore", dependencies: ["VaultStorage", "VaultDocument", "VaultSystem"]),
    .target(name: "VaultIndex", dependencies: ["CDynamicLibraries", "VaultStorage", "VaultDocument"]),

    // Layers 4 to 7
    .target(
      name: "VaultTrust",
      dependencies: [
        "CDynamicLibraries", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultAge",
        "VaultCrypto", "VaultDocument", "VaultSystem",
      ]),
    .target(
      name: "VaultKit",
      dependencies: [
        "VaultTrust", "VaultRecords", "VaultFileStore", "VaultIndex", "VaultSealing", "VaultStorage", "VaultAge",
        "VaultCrypto", "VaultDocument", "VaultSystem",
      ]),
    .target(
      name: "VaultCare",
      dependencies: [
        "VaultKit", "VaultTrust", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage",
        "VaultAge", "VaultCrypto", "VaultDocument",
      ]),

    .target(
      name: "VaultExchange",
      dependencies: [
        "CDynamicLibraries", "DynamicLibraries", "VaultMarkup", "VaultRecords", "VaultSealing",
        "VaultDocument", "VaultCrypto", "VaultAge",
      ]),

    // Layers 8 and 9: what programs and commands take from a vault
    .target(
      name: "VaultBackup",
      dependencies: [
        "VaultKit", "VaultCare", "VaultFileStore", "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto",
        "VaultDocument", "VaultSystem",
      ]),
    .target(
      name: "VaultDelivery",
      dependencies: [
        "VaultMarkup", "VaultKit", "VaultRecords", "VaultSealing", "VaultCrypto", "VaultDocument", "VaultSystem",
      ]),
    .target(
      name: "VaultDeposit",
      dependencies: [
        "VaultCare", "VaultKit", "VaultTrust", "VaultRecords", "VaultSealing", "VaultStorage", "VaultAge",
        "VaultCrypto", "VaultDocument",
      ]),
    .target(
      name: "VaultRepair",
      dependencies: [
        "VaultCare", "VaultKit", "VaultTrust", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage",
        "VaultAge", "VaultCrypto", "VaultDocument",
      ]),
    .target(
      name: "VaultSets",
      dependencies: [
        "VaultKit", "VaultTrust", "VaultRecords", "VaultFileStore", "VaultStorage", "VaultDocument", "VaultSystem",
      ]),
    .target(
      name: "VaultPostgresStore",
      dependencies: [
        "VaultTrust", "VaultStorage", "VaultCrypto", "VaultDocument", "VaultSystem", "DynamicLibraries",
      ]),

    // Dates, names and lists of other formats, search tags and wrapped keys, for the types and tables of programs.
    .target(name: "VaultFields", dependencies: ["VaultSealing", "VaultCrypto", "VaultDocument"]),
    // For tests of others; nothing here but our own tests stands on it.
    .target(
      name: "VaultTesting",
      dependencies: ["VaultKit", "VaultRecords", "VaultStorage", "VaultAge", "VaultDocument"]),

    // The macro `@VaultRecord`, which runs in the compiler, and its declaration.
    .macro(
      name: "RecordMacroPlugin",
      dependencies: ["VaultDocument"]
        + [
          "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
          "SwiftSyntaxMacros",
        ].map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"])) }),
    .target(
      name: "VaultRecordMacros",
      dependencies: ["RecordMacroPlugin", "VaultRecords", "VaultSealing", "VaultDocument"]),

    .target(
      name: "VaultConfiguration",
      dependencies: [
        "VaultDelivery", "VaultKit", "VaultCrypto",
        .product(
          name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"])),
      ]),
    .target(
      name: "Vault",
      dependencies: [
        "VaultKit", "VaultCare", "VaultTrust", "VaultRecords", "VaultSealing", "VaultAge", "VaultCrypto",
        "VaultDocument", "VaultBackup", "VaultExchange", "VaultSets", "VaultFields",
      ]),
    // The command line: what every command stands on, and the commands of every day.
    .target(name: "VaultTerminal", dependencies: openVault),
    .target(name: "VaultCLI", dependencies: ["VaultTerminal"] + openVault),
    .target(name: "VaultDaily", dependencies: ["VaultCLI", "VaultTerminal"] + openVault),
    // What the commands of several packs stand on.
    .target(
      name: "VaultPackSupport",
      dependencies: [
        "VaultCLI", "VaultTerminal", "VaultCare", "VaultKit", "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto",
        "VaultDocument",
      ]),

    // The program: a list of packs.
    .target(
      name: "VaultCommands",
      dependencies: ["VaultDaily", "VaultCLI", "VaultTerminal", "VaultCrypto", "VaultSystem"]
        + packs.map { .target(name: "Vault\($0.0)Commands") }),
    // Its name is not that of the product, which some file systems take for the library `Vault`.
    .executableTarget(name: "VaultProgram", dependencies: ["VaultCommands"], linkerSettings: staticRuntime),

    // Tests
    .target(
      name: "VaultTestSupport",
      dependencies: ["VaultFileStore", "VaultStorage", "VaultCrypto", "VaultDocument", "VaultSystem"]),
    // What Scripts/crash and Scripts/soak run. No product has it, so no user of the package builds it.
    .executableTarget(
      name: "VaultHarness",
      dependencies: [
        "VaultBackup", "VaultKit", "VaultCare", "VaultRecords", "VaultFileStore", "VaultSealing", "VaultStorage",
        "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport",
      ]),
    // A program that uses the libraries as an outsider does, which command tests run.
    .executableTarget(
      name: "VaultOutsider", dependencies: ["VaultPostgresStore", "VaultKit", "VaultRecords", "VaultAge"]),
  ]
)

// Suites that open vaults stand on these.
let opened = [
  "VaultKit", "VaultCare", "VaultRecords", "VaultSealing", "VaultStorage", "VaultAge", "VaultCrypto", "VaultDocument",
  "VaultSystem", "VaultTestSupport",
]
// The suites, each with the targets that it tests and uses.
let suites: KeyValuePairs = [
  "VaultCryptoTests": ["VaultCrypto", "VaultTestSupport"],
  "VaultDocumentTests": ["VaultDocument", "VaultFields", "VaultTestSupport"],
  "VaultAgeTests": ["VaultAge", "VaultCrypto", "VaultTestSupport"],
  "VaultSealingTests": ["VaultSealing", "VaultFields", "VaultCrypto", "VaultDocument", "VaultTestSupport"],
  "VaultStorageTests": [
    "VaultStorage", "VaultFileStore", "VaultTesting", "VaultDocument", "VaultSystem", "VaultTestSupport",
  ],
  "VaultPostgresStoreTests": [
    "VaultPostgresStore", "VaultTrust", "VaultStorage", "VaultTesting", "VaultDocument", "VaultTestSupport",
  ],
  "VaultIndexTests": ["VaultIndex", "VaultStorage", "VaultDocument", "VaultTestSupport"],
  "VaultRecordsTests": [
    "VaultRecords", "VaultCare", "VaultFields", "VaultSealing", "VaultCrypto", "VaultDocument", "VaultTestSupport",
  ],
  "VaultKitTests": ["VaultRepair", "VaultIndex", "VaultFileStore", "VaultTesting"] + opened,
  "VaultTestingTests": ["VaultTesting", "VaultKit", "VaultRecords", "VaultSealing", "VaultStorage", "VaultDocument"],
  "VaultExchangeTests": ["VaultExchange", "VaultMarkup"] + opened,
  "VaultBackupTests": ["VaultBackup", "VaultFileStore"] + opened,
  "VaultDeliveryTests": ["VaultDelivery"] + opened,
  "VaultDepositTests": ["VaultDeposit", "VaultTesting"] + opened,
  "VaultMergeTests": [
    "VaultMerge", "VaultSealing", "VaultStorage", "VaultCrypto", "VaultDocument", "VaultTestSupport",
  ],
  "VaultSetsTests": ["VaultSets", "VaultKit", "VaultRecords", "VaultDocument", "VaultTestSupport"],
  "VaultAgentTests": ["VaultAgent", "VaultSealing", "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport"],
  "VaultCommandTests": [
    "VaultProgram", "VaultOutsider", "VaultCommands", "VaultDaily", "VaultCLI", "VaultTerminal", "VaultStorage",
    "VaultSealing", "VaultAge", "VaultCrypto", "VaultDocument", "VaultSystem", "VaultTestSupport",
  ],
]
// `VAULT_BUILD_SUITES=VaultAge,VaultCrypto` leaves the others out, for a sanitizer.
let someSuites = Context.environment["VAULT_BUILD_SUITES"]?.split(separator: ",").map { "\($0)Tests" }
package.targets += suites.filter { someSuites?.contains($0.key) ?? true }
  .map { .testTarget(name: $0, dependencies: $1.map { .target(name: $0) }) }

// The commands of a pack stand on the command line and on what packs share; none of them knows another pack.
package.targets += packs.map { name, libraries in
  .target(
    name: "Vault\(name)Commands",
    dependencies: libraries.map { .target(name: $0) }
      + ["VaultPackSupport", "VaultCare", "VaultCLI", "VaultTerminal", "DynamicLibraries"] + openVault,
    path: "Sources/Packs/\(name)/Vault\(name)Commands")
}

// What only `Scripts/test --all` builds: the oracles, which fetch another package, the examples, and the replay of fuzz
// inputs. They stand in this package so that they share its build.
if Context.environment["VAULT_BUILD_ALL"] != nil {
  let products = [
    "VaultAge", "VaultCrypto", "VaultDocument", "VaultKit", "VaultCare", "VaultRecords", "VaultSealing",
    "VaultFields",
  ]
  .map { Target.Dependency.target(name: $0) }
  package.dependencies.append(.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"))
  package.targets += [
    .testTarget(
      name: "VaultOracleTests",
      dependencies: [
        "VaultCrypto", "VaultSealing", "VaultDocument", "VaultTestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "VaultFuzzReplay",
      dependencies: products + ["VaultDelivery", "VaultExchange", "VaultFileStore", "VaultStorage"],
      path: "Fuzz", exclude: ["Corpus", "Package.swift", "README.md", "Sources/EntryPoint.swift"],
      sources: ["Replay", "Sources"]),
  ]
  // An example sees what a reader's program sees: nothing that is `package`.
  let cookbook = ["Launches", "ToyStore", "Books", "Cards", "Stocks", "Market", "Customers", "Shapes"]
  package.targets += [
    .target(
      name: "CookbookSupport", dependencies: products, path: "Examples/Cookbook/Support", packageAccess: false),
    .executableTarget(
      name: "TestingExample", dependencies: products + ["VaultStorage", "VaultTesting"], path: "Examples/Testing",
      packageAccess: false),
    .target(
      name: "Snippets",
      dependencies: products + [
        "Vault", "VaultDelivery", "VaultDeposit", "VaultPostgresStore", "VaultStorage", "VaultTesting",
      ],
      path: "Examples/FromDocuments", packageAccess: false),
  ]
  package.targets += cookbook.map { name in
    .executableTarget(
      name: name, dependencies: ["CookbookSupport"] + products, path: "Examples/Cookbook",
      exclude: ["Support"] + cookbook.filter { $0 != name }.map { "\($0).swift" }, sources: ["\(name).swift"],
      packageAccess: false)
  }
  package.targets += ["Plain", "MainActor", "Actors"].map { name in
    .target(
      name: "\(name)Program", dependencies: products, path: "Examples/Isolation/\(name)", packageAccess: false)
  }
}

// What `Scripts/examples --all` builds, with the trait `Macros`: the tests of the macro, and no others.
if Context.environment["VAULT_BUILD_MACROS"] != nil {
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .testTarget(
      name: "VaultRecordMacrosTests",
      dependencies: ["RecordMacroPlugin", "VaultRecordMacros", "VaultKit", "VaultCare", "VaultTesting"]
        + [
          "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacrosGenericTestSupport",
        ].map { .product(name: $0, package: "swift-syntax") }))
}

// Where the targets lie, besides the libraries of packs. Core and CommandLine are the vault; a pack is a guest that
// nothing else knows. Libraries that several packs need lie in Packs/Shared.
let areas = [
  "Core": [
    "COpenSSL", "CDynamicLibraries", "DynamicLibraries", "VaultSystem", "VaultCrypto", "VaultDocument", "VaultAge",
    "VaultSealing", "VaultStorage", "VaultFileStore", "VaultIndex", "VaultRecords",
    "VaultTrust", "VaultKit",
  ],
  "CommandLine": ["VaultTerminal", "VaultCLI", "VaultDaily"],
  "Packs/Shared": ["VaultMarkup", "VaultCare", "VaultPackSupport"],
  "Packs/Delivery": ["VaultConfiguration"],
  "Packs/ForPrograms": ["VaultFields", "VaultTesting", "RecordMacroPlugin", "VaultRecordMacros"],
  "Program": ["Vault", "VaultCommands", "VaultProgram"],
]
func area(of target: String) -> String? {
  areas.first { $0.value.contains(target) }?.key ?? allPacks.first { $0.1.contains(target) }.map { "Packs/\($0.0)" }
}
for target in package.targets {
  if let area = area(of: target.name) {
    target.path = "Sources/\(area)/\(target.name)"
  } else if ["VaultTestSupport", "VaultHarness", "VaultOutsider"].contains(target.name) {
    target.path = "Tests/Support/\(target.name)"
  } else if target.type == .test {
    // A suite lies in the area of its target. The suites of the command and of all of Core have no single target.
    let area = area(of: String(target.name.dropLast(5))) ?? ["VaultOracleTests": "Core"][target.name] ?? "CommandLine"
    target.path = "Tests/\(area)/\(target.name)"
  }
}

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
for target in package.targets where target.name == "VaultCommands" {
  target.swiftSettings? += packs.map { .define("PACK_\($0.0.uppercased())") }
}
// On Linux the program resolves all symbols at its start and makes their table read-only. The Swift toolchain's linker
// does both; that of Debian 13 leaves the second out. Products of the libraries do not have these unsafe flags.
for target in package.targets where target.name == "VaultProgram" {
  let resolved = ["-use-ld=lld"] + ["-z", "relro", "-z", "now"].flatMap { ["-Xlinker", $0] }
  target.linkerSettings = (target.linkerSettings ?? []) + [.unsafeFlags(resolved, .when(platforms: [.linux]))]
}
// What is tested is optimised in a release build, the tests are not: their build takes half the time. The files of the
// largest suite are compiled in batches, on all cores; as a whole, one core would compile them at the end, for minutes.
for target in package.targets where target.type == .test {
  let isLargest = target.name == "VaultCommandTests"
  let batches = isLargest ? ["-no-whole-module-optimization", "-enable-batch-mode"] : []
  target.swiftSettings?.append(.unsafeFlags(["-Onone"] + batches, .when(configuration: .release)))
}
for target in package.targets where target.name == "Snippets" {
  // Written as a reader has them: without settings of their own.
  target.swiftSettings = [.swiftLanguageMode(.v6)]
}
for target in package.targets where target.name == "MainActorProgram" {
  // What Xcode gives a new app.
  target.swiftSettings?.append(.defaultIsolation(MainActor.self))
}
