import Testing
import VaultCrypto
import VaultTestSupport

/// Promises of sealing and opening that hold independent of the vectors.
@Suite("Seal and open") struct AEADTests {
  private let key = [UInt8](repeating: 0x2b, count: 32)
  private let nonce = [UInt8](repeating: 0x07, count: 12)
  private let text = Array("a fictional secret".utf8)

  @Test("what was sealed opens again, at every size around the block sizes") func roundTrip() throws {
    for count in Array(0...130) + [1000, 65_536] {
      let text = [UInt8](repeating: 0x61, count: count)
      #expect(try gcmOpen(gcmSeal(text, key, [1]), key, [1]) == text)
      #expect(try chaChaOpen(chaChaSeal(text, key, nonce: nonce, [1]), key, nonce: nonce, [1]) == text)
    }
  }

  @Test("a box has the sizes of format 1: nonce 12, text, tag 16") func boxSizes() throws {
    #expect(try gcmSeal(text, key).count == 12 + text.count + 16)
    #expect(try gcmSeal([], key).count == 28)
    #expect(try chaChaSeal([], key, nonce: nonce).count == 16)
  }

  @Test("each seal takes a new nonce") func freshNonce() throws {
    var seen: Set<[UInt8]> = []
    for _ in 0..<2000 { seen.insert(Array(try gcmSeal(text, key).prefix(12))) }
    #expect(seen.count == 2000)
  }

  @Test("one flipped bit anywhere is refused") func flippedBit() throws {
    let (gcm, chaCha) = (try gcmSeal(text, key, [9]), try chaChaSeal(text, key, nonce: nonce, [9]))
    for bit in 0..<gcm.count * 8 {
      var box = gcm
      box[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError(.authenticationFailed, "")) { try gcmOpen(box, key, [9]) }
    }
    for bit in 0..<chaCha.count * 8 {
      var box = chaCha
      box[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError(.authenticationFailed, "")) { try chaChaOpen(box, key, nonce: nonce, [9]) }
    }
  }

  @Test("another key, nonce or associated data is refused") func otherInputs() throws {
    let otherKey = [UInt8](repeating: 0x2c, count: 32)
    let otherNonce = [UInt8](repeating: 0x08, count: 12)
    let (gcm, chaCha) = (try gcmSeal(text, key, [9]), try chaChaSeal(text, key, nonce: nonce, [9]))
    let refused = CryptoError(.authenticationFailed, "")
    #expect(throws: refused) { try gcmOpen(gcm, otherKey, [9]) }
    #expect(throws: refused) { try gcmOpen(otherNonce + gcm.dropFirst(12), key, [9]) }
    #expect(throws: refused) { try gcmOpen(gcm, key, [9, 9]) }
    #expect(throws: refused) { try gcmOpen(gcm, key) }
    #expect(throws: refused) { try chaChaOpen(chaCha, otherKey, nonce: nonce, [9]) }
    #expect(throws: refused) { try chaChaOpen(chaCha, key, nonce: otherNonce, [9]) }
    #expect(throws: refused) { try chaChaOpen(chaCha, key, nonce: nonce, []) }
  }

  @Test("a truncated box is refused at every length") func truncated() throws {
    let (gcm, chaCha) = (try gcmSeal(text, key), try chaChaSeal(text, key, nonce: nonce))
    for count in 0..<gcm.count {
      let error = #expect(throws: CryptoError.self) { try gcmOpen(Array(gcm.prefix(count)), key) }
      #expect(error?.code == (count < 28 ? .wrongByteCount : .authenticationFailed))
    }
    for count in 0..<chaCha.count {
      let error = #expect(throws: CryptoError.self) { try chaChaOpen(Array(chaCha.prefix(count)), key, nonce: nonce) }
      #expect(error?.code == (count < 16 ? .wrongByteCount : .authenticationFailed))
    }
  }

  @Test(
    "a key or nonce of another size is refused, to seal and to open", arguments: [0, 1, 11, 13, 16, 24, 31, 33, 64])
  func wrongSizes(count: Int) throws {
    let bytes = [UInt8](repeating: 1, count: count)
    let (gcm, chaCha) = (try gcmSeal(text, key), try chaChaSeal(text, key, nonce: nonce))
    let refused = CryptoError(.wrongByteCount, "")
    #expect(throws: refused) { try gcmSeal(text, bytes) }
    #expect(throws: refused) { try gcmSeal(text, key, nonce: bytes) }
    #expect(throws: refused) { try gcmOpen(gcm, bytes) }
    #expect(throws: refused) { try chaChaSeal(text, bytes, nonce: nonce) }
    #expect(throws: refused) { try chaChaSeal(text, key, nonce: bytes) }
    #expect(throws: refused) { try chaChaOpen(chaCha, bytes, nonce: nonce) }
    #expect(throws: refused) { try chaChaOpen(chaCha, key, nonce: bytes) }
  }

  @Test("a bad tag leaves nothing but zeros in the caller's memory") func wipedOutput() throws {
    var box = try chaChaSeal(text, key, nonce: nonce)
    let good = chaChaOpenInPlace(box, key, nonce: nonce, outputByteCount: text.count)
    #expect(good.error == nil)
    #expect(good.output == text)
    box[box.count - 1] ^= 1
    let bad = chaChaOpenInPlace(box, key, nonce: nonce, outputByteCount: text.count)
    #expect(bad.error?.code == .authenticationFailed)
    #expect(bad.output == [UInt8](repeating: 0, count: text.count))
  }

  @Test("output of another size than the text is refused untouched", arguments: [0, 17, 19, 100])
  func outputSize(count: Int) throws {
    let box = try chaChaSeal(text, key, nonce: nonce)
    let result = chaChaOpenInPlace(box, key, nonce: nonce, outputByteCount: count)
    #expect(result.error?.code == .wrongByteCount)
    #expect(result.output == [UInt8](repeating: 0xEE, count: count))
  }

  @Test("a failed tag says nothing of OpenSSL and prints no value") func errorText() throws {
    let error = try #require(throws: CryptoError.self) {
      try gcmOpen(gcmSeal(text, key), [UInt8](repeating: 0, count: 32))
    }
    #expect(error.underlying == nil)
    #expect(error.description == "authenticationFailed: the key is wrong or the bytes were changed")
    #expect(error == CryptoError(.authenticationFailed, "another reason"))
    #expect(error != CryptoError(.libraryFailed, "the key is wrong or the bytes were changed"))
  }

  @Test("many threads seal and open at once") func threads() async throws {
    let (key, text) = (key, text)
    let opened = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<8 {
        group.addTask {
          var count = 0
          for _ in 0..<300 where try gcmOpen(gcmSeal(text, key, [UInt8(number)]), key, [UInt8(number)]) == text {
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(opened == 2400)
  }
}
