#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The clock, the only system call of this module; the standard library does not offer one.
enum SystemClock {
  /// Ends the process if the clock is outside the years 1 to 9999.
  static func now() -> Timestamp {
    var time = timespec()
    // The pointer is to a local variable and lives for this call.
    let result = unsafe clock_gettime(CLOCK_REALTIME, &time)
    // CLOCK_REALTIME always exists; a clock outside the years 1 to 9999 has no text in the format.
    guard result == 0,
      let now = try? Timestamp(secondsSinceEpoch: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    else { preconditionFailure("the system clock cannot be read") }
    return now
  }
}
