import VaultCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Seals 32 bytes again and again, a nonce drawn for each, and prints how many nanoseconds of processor time one takes.
///
/// Usage: seal-floor SECONDS. It is what runs beside `openssl speed -evp aes-256-gcm -bytes 32 -seconds SECONDS`, which
/// counts processor time, too, draws no nonce, makes no memory for its results and computes no tag.
@main
enum SealFloor {
  static func main() throws {
    guard CommandLine.arguments.count == 2, let seconds = Double(CommandLine.arguments[1]), seconds > 0 else {
      print("usage: seal-floor SECONDS")
      exit(64)
    }
    let key = try AESGCMKey(beginningOf: .random(count: 32))
    let text = [UInt8](repeating: 0x61, count: 32)
    _ = try seal(1_000, text, key)  // warms caches up
    let start = processorTime()
    var count = 0
    while processorTime() - start < seconds { count += try seal(1_000, text, key) }
    print((processorTime() - start) * 1e9 / Double(count))
  }

  /// Seals so many times and gives the number.
  static func seal(_ count: Int, _ text: [UInt8], _ key: AESGCMKey) throws -> Int {
    var byteCount = 0
    for _ in 0..<count {
      byteCount += try key.seal(
        RawSpan(_elements: text.span), padding: RawSpan(), associatedData: RawSpan()
      ).count
    }
    precondition(byteCount == count * (12 + 32 + 16), "what leaves the nonce or the tag out measures nothing")
    return count
  }

  static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
