internal import VaultAge
internal import VaultCrypto
internal import VaultDocument
internal import VaultRecords

/// The metadata of a sops file: its recipients, the rules for sealed values, and the MAC over the values.
struct SopsMetadata {
  let mac: String
  /// The time of the last change as text. The MAC is bound to this text.
  let lastModified: String
  /// Whether the MAC covers sealed values only.
  let isMACOfSealedOnly: Bool
  private let rule: Rule
  private let ageFiles: [String]
  private let otherKeys: [String]

  private enum Rule {
    case unsealedSuffix(String), sealedSuffix(String), unsealedPattern(Pattern), sealedPattern(Pattern)
  }

  init(_ node: SopsNode) throws(ExchangeError) {
    guard let mac = node["mac"]?.text, let lastModified = node["lastmodified"]?.text else {
      throw ExchangeError(.malformed, "the MAC of the file is missing", at: SourcePlace(path: "sops"))
    }
    self.mac = mac
    self.lastModified = lastModified
    isMACOfSealedOnly = node["mac_only_encrypted"]?.text == "true"
    let groups = node["key_groups"]?.items ?? []
    guard groups.count <= 1 else {
      throw ExchangeError(
        .unsupported, "files whose key is split among groups are not supported",
        at: SourcePlace(path: "sops.key_groups"))
    }
    let holders = [node] + groups
    ageFiles = holders.flatMap { $0["age"]?.items ?? [] }.compactMap { $0["enc"]?.text }
    otherKeys = ["pgp", "kms", "gcp_kms", "azure_kv", "hc_vault", "hckms"].filter { name in
      holders.contains { !($0[name]?.items ?? []).isEmpty }
    }
    rule = try Self.rule(node)
  }

  private static func rule(_ node: SopsNode) throws(ExchangeError) -> Rule {
    let names = [
      "unencrypted_suffix", "encrypted_suffix", "unencrypted_regex", "encrypted_regex", "unencrypted_comment_regex",
      "encrypted_comment_regex",
    ]
    let given = names.compactMap { name in node[name]?.text.flatMap { $0.isEmpty ? nil : (name, $0) } }
    guard let (name, text) = given.first else { return .unsealedSuffix("_unencrypted") }
    let place = SourcePlace(path: "sops.\(name)")
    guard given.count == 1 else {
      throw ExchangeError(.malformed, "the file has more than one rule for the values to encrypt", at: place)
    }
    switch name {
    case "unencrypted_suffix": return .unsealedSuffix(text)
    case "encrypted_suffix": return .sealedSuffix(text)
    case "unencrypted_regex": return .unsealedPattern(try pattern(text, at: place))
    case "encrypted_regex": return .sealedPattern(try pattern(text, at: place))
    default: throw ExchangeError(.unsupported, "rules in comments are not supported", at: place)
    }
  }

  private static func pattern(_ text: String, at place: SourcePlace) throws(ExchangeError) -> Pattern {
    guard let pattern = try? Pattern(text) else {
      throw ExchangeError(.unsupported, "the pattern for the values to encrypt is not supported", at: place)
    }
    return pattern
  }

  /// Whether the value at a path must be sealed, because of one of the names.
  func seals(_ path: [String]) -> Bool {
    switch rule {
    case .unsealedSuffix(let suffix): !path.contains { $0.utf8.ends(with: suffix) }
    case .sealedSuffix(let suffix): path.contains { $0.utf8.ends(with: suffix) }
    case .unsealedPattern(let pattern): !path.contains(where: pattern.matches)
    case .sealedPattern(let pattern): path.contains(where: pattern.matches)
    }
  }

  /// The 32-byte key of all values.
  func dataKey(for identities: [AgeIdentity]) throws(ExchangeError) -> SecretBytes {
    guard !ageFiles.isEmpty else {
      throw ExchangeError(
        .unsupported, "is not encrypted to an age key, only to other keys", candidates: otherKeys,
        advice: ["add an age key to it, with a key that opens it: `sops rotate -i --add-age age1… FILE`"])
    }
    guard !identities.isEmpty else {
      throw ExchangeError.identityMissing
    }
    let place = SourcePlace(path: "sops.age")
    let credentials = identities.map { AgeCredential.identity($0) }
    for file in ageFiles {
      let bytes = Array(file.utf8)
      var key: SecretBytes?
      do throws(AgeError) {
        key = try AgeFile.open(RawSpan(_elements: bytes.span), with: credentials, encoding: .detected)
      } catch {
        if error.code == .noMatchingIdentity { continue }
        throw ExchangeError(.malformed, "the encrypted key of the file is damaged", at: place, underlying: error)
      }
      guard let key, key.count == 32 else {
        throw ExchangeError(.malformed, "the key of the file has the wrong size", at: place)
      }
      return key
    }
    throw ExchangeError.identityDiffers
  }
}

extension String.UTF8View {
  fileprivate func ends(with suffix: String) -> Bool { self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}
