import Testing
import VaultCrypto
import VaultTestSupport

/// The tables of the RFCs, typed in here so that something is checked on every machine.
@Suite("RFC tables") struct RFCTests {
  @Test("RFC 5869, A.1: HKDF-SHA-256") func hkdfBasic() throws {
    let derived = try hkdf([UInt8](repeating: 0x0b, count: 22), salt: Array(0...12), info: Array(0xf0...0xf9), 42)
    #expect(
      derived == [UInt8](hex: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
  }

  @Test("RFC 5869, A.2: HKDF-SHA-256 with longer inputs and outputs") func hkdfLong() throws {
    let derived = try hkdf(Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff), 82)
    let expected =
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
      + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    #expect(derived == [UInt8](hex: expected))
  }

  @Test("RFC 5869, A.3: HKDF-SHA-256 with empty salt and info") func hkdfEmpty() throws {
    let derived = try hkdf([UInt8](repeating: 0x0b, count: 22), salt: [], info: [], 42)
    #expect(
      derived == [UInt8](hex: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
  }

  struct MAC: CustomTestStringConvertible {
    let number: Int
    let key, message: [UInt8]
    let expected: String

    var testDescription: String { "test case \(number)" }
  }

  private static let rfc4231 = [
    MAC(
      number: 1, key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
      expected: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    MAC(
      number: 2, key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      expected: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    MAC(
      number: 3, key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
      expected: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    MAC(
      number: 4, key: Array(1...25), message: [UInt8](repeating: 0xcd, count: 50),
      expected: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    MAC(
      number: 5, key: [UInt8](repeating: 0x0c, count: 20), message: Array("Test With Truncation".utf8),
      expected: "a3b6167473100ee06e0c796c2955552b"),
    MAC(
      number: 6, key: [UInt8](repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      expected: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    MAC(
      number: 7, key: [UInt8](repeating: 0xaa, count: 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      expected: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test("RFC 4231: HMAC-SHA-256", arguments: rfc4231) func hmacTable(_ test: MAC) throws {
    let expected = try #require([UInt8](hex: test.expected))
    #expect(try hmac(test.message, test.key).prefix(expected.count).elementsEqual(expected))
    // Case 5 is truncated: right as far as it goes, and still no valid MAC here.
    #expect(try isValid(expected, for: test.message, test.key) == (expected.count == 32))
  }

  @Test(
    "RFC 7748, section 5.2: X25519",
    arguments: [
      (
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
      ),
      (
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
      ),
    ])
  func x25519Single(scalar: String, point: String, expected: String) throws {
    let (scalar, point) = (try #require([UInt8](hex: scalar)), try #require([UInt8](hex: point)))
    #expect(try x25519(scalar, point) == [UInt8](hex: expected))
  }

  @Test("RFC 7748, section 5.2: X25519 iterated 1,000 times") func x25519Iterated() throws {
    var (scalar, point) = ([9] + [UInt8](repeating: 0, count: 31), [9] + [UInt8](repeating: 0, count: 31))
    for round in 1...1000 {
      (scalar, point) = (try x25519(scalar, point), scalar)
      if round == 1 {
        #expect(scalar == [UInt8](hex: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
      }
    }
    #expect(scalar == [UInt8](hex: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
  }

  @Test("RFC 7748, section 6.1: both sides of X25519 agree") func x25519Agreement() throws {
    let alice = try #require([UInt8](hex: "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = try #require([UInt8](hex: "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    let (alicePublic, bobPublic) = (try x25519PublicKey(alice), try x25519PublicKey(bob))
    #expect(alicePublic == [UInt8](hex: "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
    #expect(bobPublic == [UInt8](hex: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    let shared = [UInt8](hex: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(try x25519(alice, bobPublic) == shared)
    #expect(try x25519(bob, alicePublic) == shared)
  }

  @Test("RFC 8439, 2.8.2: ChaCha20-Poly1305") func chaCha() throws {
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    let nonce = try #require([UInt8](hex: "070000004041424344454647"))
    let data = try #require([UInt8](hex: "50515253c0c1c2c3c4c5c6c7"))
    let box = try chaChaSeal(Array(text.utf8), Array(0x80...0x9f), nonce: nonce, data)
    #expect(box.prefix(8).elementsEqual([0xd3, 0x1a, 0x8d, 0x34, 0x64, 0x8e, 0x60, 0xdb]))
    #expect(box.suffix(16).elementsEqual(try #require([UInt8](hex: "1ae10b594f09e26a7e902ecbd0600691"))))
  }

  @Test("FIPS 180-4: SHA-256 of nothing and of abc") func sha() throws {
    let ofNothing = [UInt8](hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let ofABC = [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(try sha256([]) == ofNothing)
    #expect(try sha256(Array("abc".utf8)) == ofABC)
  }
}
