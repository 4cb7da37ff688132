import Testing
import VaultCrypto
import VaultSealing

@Suite("Padding")
struct PaddingTests {
  @Test(
    "sizes are 32-byte steps to 256 and Padmé above",
    arguments: [
      (0, 32), (1, 32), (31, 32), (32, 64), (63, 64), (64, 96), (255, 256), (256, 288), (287, 288), (288, 320),
      (1000, 1024), (1024, 1088), (5000, 5120), (65535, 65536), (65536, 67584),
    ])
  func sizes(text: Int, padded: Int) {
    #expect(Padding.paddedCount(text) == padded)
  }

  @Test("padding is undone for every size up to 700 bytes")
  func roundTrip() {
    for count in 0...700 {
      let text = [UInt8](repeating: 0x80, count: count)
      let padded = text + Padding.withBytes(after: count) { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } }
      #expect(Padding.unpaddedCount(RawSpan(_elements: padded.span)) == count)
    }
  }

  @Test(
    "anything but the padding that sealing makes is refused",
    arguments: [
      [], [0x80], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0x41, count: 32),
      [0x41, 0x80] + [UInt8](repeating: 0, count: 62), [0x41, 0x80, 1] + [UInt8](repeating: 0, count: 29),
    ])
  func refused(bytes: [UInt8]) {
    let count = Padding.unpaddedCount(RawSpan(_elements: bytes.span))
    #expect(count == nil)
  }
}
