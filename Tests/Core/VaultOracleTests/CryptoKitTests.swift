import Crypto
import FoundationEssentials
import Testing
import VaultCrypto
import VaultSealing

private let sampleTexts = [
  "", "x", "es1:looks:like:a-token", " leading and trailing space ", "line one\nline two\t\u{1F}", "pâté-Ångström-😀-é",
  "e\u{301}", "\u{FEFF}bom", "nul \u{0} inside", String(repeating: "0123456789", count: 7000),
]

@Suite("The CryptoKit representation")
struct CryptoKitTests {
  private let key: SecretBytes
  private let symmetricKey: SymmetricKey

  init() throws {
    let bytes = try SecureRandom.bytes(count: 32)
    key = try SecretBytes(copying: RawSpan(_elements: bytes.span))
    symmetricKey = SymmetricKey(data: bytes)
  }

  @Test("opens what AES.GCM.SealedBox.combined holds, and writes what it opens", arguments: sampleTexts)
  func bothWays(text: String) throws {
    let context = try SealingContext(cryptoKitKey: key)
    let theirs = try #require(AES.GCM.seal(Data(text.utf8), using: symmetricKey).combined).base64EncodedString()
    let decoded = try JSONDecoder.opening(with: context).decode(
      [EncryptedCodableString].self, from: JSONEncoder().encode([theirs]))
    #expect(try Array(decoded[0].reveal().utf8) == Array(text.utf8))

    let ours = try JSONEncoder.sealing(with: context).encode([EncryptedCodableString(text)])
    let field = try #require(try JSONDecoder().decode([String].self, from: ours).first)
    let box = try AES.GCM.SealedBox(combined: #require(Data(base64Encoded: field)))
    #expect(try Array(AES.GCM.open(box, using: symmetricKey)) == Array(text.utf8))
  }

  @Test("is bound to the caller's associated data")
  func associatedData() throws {
    let data = Array("account 7".utf8)
    let bound = try SealingContext(cryptoKitKey: key, associatedData: data)
    let json = try JSONEncoder.sealing(with: bound).encode(["secret" as EncryptedCodableString])
    let unbound = try SealingContext(cryptoKitKey: key)
    #expect { try JSONDecoder.opening(with: unbound).decode([EncryptedCodableString].self, from: json) } throws: {
      $0.sealingError?.code == .authenticationFailed
    }
    let field = try #require(try JSONDecoder().decode([String].self, from: json).first)
    let box = try AES.GCM.SealedBox(combined: #require(Data(base64Encoded: field)))
    #expect(try AES.GCM.open(box, using: symmetricKey, authenticating: data) == Data("secret".utf8))
  }

  @Test("keeps the text of an unchanged value")
  func reuse() throws {
    let context = try SealingContext(cryptoKitKey: key)
    let json = try JSONEncoder.sealing(with: context).encode(["secret" as EncryptedCodableString])
    let decoded = try JSONDecoder.opening(with: context).decode([EncryptedCodableString].self, from: json)
    #expect(try JSONEncoder.sealing(with: context).encode(decoded) == json)
  }
}
