internal import VaultCrypto
public import VaultDocument
public import VaultSealing

/// A key pair for the Secure Shell.
public struct SSHKey: DescribedRecord, Equatable {
  /// The title in lists; without it, the fingerprint.
  public var title: String?
  /// One line, as in `id_ed25519.pub`.
  public var publicKey: String
  /// Secret.
  public var privateKey: EncryptedCodableString
  /// Secret: the passphrase of the private key, if it has one.
  public var passphrase: EncryptedCodableString?
  /// `SHA256:…` of the public key; derived from it.
  public var fingerprint: String?
  /// Words to find it by.
  public var tags: [String]

  /// A key pair; the fingerprint is derived when it is stored.
  public init(
    title: String? = nil, publicKey: String, privateKey: EncryptedCodableString,
    passphrase: EncryptedCodableString? = nil, fingerprint: String? = nil, tags: [String] = []
  ) {
    self.title = title
    self.publicKey = publicKey
    self.privateKey = privateKey
    self.passphrase = passphrase
    self.fingerprint = fingerprint
    self.tags = tags
  }
}

extension SSHKey {
  public static var kindName: String { "ssh-key" }
  public static var summary: String { "A key pair for SSH; the fingerprint is derived from it." }
  public static var titlePaths: [String] { ["title", "fingerprint"] }
  public static let blank = SSHKey(publicKey: "", privateKey: "")
  public static let members: [Member<SSHKey>] = [
    Member("title", \.title, "Title", as: .name),
    Member("public_key", \.publicKey, "Public key", as: .name),
    Member("private_key", \.privateKey, "Private key", as: .lines, secret: .key),
    Member("passphrase", \.passphrase, "Passphrase of the private key", as: .given, secret: .password),
    Member("fingerprint", \.fingerprint, "Fingerprint, derived when empty"),
    .tags(\.tags),
  ]

  /// Derives the fingerprint from the public key, and refuses a different one.
  public static func completed(_ members: JSONObject, before: JSONObject?) throws(RecordError) -> JSONObject {
    guard case .string(let publicKey)? = members["public_key"] else { return members }
    guard let fingerprint = fingerprint(of: publicKey) else {
      throw RecordError(.invalidValue, "is not a public key as in a .pub file", path: "public_key")
    }
    let given = members["fingerprint"]
    // An old fingerprint of the previous key was derived, too, and is replaced.
    let isOld = before != nil && given == before?["fingerprint"] && members["public_key"] != before?["public_key"]
    guard given == nil || isOld || given == .string(fingerprint) else {
      throw RecordError(.invalidValue, "is not the fingerprint of the public key", path: "fingerprint")
    }
    var members = members
    members["fingerprint"] = .string(fingerprint)
    return members
  }

  /// The fingerprint as `ssh-keygen -l` prints it: SHA-256 of the binary form, base64 without padding (RFC 4253,
  /// section 6.6, for that form). Nil if the text is not such a line.
  package static func fingerprint(of publicKey: String) -> String? {
    let parts = publicKey.split(whereSeparator: \.isWhitespace)
    guard parts.count >= 2, let blob = try? Base64.decode(String(parts[1])), blob.count > 4 else { return nil }
    // The binary form begins with the name of the algorithm, which is also in the line.
    let name = Array(parts[0].utf8)
    guard blob.count > 4 + name.count, blob[0..<4].elementsEqual([0, 0, 0, UInt8(truncatingIfNeeded: name.count)]),
      blob[4..<4 + name.count].elementsEqual(name), let hash = try? unsafe SHA256.hash(blob.span.bytes)
    else { return nil }
    var text = Base64.encode(Array(hash))
    while text.last == "=" { text.removeLast() }
    return "SHA256:" + text
  }
}
