import Testing
import VaultDocument
import VaultStorage
import VaultIndex

@Suite("Stamps that vouch for what was read") struct IndexMarkTests {
  private func stamp(_ time: Int64, inode: UInt64 = 5, changed: Int64? = nil, byteCount: Int = 9) -> StoreStamp {
    StoreStamp(inode: inode, byteCount: byteCount, modified: time, changed: changed ?? time)
  }

  private func time(_ nanoseconds: Int64) throws -> Timestamp {
    try Timestamp(
      secondsSinceEpoch: nanoseconds / 1_000_000_000,
      nanoseconds: Int32(truncatingIfNeeded: nanoseconds % 1_000_000_000))
  }

  @Test("only the same file, size and times count")
  func equality() throws {
    let known = stamp(1_000_000_001)
    let mark = IndexMark(known, readAt: try time(9_000_000_000))
    #expect(mark.isCurrent(known))
    #expect(!mark.isCurrent(nil))
    #expect(!mark.isCurrent(stamp(1_000_000_002)))
    #expect(!mark.isCurrent(stamp(1_000_000_001, inode: 6)))
    #expect(!mark.isCurrent(stamp(1_000_000_001, byteCount: 8)))
    #expect(!mark.isCurrent(stamp(1_000_000_001, changed: 1_000_000_009)), "a time of writing that somebody set back")
    #expect(IndexMark(nil, readAt: .now()).isCurrent(nil), "a folder that is not there")
    #expect(!IndexMark(nil, readAt: .now()).isCurrent(known))
  }

  @Test("what changed within a tick of being read, or in the future, is not trusted")
  func youth() throws {
    let time = Int64(5_000_000_123)
    func isTrusted(after nanoseconds: Int64, _ stamp: StoreStamp) throws -> Bool {
      IndexMark(stamp, readAt: try self.time(time + nanoseconds)).isCurrent(stamp)
    }
    #expect(try !isTrusted(after: 0, stamp(time)))
    #expect(try !isTrusted(after: 20_000_000, stamp(time)))
    #expect(try isTrusted(after: 20_000_001, stamp(time)))
    #expect(try !isTrusted(after: -1_000_000_000, stamp(time)))
    #expect(try !isTrusted(after: 900_000_000, stamp(4_000_000_000)), "a file system that counts in seconds")
    #expect(try isTrusted(after: 1_100_000_000, stamp(4_000_000_000)))
    #expect(try !isTrusted(after: 10_000_000, stamp(4_000_000_001, changed: time)))
  }
}
