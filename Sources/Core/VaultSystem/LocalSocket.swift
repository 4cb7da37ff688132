#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// System calls on sockets between processes of one machine.
package enum LocalSocket {
  /// The process at the other end, as the kernel reports it.
  package struct Peer: Sendable {
    package var user: UInt32
    /// Its process number; nil if the kernel does not tell.
    package var process: Int32?
    /// Whether the process gave up rights that this process has.
    package var isConfined = false

    package init(user: UInt32, process: Int32?) { (self.user, self.process) = (user, process) }
  }

  /// The most bytes that a socket path may have.
  package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Listens at a path that is free, for this user alone. The path has at most ``longestPath`` bytes. The caller
  /// removes it, and closes the result, on which no call blocks.
  package static func listen(at path: String) throws(Errno) -> Int32 {
    let file = try make()
    do throws(Errno) {
      _ = try checked(unsafe withAddress(path) { address, count in unsafe bind(file, address, count) })
      _ = try checked(unsafe chmod(path, 0o600))
      #if canImport(Darwin)
        _ = try checked(Darwin.listen(file, 64))
      #elseif canImport(Musl)
        _ = try checked(Musl.listen(file, 64))
      #else
        _ = try checked(Glibc.listen(file, 64))
      #endif
      try neverBlock(file)
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Connects to the listener at a path; a call on the result takes at most 3 seconds. The caller closes the result.
  package static func connect(to path: String) throws(Errno) -> Int32 {
    let file = try make()
    do throws(Errno) {
      // A listener that accepts nobody makes this call wait, too.
      limitCalls(on: file)
      _ = try checked(
        unsafe withAddress(path) { address, count in unsafe connectTo(file, address: address, count: count) })
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Limits how long a call on a connection may take.
  package static func limitCalls(on file: Int32, toSeconds seconds: Int = 3) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(file, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// The next connection; no call on it blocks. Throws ``Errno/wouldBlock`` if nobody waits. The caller closes the
  /// result.
  package static func accept(_ listener: Int32) throws(Errno) -> Int32 {
    #if canImport(Darwin)
      let file = try checked(unsafe Darwin.accept(listener, nil, nil))
    #elseif canImport(Musl)
      let file = try checked(unsafe Musl.accept(listener, nil, nil))
    #else
      let file = try checked(Glibc.accept(listener, nil, nil))
    #endif
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    try neverBlock(file)
    return file
  }

  /// The process that connected, or that listens, as it was then.
  package static func peer(of file: Int32) throws(Errno) -> Peer {
    #if canImport(Darwin)
      var (user, group) = (uid_t(), gid_t())
      _ = try checked(unsafe getpeereid(file, &user, &group))
      var process = pid_t()
      var count = socklen_t(MemoryLayout<pid_t>.size)
      let isKnown = unsafe getsockopt(file, SOL_LOCAL, LOCAL_PEERPID, &process, &count) == 0
      return Peer(user: user, process: isKnown ? process : nil)
    #else
      // The structure `ucred` of unix(7): process, user, group. The headers show it only to C programs.
      var credentials: InlineArray<3, UInt32> = [0, .max, .max]
      var count = socklen_t(12)
      _ = try checked(unsafe getsockopt(file, SOL_SOCKET, SO_PEERCRED, &credentials, &count))
      return Peer(user: credentials[1], process: Int32(bitPattern: credentials[0]))
    #endif
  }

  /// Whether the peer has another network than the listener, or cannot gain privileges although this process can. False
  /// if the kernel does not tell.
  package static func isConfined(_ peer: Peer, on file: Int32, of listener: Int32) -> Bool {
    #if os(Linux)
      // The socket of an accepted connection belongs to the network of the process that connected.
      if let theirs = network(of: file), let own = network(of: listener), theirs != own { return true }
    #endif
    guard let process = peer.process, ProcessSession.hasNoNewPrivileges(process) else { return false }
    return !ProcessSession.hasNoNewPrivileges()
  }

  #if os(Linux)
    /// The number of the network in which a socket was made (SO_NETNS_COOKIE, Linux 5.14); nil with older kernels.
    private static func network(of file: Int32) -> UInt64? {
      var cookie: UInt64 = 0
      var count = socklen_t(8)
      return unsafe getsockopt(file, SOL_SOCKET, 71, &cookie, &count) == 0 ? cookie : nil
    }
  #endif

  /// Reads at most the bytes that fit behind `start`, from pipes as well; returns 0 at the end. Throws
  /// ``Errno/wouldBlock`` if nothing is there yet.
  package static func read(_ file: Int32, into span: inout MutableRawSpan, at start: Int) throws(Errno) -> Int {
    while true {
      let count = unsafe span.withUnsafeMutableBytes { bytes in
        unsafe readFrom(file, bytes.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count >= 0 { return count }
      guard Errno.current == .interrupted else { throw .current }
    }
  }

  /// Sends all of the bytes. After an error, such as ``Errno/wouldBlock``, some of them may have been sent.
  package static func write(_ bytes: RawSpan, to file: Int32) throws(Errno) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      // MSG_NOSIGNAL, which is an enumeration in one C library and a number in the other.
      let flags: Int32 = 0x4000
    #endif
    var rest = bytes
    while rest.byteCount > 0 {
      let count = unsafe rest.withUnsafeBytes { bytes in unsafe send(file, bytes.baseAddress, bytes.count, flags) }
      if count < 0, Errno.current == .interrupted { continue }
      rest = rest.extracting(droppingFirst: try checked(count))
    }
  }

  /// Waits until one of the files has something to read or has ended. Returns for each file whether this is so.
  package static func wait(for files: [Int32], milliseconds: Int32) -> [Bool] {
    var polled = files.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return files.map { _ in false } }
    return polled.map { $0.revents != 0 }
  }

  /// Waits until a connection can be read or written, or has ended; false if the time is over first.
  package static func wait(for file: Int32, toWrite isWriting: Bool, milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: file, events: Int16(isWriting ? POLLOUT : POLLIN), revents: 0)
    return unsafe poll(&polled, 1, milliseconds) > 0
  }

  /// Ends a connection for both sides as if it were lost; the descriptor stays open.
  package static func end(_ file: Int32) { shutdown(file, Int32(SHUT_RDWR)) }

  package static func waitingByteCount(_ file: Int32) -> Int {
    var count: Int32 = 0
    return unsafe ioctl(file, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  package static func close(_ file: Int32) { LiveFileOperations().close(file) }

  private static func make() throws(Errno) -> Int32 {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let file = try checked(socket(AF_UNIX, kind, 0))
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var isOn: Int32 = 1
      unsafe setsockopt(file, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return file
  }

  private static func neverBlock(_ file: Int32) throws(Errno) {
    _ = try checked(fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK))
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // A longer path is cut off and names no socket: callers compare it with `longestPath` first.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      unsafe room.copyBytes(from: bytes.prefix(longestPath))
    }
    // Safe: every address begins like `sockaddr`, and the size is that of the actual type.
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

private func connectTo(_ file: Int32, address: UnsafePointer<sockaddr>, count: socklen_t) -> Int32 {
  unsafe connect(file, address, count)
}

// Within `LocalSocket`, `read` is its own function.
private func readFrom(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, buffer, count)
}
