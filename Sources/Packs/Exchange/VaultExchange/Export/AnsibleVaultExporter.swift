internal import VaultCrypto
internal import VaultDocument
internal import VaultMarkup

/// A file of variables that `ansible-vault` and playbooks open with the password: YAML, sealed as a whole in form 1.1.
///
/// The MAC is before the text, so the whole text is in memory until the end.
struct AnsibleVaultExporter: Exporter {
  private static let iterationCount = 10_000
  private static let lineByteCount = 80

  private var names = VariableNames("ansible-vault", isLowercase: true)
  private var text: [UInt8] = Array("---\n".utf8)
  private let salt: [UInt8]
  private let keys: [UInt8]

  var notes: ExportNotes { names.notes }

  init(passphrase: SecretBytes) throws(ExportError) {
    let salt = try inExport { () throws(CryptoError) in try SecureRandom.bytes(count: 32) }
    self.salt = salt
    keys = try inExport { () throws(CryptoError) in
      try passphrase.withBytes { passphrase throws(CryptoError) in
        try PBKDF2.derive(
          .sha256, passphrase: passphrase, salt: RawSpan(_elements: salt.span), iterations: Self.iterationCount,
          byteCount: 80
        ).foreignKey
      }
    }
  }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) { try names.survey(record) }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    for (name, value) in try names.variables(of: record) {
      var writer = YAMLWriter()
      // Without the tag, Ansible evaluates the text as a template. With the tag, Ansible reads `"0042"` as a number. No
      // text that looks like a number is a template.
      if value.mayBeTypedInYAML {
        writer.member(name, .string(value))
      } else {
        writer.member(name, value, tag: "!unsafe")
      }
      text += writer.bytes
    }
    return []
  }

  mutating func end() throws(ExportError) -> [UInt8] {
    // `ansible-vault` pads to whole blocks, although the cipher does not need padding.
    let missing = 16 - text.count % 16
    let padded = text + [UInt8](repeating: UInt8(missing), count: missing)
    let (key, macKey, nonce) = (Array(keys[..<32]), Array(keys[32..<64]), Array(keys[64..<80]))
    let sealed = try inExport { () throws(CryptoError) in
      let cipher = try StreamCipher(
        .aes256Counter, key: RawSpan(_elements: key.span), nonce: RawSpan(_elements: nonce.span))
      return try cipher.process(RawSpan(_elements: padded.span))
    }
    let mac = try inExport { () throws(CryptoError) in
      try HMACSHA256.authenticate(RawSpan(_elements: sealed.span), key: RawSpan(_elements: macKey.span))
    }
    let body = [salt, mac, sealed].map { Hex.encode($0) }.joined(separator: "\n")
    let digits = Array(Hex.encode(Array(body.utf8)).utf8)
    var output = Array("$ANSIBLE_VAULT;1.1;AES256\n".utf8)
    for start in stride(from: 0, to: digits.count, by: Self.lineByteCount) {
      output += digits[start..<min(start + Self.lineByteCount, digits.count)] + [UInt8(ascii: "\n")]
    }
    return output
  }
}
