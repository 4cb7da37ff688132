import Testing
import VaultCrypto
import VaultDocument
import VaultTestSupport
import VaultRecords

@Suite("Private keys of SSH")
struct SSHPrivateKeyTests {
  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    withLength(bytes.count) + bytes
  }

  private static func withLength(_ count: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
  }

  /// A public key as it stands in such a file.
  private static let blob = text(Array("ssh-ed25519".utf8)) + text([UInt8](repeating: 7, count: 32))

  private static func form(
    count: Int = 1, cipher: String = "none", options: [UInt8] = [], blob: [UInt8] = blob
  ) -> [UInt8] {
    Array("openssh-key-v1\0".utf8) + text(Array(cipher.utf8)) + text(Array(cipher.utf8)) + text(options)
      + withLength(count) + text(blob) + text([UInt8](repeating: 0xA5, count: 136))
  }

  private static func lines(_ bytes: [UInt8], end: String = "\n", width: Int = 70) -> String {
    let digits = Array(Base64.encode(bytes))
    let lines = stride(from: 0, to: digits.count, by: width).map { String(digits[$0..<min($0 + width, digits.count)]) }
    return (["-----BEGIN OPENSSH PRIVATE KEY-----"] + lines + ["-----END OPENSSH PRIVATE KEY-----", ""])
      .joined(separator: end)
  }

  private func publicKey(_ text: String) throws -> String? {
    try SSHKey.publicKey(ofPrivate: unsafe SecretBytes(copying: Array(text.utf8).span.bytes))
  }

  @Test("the public half is found in any of its forms, with a passphrase and without one")
  func found() throws {
    let wanted = "ssh-ed25519 \(Base64.encode(Self.blob))"
    let sealed = Self.form(cipher: "aes256-ctr", options: [UInt8](repeating: 3, count: 24))
    for bytes in [Self.form(), sealed] {
      for (end, width) in [("\n", 70), ("\r\n", 64), ("\n\n", 4), (" \t", 1000)] {
        #expect(try publicKey(Self.lines(bytes, end: end, width: width)) == wanted)
        #expect(try publicKey("\n  " + Self.lines(bytes, end: end, width: width)) == wanted)
      }
    }
  }

  @Test(
    "what has another form has none",
    arguments: [
      "", "-----BEGIN OPENSSH PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n",
      "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n", "-----BEGIN OPENSSH PRIVATE KEY-----\n====\n",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nA%A=\n", "ssh-ed25519 AAAA",
    ])
  func others(_ text: String) throws {
    #expect(try publicKey(text) == nil)
  }

  @Test("two keys, a name that is none, and lengths that lead beyond the end are refused; nothing crashes")
  func hostile() throws {
    #expect(try publicKey(Self.lines(Self.form(count: 2))) == nil)
    #expect(try publicKey(Self.lines(Self.form(count: 0))) == nil)
    for name in ["", "ssh ed25519", "ssh-\u{1B}[31m", "sshé"] {
      #expect(try publicKey(Self.lines(Self.form(blob: Self.text(Array(name.utf8)) + [0, 0, 0, 0]))) == nil)
    }
    let whole = Self.form()
    for count in 0..<whole.count - 140 { #expect(try publicKey(Self.lines(Array(whole[..<count]))) == nil, "\(count)") }
    for offset in 0..<whole.count - 140 {
      var changed = whole
      changed[offset] ^= 0xFF
      _ = try publicKey(Self.lines(changed))
    }
  }
}
