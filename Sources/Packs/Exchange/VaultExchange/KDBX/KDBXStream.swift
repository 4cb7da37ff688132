internal import VaultCrypto
internal import VaultDocument
internal import VaultMarkup

/// The key stream that additionally protects single values of a database, one after the other.
struct KDBXStream {
  private enum Source {
    case none
    case salsa20(Salsa20)
    case chaCha20(StreamCipher)
  }

  private var source: Source

  /// - Parameter id: 0 none, 2 Salsa20, 3 ChaCha20.
  init(id: Int, key: [UInt8]) throws(ExchangeError) {
    switch id {
    case 0: source = .none
    case 2:
      source = .salsa20(Salsa20(key: try KDBXKey.hash(key), nonce: [0xE8, 0x30, 9, 0x4B, 0x97, 0x20, 0x5D, 0x2A]))
    case 3:
      let hash = try KDBXKey.longHash(key)
      let (own, nonce) = (Array(hash[..<32]), Array(hash[32..<44]))
      source = .chaCha20(
        try inCrypto { () throws(CryptoError) in
          try StreamCipher(.chaCha20, key: RawSpan(_elements: own.span), nonce: RawSpan(_elements: nonce.span))
        })
    default: throw ExchangeError(.unsupported, "the values are protected in an unknown way")
    }
  }

  /// Adds or removes the protection of the next value.
  mutating func process(_ bytes: [UInt8]) throws(ExchangeError) -> [UInt8] {
    switch source {
    case .none: return bytes
    case .salsa20(var cipher):
      defer { source = .salsa20(cipher) }
      return cipher.process(bytes)
    case .chaCha20(let cipher):
      return try inCrypto { () throws(CryptoError) in try cipher.process(RawSpan(_elements: bytes.span)) }
    }
  }

  /// Removes the protection of all values of a document, in order.
  mutating func unprotect(_ element: XMLElement, in parent: XMLElement? = nil) throws(ExchangeError) {
    if element[attribute: "Protected"]?.lowercased() == "true", !element.text.isEmpty {
      guard let sealed = try? Base64.decode(String(element.text.filter { !$0.isWhitespace })) else {
        throw ExchangeError(.malformed, "a protected value is not base64", at: SourcePlace(line: element.line))
      }
      let bytes = try process(sealed)
      if element.name == "Binary" || parent?.name == "Binary" {
        element.text = Base64.encode(bytes)
      } else if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) {
        element.text = text
      } else {
        throw ExchangeError(.invalidText, "a protected value is not text", at: SourcePlace(line: element.line))
      }
    }
    for child in element.children { try unprotect(child, in: element) }
  }
}

/// Salsa20 with a 32-byte key, which OpenSSL does not have (D. J. Bernstein, Salsa20 specification, 2005).
struct Salsa20 {
  private let start: [UInt32]
  private var number: UInt64 = 0
  private var block: [UInt8] = []
  private var position = 64

  /// - Parameter nonce: 8 bytes.
  init(key: [UInt8], nonce: [UInt8]) {
    func words(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
      stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { index in
        (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
      }
    }
    let constant = words(Array("expand 32-byte k".utf8)[...])
    start =
      [constant[0]] + words(key[..<16]) + [constant[1]] + words(nonce[...]) + [0, 0] + [constant[2]]
      + words(key[16...]) + [constant[3]]
  }

  mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { byte in
      if position == 64 { next() }
      defer { position += 1 }
      return byte ^ block[position]
    }
  }

  private mutating func next() {
    var begin = start
    (begin[8], begin[9]) = (UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32))
    var state = begin
    for _ in 0..<10 {
      for (a, b, c, d) in Self.columns + Self.rows { Self.quarter(&state, a, b, c, d) }
    }
    block = zip(state, begin).flatMap { ($0 &+ $1).littleEndianBytes }
    position = 0
    number += 1
  }

  private static let columns = [(0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11)]
  private static let rows = [(0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)]

  private static func quarter(_ state: inout [UInt32], _ a: Int, _ b: Int, _ c: Int, _ d: Int) {
    func add(_ one: Int, _ other: Int, _ count: UInt32, to target: Int) {
      let sum = state[one] &+ state[other]
      state[target] ^= sum << count | sum >> (32 - count)
    }
    add(a, d, 7, to: b)
    add(b, a, 9, to: c)
    add(c, b, 13, to: d)
    add(d, c, 18, to: a)
  }
}
