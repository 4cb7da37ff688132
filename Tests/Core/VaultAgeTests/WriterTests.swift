import Testing
import VaultAge

@Suite("Age files that are pushed")
struct WriterTests {
  @Test(
    "whatever the sizes and pieces, the file opens to what was pushed",
    arguments: [
      (0, 1), (1, 1), (65_535, 1000), (65_536, 65_536), (65_536, 7), (65_537, 65_537), (200_000, 70_000),
    ])
  func opens(count: Int, piece: Int) throws {
    let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let identity = try AgeIdentity.generate()
    let pipe = Pipe([])
    let writer = try AgeWriter(to: [identity.recipient], write: pipe.write)
    for start in stride(from: 0, to: count, by: piece) {
      let part = Array(plain[start..<min(start + piece, count)])
      try writer.append(RawSpan(_elements: part.span))
    }
    try writer.finish()
    #expect(try open(pipe.output, [.identity(identity)]) == plain)
  }
}
