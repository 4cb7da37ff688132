internal import VaultStorage
internal import VaultSystem

/// Makes a connection to one of the hosts of an address.
///
/// libpq's own `PQconnectdb` prints a server's messages before the connection is made. So each step is taken here, with
/// its time limits, which libpq applies only in that function.
struct PostgresConnector {
  /// How long to wait for a server that is starting up.
  private static let startPatience = Duration.seconds(10)
  /// The most bytes that may come before a connection is made.
  private static let byteLimit = 1 << 20
  /// The most addresses of a host that are tried.
  private static let addressLimit = 8
  /// How many connections may end in the middle of their start before that counts as a failure.
  private static let cutLimit = 3
  /// PQERRORS_DEFAULT and PQERRORS_VERBOSE, which includes the state of a refusal.
  private static let (terse, verbose): (Int32, Int32) = (1, 2)
  /// PGRES_POLLING_FAILED, _READING, _WRITING and _OK.
  private static let (failed, reading, writing, done): (Int32, Int32, Int32, Int32) = (0, 1, 2, 3)

  let library: PostgresLibrary
  let address: PostgresAddress
  let applicationName: String
  let password: String?
  let notices: PostgresNotices
  let wait: ServerWait
  /// The kind of server that is needed; nil if the address says it.
  let attributes: String?

  /// A connection, or the reason for the failure.
  @safe private struct Outcome {
    // Safe: the caller that gets the handle ends it.
    var handle: PostgresLibrary.Handle?
    var words = ""
    /// Whether the server says that it is starting up.
    var isStarting = false
    /// Whether the server is away, stopping, full, or does not take writes, so that another may soon be available.
    var isAway = false
    /// Whether the connection ended in the middle of its start, without a reason: the server or a proxy may just have
    /// gone, or it speaks another protocol.
    var isCut = false
    /// Whether no other host is tried, because this one was given the password.
    var isFinal = false
  }

  /// Connects, retrying for a while if no server can be reached, or one says that it is starting up.
  func connect(until end: ContinuousClock.Instant) throws(StoreError) -> PostgresLibrary.Handle {
    let start = ContinuousClock.now
    let startEnd = max(end, start + Self.startPatience)
    var cutCount = 0
    while true {
      var (words, isStarting, isAway, isFinal) = ([String](), false, false, false)
      for (host, attributes) in attempts where !isFinal {
        let outcome = try attempt(host, attributes)
        if let handle = unsafe outcome.handle { return unsafe handle }
        words.append(outcome.words)
        if outcome.isCut { cutCount += 1 }
        let isAgain = outcome.isCut && cutCount <= Self.cutLimit
        (isStarting, isAway) = (isStarting || outcome.isStarting, isAway || outcome.isAway || isAgain)
        isFinal = outcome.isFinal
      }
      let now = ContinuousClock.now
      guard !isFinal, isStarting && now < startEnd || isAway && now < end else {
        // libpq's message names a host, a user, a file and the reason, but never the password.
        let fault = ServerFault(state: "", text: words.joined(separator: "; "), isLost: true)
        throw StoreError(.ioFailed, reason: "the connection to the database failed", path: names, underlying: fault)
      }
      if now - start >= .seconds(1) { wait.tell(.connection) }
      LiveFileOperations().sleep(.milliseconds(100))
    }
  }

  private var names: String { address.hosts.map(\.name).joined(separator: ",") }

  /// The hosts in the order of attempts, each with the required kind of session.
  private var attempts: [(host: PostgresHost, attributes: String?)] {
    let wish = attributes ?? address.serverKind
    guard wish == "prefer-standby" else { return address.hosts.map { ($0, wish) } }
    // Here libpq connects to one host at a time, and so cannot prefer one.
    return address.hosts.map { ($0, "standby") } + address.hosts.map { ($0, "any") }
  }

  /// The time limit for one address of a host; zero means no limit, as in libpq.
  private var patience: Duration {
    let seconds = address.settings["connect_timeout"].map { Int($0) ?? 10 } ?? 10
    return seconds > 0 ? .seconds(max(2, seconds)) : .seconds(86400)
  }

  private func attempt(_ host: PostgresHost, _ attributes: String?) throws(StoreError) -> Outcome {
    var parameters = address.parameters(of: host, applicationName: applicationName, password: password)
    if let attributes { parameters["target_session_attrs"] = attributes }
    notices.begin()
    guard let handle = unsafe Self.pass(parameters, to: library.steps.start) else {
      throw StoreError(.ioFailed, reason: "there is no memory for a connection", path: host.name)
    }
    unsafe notices.take(of: handle, library)
    _ = unsafe library.steps.setErrorVerbosity(handle, Self.verbose)
    var byteCount = 0
    if let fault = unsafe drive(handle, host: host, byteCount: &byteCount) {
      defer { unsafe library.finish(handle) }
      let said = unsafe Refusal(library.errorMessage(handle))
      // Without a refusal: nobody listens, the server was lost, or `target_session_attrs` does not fit.
      let isResolved = unsafe host.isSocket || library.steps.hostAddress(handle).map { unsafe $0.pointee != 0 } == true
      let isLoggedIn = unsafe library.steps.parameter(handle, "server_version") != nil
      let isAway = fault.text.isEmpty && isResolved && (said.isPassing ?? (byteCount == 0 || isLoggedIn))
      let hasPassword = unsafe library.steps.usedPassword(handle) != 0
      let isCut = fault.text.isEmpty && isResolved && !isAway && said.isPassing == nil && !hasPassword
      return unsafe Outcome(
        words: fault.text.isEmpty ? said.text : "\(host.name): \(fault.text)",
        isStarting: said.states.contains("57P03"), isAway: isAway, isCut: isCut, isFinal: !isAway && hasPassword)
    }
    _ = unsafe library.steps.setErrorVerbosity(handle, Self.terse)
    return unsafe Outcome(handle: handle)
  }

  /// Takes the steps of a connection. Returns nil once it is made, else a fault, whose text libpq has if it is empty.
  private func drive(
    _ handle: PostgresLibrary.Handle, host: PostgresHost, byteCount: inout Int
  ) -> ServerFault? {
    var (state, lateCount) = (Self.writing, 0)
    let start = ContinuousClock.now
    var end = start + patience
    if unsafe library.status(handle) == 1 { return ServerFault(state: "", text: "", isLost: true) }
    while state != Self.done {
      let socket = unsafe library.socket(handle)
      guard state != Self.failed, socket >= 0 else {
        return lateCount > 0 ? .silent : ServerFault(state: "", text: "", isLost: true)
      }
      guard unsafe isWhereItShouldBe(handle, host) else { return .elsewhere }
      if ContinuousClock.now > end {
        // As if it were lost; libpq tries the next address of the host, if there are more.
        LocalSocket.end(socket)
        lateCount += 1
        guard lateCount <= Self.addressLimit else { return .silent }
        end = .now + patience
      } else {
        let isReady = LocalSocket.wait(for: socket, toWrite: state == Self.writing, milliseconds: 250)
        guard isReady else {
          if ContinuousClock.now - start >= wait.patience.silence { wait.tell(.connection) }
          continue
        }
        if state == Self.reading { byteCount += LocalSocket.waitingByteCount(socket) }
      }
      state = unsafe library.steps.poll(handle)
      guard byteCount <= Self.byteLimit, !notices.isFlood else { return .tooMuch }
    }
    return unsafe isWhereItShouldBe(handle, host) ? nil : .elsewhere
  }

  /// Whether a host that counts as this machine really is this machine. `hostaddr` of the environment or of a service
  /// file, and the table of hosts, can lead elsewhere. Nothing secret was sent yet.
  private func isWhereItShouldBe(_ handle: PostgresLibrary.Handle, _ host: PostgresHost) -> Bool {
    guard address.isLocal, let text = unsafe library.steps.hostAddress(handle) else { return true }
    let address = unsafe String(cString: text)
    return address.isEmpty || !host.isSocket && PostgresHost(literal: address).isLocal
  }

  /// Passes parameters to libpq as two lists of NUL-terminated texts, each ended by a null; libpq copies both.
  private static func pass<Answer>(
    _ parameters: [String: String],
    to function: (UnsafePointer<PostgresLibrary.Text?>, UnsafePointer<PostgresLibrary.Text?>, Int32) -> Answer
  ) -> Answer {
    let all = Array(parameters)
    var names = unsafe all.map { unsafe copied($0.key) } + [nil]
    var values = unsafe all.map { unsafe copied($0.value) } + [nil]
    defer { unsafe (names + values).forEach { unsafe $0?.deallocate() } }
    return unsafe function(&names, &values, 0)
  }

  private static func copied(_ text: String) -> UnsafePointer<CChar>? {
    let bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    unsafe copy.initialize(from: bytes, count: bytes.count)
    return unsafe UnsafePointer(copy)
  }
}

/// libpq's verbose message of a failed connection: `FATAL:  57P03: …`, and then a line with the place in the server's
/// source.
private struct Refusal {
  private(set) var states: [String] = []
  let text: String

  /// Whether all reported problems will pass: the server is starting, stopping or full, or a pooler does not reach it.
  /// Nil if it reported nothing.
  var isPassing: Bool? {
    states.isEmpty
      ? nil : states.allSatisfy { ["57P01", "57P02", "57P03", "53300"].contains($0) || $0.hasPrefix("08") }
  }

  init(_ message: PostgresLibrary.Text?) {
    let message = unsafe message.map { unsafe String(cString: $0) } ?? ""
    var lines: [String] = []
    for line in message.split(separator: "\n") where !Self.isPlace(line) {
      guard let mark = line.ranges(of: ":  ").first else {
        lines.append(String(line))
        continue
      }
      let (state, rest) = (String(line[mark.upperBound...].prefix(5)), line[mark.upperBound...].dropFirst(5))
      let isState = state.utf8.allSatisfy { $0 &- 48 < 10 || $0 &- 65 < 26 } && rest.hasPrefix(": ")
      if isState { states.append(String(state)) }
      lines.append(isState ? String(line[..<mark.upperBound] + rest.dropFirst(2)) : String(line))
    }
    text = ServerFault.printable(lines.joined(separator: "\n").utf8)
  }

  /// Whether a line tells the place in the server's source: `LOCATION:  …, postmaster.c:2370`.
  private static func isPlace(_ line: Substring) -> Bool {
    guard let colon = line.lastIndex(of: ":"), line[..<colon].hasSuffix(".c") else { return false }
    return line[colon...].dropFirst().utf8.allSatisfy { $0 &- 48 < 10 }
  }
}
