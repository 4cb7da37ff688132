import Foundation
import Testing
import VaultCrypto
import VaultDocument
import VaultSealing

/// A type as it was before this package: its sealed field is what CryptoKit has written.
private struct Old: Codable {
  var name: String
  var accessKey: EncryptedCodableString
}

/// Sealed with the nonce 00 01 … 0b by another implementation of AES-GCM.
@Suite("What CryptoKit has sealed") struct CryptoKitKeyTests {
  private static let boxes: [(key: String, text: String, box: String)] = [
    ("Sample AES key 1", "s3cret", "AAECAwQFBgcICQoLu2yBCuLy7TpESxBpQ/rhPdS5EO0iag=="),
    ("Sample AES key 1", "žluťoučký", "AAECAwQFBgcICQoLDeGODUIjjFlNQNfpJIs/gLOH/Xj53fjLXyXR3BE="),
    ("Sample key of 24 bytes!!", "s3cret", "AAECAwQFBgcICQoLrr6mUFYlCRl5mRQ02gDpoDvleWd5CA=="),
    ("Sample key of 24 bytes!!", "žluťoučký", "AAECAwQFBgcICQoLGDOpV/b0EQEL/O8Ut/fwr+z76NLlvfSZBp5ThE8="),
    ("Sample key of thirty-two bytes !", "s3cret", "AAECAwQFBgcICQoL61NssVDfqZCrYWNK32IcNjxCqAMhAA=="),
    ("Sample key of thirty-two bytes !", "žluťoučký", "AAECAwQFBgcICQoLXd5jtvAOJSFoj6jP50xgtmFbFJoIYRbko123P7Q="),
  ]

  private func context(_ key: String) throws -> SealingContext {
    try SealingContext(cryptoKitKey: SecretBytes(copying: RawSpan(_elements: Array(key.utf8).span)))
  }

  @Test("opens under a key of 16, 24 or 32 bytes, in JSON and as text or data in a property list", arguments: 0..<6)
  func opens(_ index: Int) throws {
    let (key, text, box) = Self.boxes[index]
    let context = try context(key)
    let json = #"{"name":"n","accessKey":"\#(box)"}"#
    #expect(try DocumentForm.json.decode(Old.self, from: Array(json.utf8), with: context).accessKey.reveal() == text)
    let bytes = try #require(Data(base64Encoded: box))
    for value in [box as Any, bytes as Any] {
      for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
        let list = try PropertyListSerialization.data(
          fromPropertyList: ["name": "n", "accessKey": value], format: format, options: 0)
        let old = try DocumentForm.propertyList.decode(Old.self, from: [UInt8](list), with: context)
        #expect(try old.accessKey.reveal() == text)
      }
    }
  }

  @Test("a short key does not seal, and what it has opened stays as it was")
  func short() throws {
    let (key, _, box) = Self.boxes[0]
    let context = try context(key)
    let json = #"{"name":"n","accessKey":"\#(box)"}"#
    var old = try DocumentForm.json.decode(Old.self, from: Array(json.utf8), with: context)
    let again = try DocumentForm.json.encode(old, with: context)
    #expect(String(decoding: again, as: UTF8.self).contains(box))
    old.accessKey = "new"
    #expect { try JSONEncoder.sealing(with: context).encode(old) } throws: { $0.sealingError?.code == .wrongByteCount }
  }

  @Test("a key of another size, another key and a changed box are refused")
  func refused() throws {
    for count in [0, 15, 17, 31, 33] {
      #expect(throws: SealingError.self) { try context(String(repeating: "k", count: count)) }
    }
    let (_, _, box) = Self.boxes[0]
    for (key, box) in [
      ("Sample AES key 2", box), ("Sample AES key 1", "B" + box.dropFirst()), ("Sample AES key 1", "!"),
    ] {
      let json = #"{"name":"n","accessKey":"\#(box)"}"#
      #expect(throws: (any Error).self) {
        try DocumentForm.json.decode(Old.self, from: Array(json.utf8), with: context(key))
      }
    }
  }

  @Test("data of a property list is a sealed value for nobody else")
  func data() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["name": "n", "accessKey": Data([1, 2])], format: .xml, options: 0)
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    #expect(throws: (any Error).self) {
      try DocumentForm.propertyList.decode(Old.self, from: [UInt8](list), with: context)
    }
  }
}

@Suite("Small habits of encoders") struct EncoderHabitTests {
  private struct Wide: Codable { var d = 1, a = "/x/", c = [2], b = Date(timeIntervalSince1970: 0) }

  @Test("an encoder with a context is pretty-printed, sorted, and leaves slashes; each can be taken away")
  func format() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    let encoder = JSONEncoder.sealing(with: context)
    let text = String(decoding: try encoder.encode(Wide()), as: UTF8.self)
    #expect(
      text == "{\n  \"a\" : \"/x/\",\n  \"b\" : \"1970-01-01T00:00:00Z\",\n  \"c\" : [\n    2\n  ],\n  \"d\" : 1\n}")
    encoder.outputFormatting.remove(.prettyPrinted)
    let line = String(decoding: try encoder.encode(Wide()), as: UTF8.self)
    #expect(line == #"{"a":"/x/","b":"1970-01-01T00:00:00Z","c":[2],"d":1}"#)
  }

  @Test("a moment with milliseconds since 1970 comes back equal")
  func dates() throws {
    for index in 0..<1000 {
      let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(index * 7919) / 1000)
      let timestamp = try #require(Timestamp(date))
      #expect(Date(timestamp) == date, "\(index)")
    }
  }

  @Test("a number that is not finite is refused with the path of its member")
  func infinity() throws {
    struct Ratio: Codable { var name = "n", inner = ["x": [1.0, .infinity]] }
    let error = #expect(throws: EncodingError.self) { try TreeEncoder().encode(Ratio()) }
    guard case .invalidValue(_, let context)? = error else { return #expect(Bool(false)) }
    #expect(MemberPath(keys: context.codingPath).description == "inner.x[1]")
  }

  @Test("a sealed value is open or not, and is equal and hashed by what it holds")
  func sealedHash() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["t"])
    let json = try JSONEncoder.sealing(with: context).encode([Sealed(["a"])])
    let open = try JSONDecoder.opening(with: context).decode([Sealed<[String]>].self, from: json)
    let closed = try JSONDecoder.opening(with: .locked).decode([Sealed<[String]>].self, from: json)
    #expect(open[0].isOpen)
    #expect(!closed[0].isOpen)
    #expect(Set([open[0], Sealed(["a"]), Sealed(["b"])]).count == 2)
    #expect(Set([closed[0], closed[0]]).count == 1)
    #expect(open[0] != closed[0])
  }

  @Test("a fresh secret that locked memory has no room for is there, and takes none of it")
  func beyond() throws {
    let text = String(repeating: "s", count: SecureMemory.byteCount / 2 + 1)
    let secret = EncryptedCodableString(text)
    #expect(secret.isOpen)
    #expect(try secret.reveal().utf8.count == text.utf8.count)
    #expect(SecureMemory.usedByteCount < SecureMemory.byteCount / 2)
  }
}
