import Dispatch
import Synchronization
import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A command on a separate thread: a test waits for it, and must not take the thread of the work that it waits for.
private final class Background: Sendable {
  private let outcome = Mutex<ProcessOutcome?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  init(_ run: @escaping @Sendable () -> ProcessOutcome) {
    DispatchQueue(label: "command").async { [self] in
      let ended = run()
      outcome.withLock { $0 = ended }
      self.ended.signal()
    }
  }

  /// How it ended; to be asked for once.
  func value() throws -> ProcessOutcome {
    ended.wait()
    return try #require(outcome.withLock { $0 })
  }
}

/// A vault with two logins that an identity opens; the sockets of agents are in a folder of the test's own.
private struct Bench {
  let workspace: Workspace
  let scope: [String: String]

  init() throws {
    workspace = try Workspace.withVault()
    for name in ["Bank", "Mail"] {
      let added = workspace.open("add", "login", name, "--secret-stdin", "password", input: "pw of \(name)")
      try #require(added.code == 0, "\(added.errors)")
    }
    scope = ["XDG_RUNTIME_DIR": workspace.path, "CVAULT_DIR": workspace.vault]
  }

  func run(_ arguments: String..., adding: [String: String] = [:]) -> ProcessOutcome {
    workspace.run(arguments, adding: scope.merging(adding) { $1 })
  }

  /// `vault get Bank password`, with its output in a file that can be read while the command runs.
  func asking(_ file: String) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", "exec '\(Binary.path)' get Bank password 2>\(file)"],
      environment: workspace.environment, directory: workspace.path)
    plan.environment.merge(scope) { $1 }
    return plan.run()
  }

  /// `vault unlock --confirm` at a terminal of its own, which gives these answers.
  func plan(_ answers: [(prompt: String, reply: String)]) -> ProcessRun {
    var plan = workspace.plan(["unlock", "--confirm", "--identity", "id.txt"])
    plan.terminal = answers
    plan.errorsOnTerminal = true
    plan.environment.merge(scope) { $1 }
    return plan
  }

  /// Waits until what `agent status` says holds a text.
  func waits(for text: String, adding: [String: String] = [:]) -> Bool {
    for _ in 0..<100 {
      if run("agent", "status", adding: adding).output.contains(text) { return true }
      usleep(50_000)
    }
    return false
  }
}

@Suite("An agent that asks", .atTerminal)
struct AgentAskingTests {
  @Test("each record is asked about once, at the terminal that has unlocked; a no is no, and is asked again")
  func once() throws {
    let bench = try Bench()
    let plan = bench.plan([("Open \"Bank\" (", "y\n"), ("Open \"Mail\" (", "n\n"), ("Open \"Mail\" (", "y\n")])
    let agent = Background { plan.run() }
    #expect(bench.waits(for: "asks before each record"))
    // The agent shows the name of the program that asks.
    let first = bench.workspace.runProgram("get", "Bank", "password", adding: bench.scope)
    #expect(first.output == "pw of Bank", "\(first.errors)")
    #expect(first.errors == "note: the agent is waiting for an answer at its terminal\n", "\(first.errors)")
    let second = bench.run("get", "Bank", "password")
    #expect(second.output == "pw of Bank")
    #expect(second.errors.isEmpty)
    let refused = bench.run("get", "Mail", "password")
    #expect(refused.status == .cannotUnlock)
    #expect(refused.stdout.isEmpty)
    #expect(refused.errors.contains("the request was denied"))
    #expect(bench.run("get", "Mail", "password").output == "pw of Mail")
    #expect(bench.run("lock").code == 0)
    let ended = try agent.value()
    #expect(ended.code == 0, "\(ended.shown)")
    #expect(ended.shown.contains(" for vault ("), "\(ended.shown)")
    #expect(!ended.shown.contains("pw of"))
    #expect(bench.run("get", "Bank", "password").status == .cannotUnlock)
  }

  @Test("the question and the list of uses name the coding agent that runs the command")
  func codingAgent() throws {
    let bench = try Bench()
    let plan = bench.plan([("Open \"Bank\" (", "y\n")])
    let agent = Background { plan.run() }
    #expect(bench.waits(for: "asks before each record"))
    let allowed = ["AI_AGENT": "scout\u{1B}[31m", "CVAULT_ALLOW_REVEAL": "1"]
    let run = bench.workspace.runProgram("get", "Bank", "password", adding: bench.scope.merging(allowed) { $1 })
    #expect(run.output == "pw of Bank", "\(run.errors)")
    let status = bench.run("agent", "status").output
    #expect(status.contains(" for scout\\u001b[31m\n"), "\(status)")
    #expect(JSON(bench.run("agent", "status", "--json").stdout)["agents"]?[0]?["uses"]?[0]?["agent"]?.text != nil)
    #expect(bench.run("lock").code == 0)
    let shown = try agent.value().shown
    #expect(shown.contains(") for scout\\u001b[31m: vault ("), "\(shown)")
  }

  @Test("three noes in a row lock it, and so does a word from elsewhere while it asks")
  func locks() throws {
    let bench = try Bench()
    let plan = bench.plan(Array(repeating: ("Open \"Bank\" (", "\n"), count: 3))
    let agent = Background { plan.run() }
    #expect(bench.waits(for: "asks before each record"))
    for _ in 0..<3 { #expect(bench.run("get", "Bank", "password").status == .cannotUnlock) }
    #expect(try agent.value().code == 0)
    #expect(bench.run("agent", "status").output == "no vault is unlocked\n")
    let (silent, other) = (bench.plan([]), bench)
    let second = Background { silent.run() }
    #expect(bench.waits(for: "asks before each record"))
    let waiting = Background { other.asking("asked.txt") }
    // Its note says that the agent asks.
    while !FileTree.names(in: bench.workspace.path).contains("asked.txt")
      || bench.workspace.text(of: "asked.txt").isEmpty
    {
      usleep(50_000)
    }
    #expect(bench.run("lock").code == 0)
    let (shown, code) = (try second.value().shown, try waiting.value().code)
    #expect(shown.contains("The request was withdrawn."))
    #expect(code == 11)
  }

  @Test("where nobody could answer it is refused, before any key is used")
  func refused() throws {
    let bench = try Bench()
    for words in [["unlock", "--confirm"], ["agent", "run", "--confirm"]] {
      let refused = bench.workspace.run(words + ["--vault", "v", "--identity", "id.txt"])
      #expect(refused.status == .declined, "\(refused.errors)")
      #expect(refused.errors.contains("this needs a terminal to ask, and there is none"), "\(refused.errors)")
    }
    var plan = bench.plan([])
    plan.arguments += ["--scope", "terminal"]
    #expect(plan.run().status == .usage)
    plan.arguments = ["unlock", "--confirm", "--identity", "id.txt", "--no-input"]
    #expect(plan.run().status == .declined)
  }
}

/// A message bus of the test's own, which is that of the system and of the session.
private final class PrivateBus {
  let address: String
  private let process: pid_t

  /// Nil if the bus is not available.
  init?(_ workspace: Workspace) {
    var plan = workspace.plan([
      "--session", "--fork", "--nopidfile", "--print-pid=1", "--address=unix:path=\(workspace.path)/bus",
    ])
    plan.path = "/usr/bin/dbus-daemon"
    guard let process = pid_t(plan.run().output.filter(\.isNumber)), process > 1 else { return nil }
    (address, self.process) = ("unix:path=\(workspace.path)/bus", process)
  }

  deinit { kill(process, SIGTERM) }

  var variables: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address] }

  /// Reports that something is on or off, under a name or without one.
  func tell(_ interface: String, _ member: String, _ isOn: Bool, as name: String? = nil) throws {
    var bus: OpaquePointer?
    var message: OpaquePointer?
    var value: Int32 = isOn ? 1 : 0
    try unsafe #require(call("sd_bus_new", as: Make.self)(&bus) >= 0)
    let own = unsafe try #require(bus)
    defer { _ = unsafe call("sd_bus_flush_close_unref", as: Close.self)(own) }
    try unsafe #require(call("sd_bus_set_address", as: SetText.self)(own, address) >= 0)
    try unsafe #require(call("sd_bus_set_bus_client", as: SetNumber.self)(own, 1) >= 0)
    try unsafe #require(call("sd_bus_start", as: Start.self)(own) >= 0)
    if let name { try unsafe #require(call("sd_bus_request_name", as: Request.self)(own, name, 0) >= 0) }
    try unsafe #require(call("sd_bus_message_new_signal", as: New.self)(own, &message, "/", interface, member) >= 0)
    let signal = unsafe try #require(message)
    if member != "Lock" {
      try unsafe #require(
        call("sd_bus_message_append_basic", as: Append.self)(signal, CChar(UInt8(ascii: "b")), &value) >= 0)
    }
    try unsafe #require(call("sd_bus_send", as: Send.self)(own, signal, nil) >= 0)
  }

  private typealias Make = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias Close = @convention(c) (OpaquePointer) -> OpaquePointer?
  private typealias SetText = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32
  private typealias SetNumber = @convention(c) (OpaquePointer, Int32) -> Int32
  private typealias Start = @convention(c) (OpaquePointer) -> Int32
  private typealias Request = @convention(c) (OpaquePointer, UnsafePointer<CChar>, UInt64) -> Int32
  private typealias New =
    @convention(c) (
      OpaquePointer, UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, UnsafePointer<CChar>,
      UnsafePointer<CChar>
    ) -> Int32
  private typealias Append = @convention(c) (OpaquePointer, CChar, UnsafeMutableRawPointer) -> Int32
  private typealias Send = @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutablePointer<UInt64>?) -> Int32

  private func call<Function>(_ name: String, as type: Function.Type) -> Function {
    // That the library is there is what the tests need.
    guard let library = unsafe dlopen("libsystemd.so.0", RTLD_NOW), let symbol = unsafe dlsym(library, name) else {
      preconditionFailure("\(name) is not there")
    }
    return unsafe unsafeBitCast(symbol, to: type)
  }
}

@Suite("An agent and the message buses", .enabled(if: Need.buses.isMet(forCases: 3, of: "message buses")))
struct AgentBusTests {
  private func unlock(_ bench: Bench, _ variables: [String: String]) throws {
    let unlocked = bench.run("unlock", "--identity", "id.txt", adding: variables)
    try #require(unlocked.code == 0, "\(unlocked.errors)")
  }

  @Test(
    "it locks when the machine goes to sleep and when the session or its screen is locked",
    arguments: [
      ("org.freedesktop.login1.Manager", "PrepareForSleep"), ("org.freedesktop.login1.Session", "Lock"),
      ("org.freedesktop.ScreenSaver", "ActiveChanged"), ("org.gnome.ScreenSaver", "ActiveChanged"),
    ])
  func locks(_ interface: String, _ member: String) throws {
    let bench = try Bench()
    let bus = try #require(PrivateBus(bench.workspace))
    try unlock(bench, bus.variables)
    #expect(bench.waits(for: "locks over D-Bus when the machine sleeps or the session is locked, or when the screen"))
    let name = interface.hasPrefix("org.freedesktop.login1") ? "org.freedesktop.login1" : nil
    if member != "Lock" { try bus.tell(interface, member, false, as: name) }
    if name != nil { try bus.tell(interface, member, true) }
    usleep(300_000)
    #expect(bench.run("get", "Bank", "password").output == "pw of Bank", "that it is off, or what anybody says")
    try bus.tell(interface, member, true, as: name)
    #expect(bench.waits(for: "no vault is unlocked"))
    #expect(bench.run("get", "Bank", "password").status == .cannotUnlock)
  }

  @Test("it locks when a bus that it hears goes")
  func gone() throws {
    let bench = try Bench()
    var bus = PrivateBus(bench.workspace)
    try #require(bus != nil)
    try unlock(bench, bus?.variables ?? [:])
    #expect(bench.waits(for: "locks over D-Bus"))
    bus = nil
    #expect(bench.waits(for: "no vault is unlocked"))
  }

  @Test("without a bus, and with an address at which nobody is or nobody answers, all is as ever")
  func none() throws {
    let bench = try Bench()
    bench.workspace.prepare(
      "command -v python3 >/dev/null || exit 0; (python3 -c \"import socket, time; s = socket.socket(1); s.bind('mute'); s.listen(); time.sleep(20)\" >/dev/null 2>&1 &) ; sleep 0.5"
    )
    for address in ["unix:path=\(bench.workspace.path)/none", "nonsense", "unix:path=\(bench.workspace.path)/mute"] {
      try unlock(bench, ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address])
      usleep(1_500_000)
      #expect(bench.run("get", "Bank", "password").output == "pw of Bank", "\(address)")
      #expect(bench.run("agent", "status").output.contains("does not lock with the screen"))
      #expect(bench.run("lock").code == 0)
    }
  }
}
