import Testing
import VaultCrypto
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Tests that concern the whole process, each in its own process.
@Suite("Process") struct ProcessTests {
  @Test("after forbidCoreDumps the kernel writes no core and lets nobody attach") func coreDumps() async {
    await #expect(processExitsWith: .success) {
      #expect(ProcessHardening.forbidCoreDumps())
      #expect(!ProcessHardening.isDumpable)
      var limit = rlimit(rlim_cur: 1, rlim_max: 1)
      // The hard limit is 0 too, so what asks for more as an ordinary user is refused.
      let isRead = unsafe getrlimit(coreResource, &limit) == 0
      #expect(isRead)
      #expect(limit.rlim_cur == 0)
      #expect(limit.rlim_max == 0)
    }
  }

  #if os(Linux)
    @Test("a confined process reads, and does not change files, start programs or reach other processes")
    func confinement() async {
      await #expect(processExitsWith: .success) {
        ProcessHardening.confine()
        guard ProcessHardening.canFilterCalls else {
          return print("NOT RUN: this kernel cannot filter system calls: Process: 1")
        }
        var (pair, process): ([Int32], pid_t) = ([0, 0], 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("true"), nil]
        let place = "/dev/shm/confined"
        let answers: [(String, Int32)] = unsafe [
          ("write", open("/dev/null", O_WRONLY)), ("read and write", open("/dev/null", O_RDWR)),
          ("create", creat(place, 0o600)), ("append", open("/dev/null", O_WRONLY | O_APPEND)),
          ("truncate on opening", open("/dev/null", O_RDONLY | O_TRUNC)), ("truncate", truncate("/dev/null", 0)),
          ("rename", rename(place, place + "2")), ("renameat", renameat(AT_FDCWD, place, AT_FDCWD, place + "2")),
          ("link", link("/dev/null", place)), ("symlink", symlink("x", place)), ("unlink", unlink(place)),
          ("mkdir", mkdir(place, 0o700)), ("rmdir", rmdir(place)), ("mkfifo", mkfifo(place, 0o600)),
          ("chmod", chmod("/dev/null", 0o666)), ("chown", chown("/dev/null", getuid(), getgid())),
          ("times", utimensat(AT_FDCWD, "/dev/null", nil, 0)),
          ("unix socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)),
          ("internet socket", socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)),
          ("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)),
          ("signal", kill(getppid(), 0)), ("group", killpg(getpgrp(), 0)), ("session", setsid()),
          ("shared memory", shmget(IPC_PRIVATE, 4096, 0o600)),
          ("watch", inotify_init()), ("root", chroot("/")),
          ("exec", execv("/bin/true", &arguments)),
          ("spawn", -posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil)),
        ]
        for (name, answer) in answers { #expect(answer < 0, "\(name)") }
        let file = unsafe open("/etc/passwd", O_RDONLY)
        #expect(file >= 0)
        var byte: UInt8 = 0
        let count = unsafe read(file, &byte, 1)
        #expect(count == 1)
      }
    }
  #endif

  @Test("after forbidCoreDumps a crash is the kernel's alone: nobody prints registers or memory")
  func crashReports() async {
    await #expect(processExitsWith: .success) {
      ProcessHardening.forbidCoreDumps()
      for number in ProcessHardening.crashSignals {
        let hasNoHandler = signal(number, SIG_DFL) == nil
        #expect(hasNoHandler)
      }
    }
  }

  @Test("no secret is left behind, whether calls succeed or fail") func leaks() async {
    await #expect(processExitsWith: .success) {
      let key = [UInt8](repeating: 1, count: 32)
      for _ in 0..<100 {
        _ = try gcmOpen(gcmSeal([1, 2, 3], key), key)
        _ = try hkdf(key, salt: [], info: [], 72)
        _ = try x25519(key, [9] + [UInt8](repeating: 0, count: 31))
        _ = try? gcmOpen([UInt8](repeating: 0, count: 60), key)
        _ = try? x25519(key, [UInt8](repeating: 0, count: 32))
        _ = try? SecretBytes(count: 64) { _ throws(CryptoError) in throw CryptoError(.randomFailed, "") }
        _ = try? SecretBytes(count: -1) { _ in }
      }
      #expect(SecretBytes.liveCount == 0)
      #expect(SecureMemory.usedByteCount == 0)
      let secret = try SecretBytes.of([])
      #expect(SecretBytes.liveCount == 1)
      withExtendedLifetime(secret) {}
    }
  }

  @Test("a full secure heap is an error, never ordinary memory, and works again once something is freed")
  func exhaustion() async {
    await #expect(processExitsWith: .success) {
      var secrets: [SecretBytes] = []
      let error = #expect(throws: CryptoError.self) {
        while true { secrets.append(try SecretBytes(count: 1 << 16) { _ in }) }
      }
      #expect(error?.code == .secureMemoryExhausted)
      #expect(secrets.count == SecureMemory.byteCount >> 16)
      secrets.removeLast()
      secrets.append(try SecretBytes(count: 1 << 16) { _ in })
      #expect(SecureMemory.usedByteCount == SecureMemory.byteCount)
    }
  }

  @Test("a freed secret is wiped") func wiped() async {
    await #expect(processExitsWith: .success) {
      let left = try countOfBytesLeftBehind()
      // The first bytes of a free piece link it to others, hence not simply none.
      #expect(left < 16)
    }
  }

  @Test("the heap is a power of two from 1 to 16 MiB and takes half of what may be locked") func heapSize() async {
    #expect(SecureMemory.heapByteCount(lockable: nil) == 1 << 20)
    #expect(SecureMemory.heapByteCount(lockable: 64 << 10) == 1 << 20)
    #expect(SecureMemory.heapByteCount(lockable: 2 << 20) == 1 << 20)
    #expect(SecureMemory.heapByteCount(lockable: 8 << 20) == 4 << 20)
    #expect(SecureMemory.heapByteCount(lockable: (8 << 20) - 1) == 2 << 20)
    #expect(SecureMemory.heapByteCount(lockable: Int.max) == 16 << 20)
    #expect(SecureMemory.byteCount.nonzeroBitCount == 1)
  }

  @Test("with a low limit on locked memory the heap is 1 MiB and secrets still work") func lowLimit() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 64 << 10, rlim_max: 64 << 10)
      #expect(unsafe setrlimit(lockedMemoryResource, &limit) == 0)
      #expect(SecureMemory.byteCount == 1 << 20)
      // A privileged process may lock more than its limit; any other is told that nothing is locked.
      #expect(geteuid() == 0 ? SecureMemory.status != .unavailable : SecureMemory.status == .notLocked)
      let secret = try SecretBytes.random(count: 32)
      #expect(secret.count == 32)
    }
  }

  @Test("an OpenSSL configuration file has no say") func configurationFile() async {
    await #expect(processExitsWith: .success) {
      // Were it read, every fetch would ask for a FIPS provider, which is not there.
      let text = "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n"
      let path = "/tmp/cvault-test-\(getpid()).cnf"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      defer { _ = unsafe unlink(path) }
      _ = unsafe setenv("OPENSSL_CONF", path, 1)
      let key = [UInt8](repeating: 1, count: 32)
      let opened = try gcmOpen(gcmSeal([1, 2, 3], key), key)
      #expect(opened == [1, 2, 3])
    }
  }
}

/// How many of 4096 bytes of 0xAA are still where a secret held them, after it was freed.
private func countOfBytesLeftBehind() throws -> Int {
  var secret: SecretBytes? = try SecretBytes.of([UInt8](repeating: 0xAA, count: 4096))
  let address = secret?.withBytes { bytes in
    unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
  secret = nil
  // The heap stays mapped after the piece was freed, so its present content can still be read.
  let buffer = unsafe UnsafeBufferPointer(start: UnsafePointer<UInt8>(bitPattern: address ?? 0), count: 4096)
  return unsafe buffer.count { $0 == 0xAA }
}

// Glibc declares the resources as an enumeration but takes a number; the others have plain numbers.
#if canImport(Glibc)
  private var coreResource: __rlimit_resource_t { .init(RLIMIT_CORE.rawValue) }
  private var lockedMemoryResource: __rlimit_resource_t { .init(__RLIMIT_MEMLOCK.rawValue) }
#else
  private var coreResource: Int32 { Int32(RLIMIT_CORE) }
  private var lockedMemoryResource: Int32 { Int32(RLIMIT_MEMLOCK) }
#endif
