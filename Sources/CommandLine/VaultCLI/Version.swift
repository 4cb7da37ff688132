import VaultCrypto
import VaultDocument
import VaultTerminal

package enum Version {
  package static let current = "1.0.0"

  /// The packager writes the commit and the toolchain after the mark, in the finished program. A compiler flag would
  /// force a full build for each commit.
  private static let mark =
    "@vault-build@                                                                                                    "
  private static let markByteCount = 13

  /// Whether the user asks for more than the version number.
  static func isAskedInFull(_ arguments: [String]) -> Bool {
    arguments.contains("--version") && arguments.contains { $0 == "--verbose" || $0 == "-v" }
      && arguments.allSatisfy { ["--version", "--verbose", "-v", "--json"].contains($0) }
  }

  /// Prints version, commit, toolchain and the cryptographic library.
  static func printInFull(isDocument: Bool) throws {
    let (commit, toolchain) = build
    if isDocument {
      return try Output.document([
        "commit": commit, "openssl": CryptoLibrary.version, "toolchain": toolchain, "version": current,
      ])
    }
    try Output.lines([
      "vault \(current)", "commit: \(commit ?? "unknown: it was built without Scripts/install or Scripts/package")",
      "toolchain: \(toolchain ?? "unknown")", "OpenSSL: \(CryptoLibrary.version)",
    ])
  }

  private static var build: (commit: String?, toolchain: String?) {
    let words = mark.utf8.dropFirst(markByteCount).split(separator: UInt8(ascii: " "), maxSplits: 1)
      .map { String(decoding: $0, as: UTF8.self) }
    guard let commit = words.first else { return (nil, nil) }
    let toolchain = words.dropFirst().first.map { text in String(text.reversed().drop { $0 == " " }.reversed()) }
    return (commit, toolchain.flatMap { $0.isEmpty ? nil : $0 })
  }
}
