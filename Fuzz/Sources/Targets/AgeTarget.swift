import VaultAge
import VaultCrypto

/// An age file: its header, and the three ways to open it, which must agree.
enum AgeTarget: FuzzTarget {
  static let name = "age"

  private static let passphrase = must("the passphrase") { () throws(CryptoError) in
    try SecretBytes(copying: RawSpan(_elements: Array("password".utf8).span))
  }
  /// A low work factor, because the cost of scrypt is not tested.
  private static let credentials: [AgeCredential] = [
    .identity(Fixture.identity), .passphrase(passphrase, maximumWorkFactor: 4),
  ]

  static func seeds() throws -> [[UInt8]] {
    let text = Array("plain".utf8)
    let other = try AgeIdentity.generate().recipient
    // Bound to a name of its own: a span must not outlive what it was taken of.
    let slotFile = Fixture.slotFile
    return [
      Fixture.slotFile, try AgeFile.seal(RawSpan(_elements: [UInt8]().span), to: [Fixture.identity.recipient]),
      try AgeFile.seal(RawSpan(_elements: text.span), to: [other, Fixture.identity.recipient]),
      try AgeFile.seal(RawSpan(_elements: text.span), to: [other]),
      try passphrase.withBytes { try AgeFile.seal(RawSpan(_elements: text.span), passphrase: $0, workFactor: 2) },
      AgeArmor.encode(RawSpan(_elements: slotFile.span)),
      Array("age-encryption.org/v1\n-> X25519 AAAA\n\n-> a-grease b\nAAAA\n--- AAAA\n".utf8),
    ]
  }

  static func check(_ input: [UInt8]) {
    checkHeader(input)
    checkOpening(input)
    checkSealing(input)
  }

  private static func checkHeader(_ input: [UInt8]) {
    guard let header = try? AgeHeader.parse(RawSpan(_elements: input.span)) else { return }
    let bytes = Array(input.prefix(header.byteCount))
    require(AgeFileReader.text(of: header) == bytes, "a header is written with the bytes that were read")
    require((try? header.scryptWorkFactor()).flatMap(\.self).map { $0 > 0 } ?? true, "a work factor is positive")
  }

  private static func checkOpening(_ input: [UInt8]) {
    for encoding in [AgeEncoding.binary, .detected] {
      let whole = AgeFileReader.open(input, credentials: credentials, encoding: encoding)
      for pieceByteCount in [1, 1 << 20] {
        let streamed = AgeFileReader.stream(
          input, credentials: credentials, encoding: encoding, pieceByteCount: pieceByteCount)
        require(agree(whole, streamed), "a stream is opened and refused like the whole file")
      }
    }
  }

  private static func agree(_ left: Result<[UInt8], AgeError>, _ right: Result<[UInt8], AgeError>) -> Bool {
    switch (left, right) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): left.code == right.code
    default: false
    }
  }

  /// The input as a plaintext, some of it near a multiple of a chunk, then cut or changed at a place that it chooses.
  private static func checkSealing(_ input: [UInt8]) {
    guard input.count >= 4 else { return }
    var plaintext = Array(input[4...])
    // One or two chunks, a few bytes more or less; for each input it would leave no time for anything else.
    let isLong = input[0] == 0xFE
    if isLong {
      let count = 65_536 * (1 + Int(input[1] & 1)) - 2 + Int(input[1] >> 2 & 3)
      plaintext = Array(repeating: input[1], count: count)
    }
    let file = must("anything can be sealed") { () throws(AgeError) in
      try AgeFile.seal(RawSpan(_elements: plaintext.span), to: [Fixture.identity.recipient])
    }
    require(
      (try? AgeFileReader.open(file, credentials: credentials, encoding: .binary).get()) == plaintext,
      "a file opens to what was sealed")
    var changed = file
    let number = (Int(input[2]) << 8 | Int(input[3])) % file.count
    let place = isLong ? file.count - 1 - number : number
    if input[1] & 0x10 == 0 { changed[place] ^= 1 } else { changed.removeLast(file.count - place) }
    let whole = AgeFileReader.open(changed, credentials: credentials, encoding: .binary)
    require((try? whole.get()) == nil, "a file that was cut or changed does not open")
    let streamed = AgeFileReader.stream(
      changed, credentials: credentials, encoding: .binary, pieceByteCount: (isLong ? 4099 : 1) + Int(input[1]))
    require(agree(whole, streamed), "a stream is opened and refused like the whole file")
  }
}
