import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Unlocked once")
struct AgentTests {
  /// A vault that a passphrase opens, with one record, and the sockets in a folder of the test's own.
  fileprivate final class Bench {
    let workspace: Workspace
    let scope: [String: String]

    init() throws {
      workspace = try Workspace()
      scope = ["XDG_RUNTIME_DIR": workspace.path, "CVAULT_DIR": workspace.path + "/v"]
      _ = workspace.write("correct\n", to: "right.txt")
      _ = workspace.write("tok-12345678", to: "token.txt")
      let made = run(
        "init", "v", "--passphrase", "--new-passphrase-command", "cat right.txt", "--work-factor", "10")
      try #require(made.code == 0, "\(made.errors)")
      let added = run(
        "add", "customer", "--set", "name=Ada", "--secret-file", "access_key=token.txt", "--passphrase-file",
        "right.txt")
      try #require(added.code == 0, "\(added.errors)")
    }

    deinit { _ = run("lock") }

    func run(_ arguments: String..., adding: [String: String] = [:]) -> ProcessOutcome {
      workspace.run(arguments, adding: scope.merging(adding) { $1 })
    }

    func unlock(_ words: String...) throws {
      let unlocked = workspace.run(["unlock", "--passphrase-file", "right.txt"] + words, adding: scope)
      try #require(unlocked.code == 0, "\(unlocked.errors)")
    }

    func type(_ arguments: [String], _ answers: [(prompt: String, reply: String)]) -> ProcessOutcome {
      workspace.type(arguments, answers, adding: scope)
    }

    var folder: String { workspace.path + "/cvault" }
    var socket: String { folder + "/" + (FileTree.names(in: folder).first ?? "none") }

    #if os(Linux)
      /// The agent's process, as the kernel tells it.
      func agent() throws -> Int32 {
        let file = connect()
        defer { close(file) }
        var credentials: [UInt32] = [0, 0, 0]
        var count = socklen_t(12)
        unsafe #expect(getsockopt(file, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0)
        let agent = Int32(bitPattern: credentials[0])
        try #require(agent > 1)
        return agent
      }
    #endif

    /// Whether a process is gone, or dead and not waited for yet (proc(5)).
    func hasEnded(_ process: Int32) -> Bool { ["", "Z", "X"].contains(state(of: process)) }

    func state(of process: Int32) -> String {
      String(workspace.shell("cut -d ' ' -f 3 /proc/\(process)/stat 2>/dev/null").output.prefix { $0 != "\n" })
    }

    /// A connection to the agent, past the program.
    func connect() -> Int32 {
      let file = rawSocket()
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(socket.utf8)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
      let result = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          unsafe rawConnect(file, address, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard result == 0 else {
        close(file)
        return -1
      }
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      unsafe setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      return file
    }
  }

  private static func frame(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(text.utf8)
  }

  private static func ask(_ file: Int32, _ bytes: [UInt8]) -> [UInt8] {
    guard unsafe write(file, bytes, bytes.count) == bytes.count else { return [] }
    var answer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(file, &answer, answer.count)
    return Array(answer.prefix(max(0, count)))
  }

  @Test("a passphrase is typed once: afterwards reading and writing ask for nothing, until it is locked", .atTerminal)
  func once() throws {
    let bench = try Bench()
    #expect(bench.run("get", "Ada", "access_key").status == .cannotUnlock)
    let unlocked = bench.type(["unlock"], [("Passphrase of ", "correct\n")])
    #expect(unlocked.code == 0, "\(unlocked.errors)")
    #expect(unlocked.errors.contains("or with `vault lock`") || unlocked.shown.contains("or with `vault lock`"))
    // The agent notes the name of the program that asks.
    let first = bench.workspace.runProgram("get", "Ada", "access_key", adding: bench.scope)
    #expect(first.output == "tok-12345678", "\(first.errors)")
    for words in [
      ["add", "customer", "--set", "name=Bob", "--generate", "access_key"], ["set", "Bob", "address.city=Rome"],
      ["unset", "Bob", "address.city"], ["list"], ["find", "Bob"], ["show", "Bob", "--reveal"],
      ["export", "--reveal", "-y", "--format", "json"], ["remove", "Bob", "-y"], ["trash", "restore", "Bob"],
      ["get", "Bob", "access_key"],
    ] {
      let outcome = bench.workspace.run(
        words, adding: ["XDG_RUNTIME_DIR": bench.workspace.path, "CVAULT_DIR": bench.workspace.vault])
      #expect(outcome.code == 0, "\(words): \(outcome.errors)")
    }
    #expect(bench.run("verify", "--passphrase-file", "right.txt").code == 0)
    #expect(bench.run("get", "Ada", "name", adding: ["CVAULT_NO_AGENT": "1"]).status == .cannotUnlock)
    let status = bench.run("agent", "status", "--json")
    let uses = JSON(status.stdout)["agents"]?.items?.first?["uses"]?.items ?? []
    try #require(uses.count > 5)
    #expect(uses[0]["action"]?.text == "open")
    #expect(uses[0]["name"]?.text == "vault")
    #expect(!status.output.contains("tok-"))
    #expect(bench.run("lock").code == 0)
    #expect(bench.run("get", "Ada", "access_key").status == .cannotUnlock)
    #expect(bench.run("agent", "status").output == "no vault is unlocked\n")
  }

  @Test(
    "an agent whose socket was deleted, or is another's by now, drops the key, and leaves the other's socket alone",
    arguments: ["rm -r cvault", "mv cvault/agent-* gone", "rm -r cvault; mkdir -m 700 cvault; touch cvault/$S"])
  func unreachable(_ script: String) throws {
    let bench = try Bench()
    bench.workspace.prepare(
      """
      export XDG_RUNTIME_DIR=$PWD CVAULT_DIR=$PWD/v
      '\(Binary.path)' agent run --passphrase-file right.txt & P=$!
      for i in $(seq 100); do S=$(ls cvault 2>/dev/null) || true; test -n "$S" && break; sleep 0.1; done
      \(script)
      (sleep 20; kill -9 $P) & K=$!
      wait $P; test $? -lt 128; kill $K
      """)
    #expect(FileTree.names(in: bench.folder).count == (script.contains("touch") ? 1 : 0))
  }

  @Test(
    "what is more than records asks for the key itself",
    arguments: [["verify"], ["checkpoint"], ["key", "remove", "none"], ["rekey"], ["repair"], ["accept", "Ada"]])
  func rootKey(words: [String]) throws {
    let bench = try Bench()
    try bench.unlock()
    let outcome = bench.workspace.run(
      words, adding: ["XDG_RUNTIME_DIR": bench.workspace.path, "CVAULT_DIR": bench.workspace.vault])
    #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("the agent holds the key, but this command needs the key itself"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("`vault unlock`"), "\(outcome.errors)")
  }

  @Test("only the records that were named are opened")
  func records() throws {
    let bench = try Bench()
    #expect(
      bench.run("add", "customer", "--set", "name=Bob", "--generate", "access_key", "--passphrase-file", "right.txt")
        .code == 0)
    try bench.unlock("--record", "Ada")
    #expect(bench.run("get", "Ada", "access_key").output == "tok-12345678")
    let other = bench.run("get", "Bob", "access_key")
    #expect(other.status == .cannotUnlock, "\(other.errors)")
    #expect(other.stdout.isEmpty, "\(other.errors)")
    #expect(other.errors.contains("other records"), "\(other.errors)")
    #expect(bench.run("add", "customer", "--set", "name=Eve", "--generate", "access_key").status == .cannotUnlock)
  }

  @Test("in another terminal's session it is as if there were none")
  func otherSession() throws {
    let bench = try Bench()
    // Each run of a test has a session of its own.
    try bench.unlock("--scope", "terminal")
    let outcome = bench.run("get", "Ada", "access_key", "-v")
    #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
    #expect(outcome.errors.contains("only for another terminal"), "\(outcome.errors)")
  }

  @Test("it locks when the header of the vault changes, and when the vault is gone")
  func header() throws {
    for change in ["slot", "gone"] {
      let bench = try Bench()
      try bench.unlock()
      if change == "slot" {
        let added = bench.run(
          "key", "add", "--generate-identity", "new.txt", "--passphrase-file", "right.txt")
        #expect(added.code == 0, "\(added.errors)")
        let outcome = bench.run("get", "Ada", "access_key")
        #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
      } else {
        unsafe #expect(rename(bench.workspace.vault, bench.workspace.path + "/elsewhere") == 0)
      }
      #expect(bench.isGone())
    }
  }

  @Test("it ends when nothing is asked for, and is as if it had never been when it is killed")
  func ends() throws {
    let bench = try Bench()
    try bench.unlock("--for", "1s")
    #expect(bench.isGone())
    #expect(FileTree.names(in: bench.folder).isEmpty)
    // Not even the sockets are left in the way of the next.
    try bench.unlock()
    #if os(Linux)
      // The process that says so is ours alone: its number comes from the agent's peer.
      let agent = try bench.agent()
      let words = unsafe open("/proc/\(agent)/cmdline", O_RDONLY)
      var text = [UInt8](repeating: 0, count: 4096)
      let size = unsafe read(words, &text, text.count)
      close(words)
      #expect(
        String(decoding: text.prefix(max(0, size)), as: UTF8.self) == "vault\0agent\0run\0--handed-over\0")
      try #require(kill(agent, SIGKILL) == 0)
      while !bench.hasEnded(agent) {}
      let outcome = bench.run("get", "Ada", "access_key", "-v")
      #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
      #expect(outcome.errors.contains("no agent listens"), "\(outcome.errors)")
      #expect(bench.run("agent", "status").output == "no vault is unlocked\n")
      try bench.unlock()
      #expect(bench.run("get", "Ada", "access_key").output == "tok-12345678")
    #endif
  }

  #if os(Linux)
    @Test(
      "an agent that does not answer is told, is waited for once, and is ended by whatever locks",
      arguments: [
        ["lock"], ["agent", "stop"], ["unlock", "--passphrase-file", "right.txt"],
      ])
    func silent(_ ending: [String]) throws {
      let bench = try Bench()
      try bench.unlock()
      let agent = try bench.agent()
      try #require(kill(agent, SIGSTOP) == 0)
      while bench.state(of: agent) != "T" {}
      let asked = bench.run("get", "Ada", "access_key")
      #expect(asked.status == .cannotUnlock, "\(asked.errors)")
      #expect(asked.errors.contains("the agent does not answer"), "\(asked.errors)")
      #expect(bench.run("get", "Ada", "access_key", "--passphrase-file", "right.txt").output == "tok-12345678")
      #expect(bench.run("agent", "status").output.contains("(process \(agent)) does not answer and holds the key"))
      let state = JSON(bench.run("agent", "status", "--json").stdout)["agents"]?[0]
      #expect(state?["answers"]?.bool == false)
      #expect(state?["pid"]?.number == Double(agent))
      let ended = bench.workspace.run(
        ending, adding: ["XDG_RUNTIME_DIR": bench.workspace.path, "CVAULT_DIR": bench.workspace.vault])
      #expect(ended.code == 0, "\(ended.errors)")
      if ending[0] != "unlock" {
        #expect(ended.errors.contains("the agent did not answer: its process \(agent) was killed"), "\(ended.errors)")
        #expect(FileTree.names(in: bench.folder).isEmpty)
      }
      // Nobody may have waited for it yet.
      #expect(bench.hasEnded(agent))
    }

    @Test(
      "a process that is confined more than the agent gets nothing from it, and can lock",
      arguments: [
        "setpriv --no-new-privs", "unshare -n", "unshare -rn",
      ])
    func confined(_ wrapper: String) throws {
      let bench = try Bench()
      try bench.unlock()
      func run(_ words: String) -> ProcessOutcome {
        bench.workspace.shell(
          "XDG_RUNTIME_DIR='\(bench.workspace.path)' CVAULT_DIR='\(bench.workspace.vault)' \(words)")
      }
      guard run("\(wrapper) true").code == 0 else {
        return Need.notRun("Unlocked once", "`\(wrapper)` does not work here")
      }
      let outcome = run("\(wrapper) '\(Binary.path)' get Ada access_key -v --no-input")
      #expect(outcome.status == .cannotUnlock, "\(outcome.errors)")
      #expect(outcome.stdout.isEmpty)
      #expect(outcome.errors.contains("confined"), "\(outcome.errors)")
      #expect(run("\(wrapper) '\(Binary.path)' agent status").output == "no vault is unlocked\n")
      #expect(bench.run("get", "Ada", "access_key").output == "tok-12345678")
      #expect(run("\(wrapper) '\(Binary.path)' lock").code == 0)
      #expect(bench.isGone())
    }
  #endif

  @Test("a folder or a socket that is open to others is refused, loudly")
  func foreign() throws {
    let bench = try Bench()
    try bench.unlock()
    unsafe #expect(chmod(bench.folder, 0o755) == 0)
    let outcome = bench.run("get", "Ada", "access_key")
    #expect(outcome.status == .unexpectedVault, "\(outcome.errors)")
    #expect(outcome.errors.contains("does not belong to this user alone"), "\(outcome.errors)")
    #expect(bench.run("get", "Ada", "name", "--passphrase-file", "right.txt").output == "Ada", "a key comes first")
    unsafe #expect(chmod(bench.folder, 0o700) == 0)
    unsafe #expect(chmod(bench.socket, 0o666) == 0)
    #expect(bench.run("get", "Ada", "access_key").status == .unexpectedVault)
    unsafe #expect(chmod(bench.socket, 0o600) == 0)
    #expect(bench.run("get", "Ada", "access_key").code == 0)
    if geteuid() == 0 {
      unsafe #expect(chown(bench.socket, 12_345, 12_345) == 0)
      #expect(bench.run("get", "Ada", "access_key").status == .unexpectedVault)
      unsafe #expect(chown(bench.socket, 0, 0) == 0)
    }
  }

  @Test("what is no request is answered by nothing of it, and disturbs nobody")
  func garbage() throws {
    let bench = try Bench()
    try bench.unlock()
    for bytes: [UInt8] in [
      [0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 0, 0, 0], Array("GET / HTTP/1.1\r\n\r\n".utf8),
      Self.frame("{\"cvault_agent\":1}") + [0],
    ] {
      let file = bench.connect()
      #expect(Self.ask(file, bytes).isEmpty)
      close(file)
    }
    for text in [
      "{\"cvault_agent\":2,\"request\":\"needle\"}", "{\"cvault_agent\":1,\"request\":\"needle\"}",
      "{\"cvault_agent\":1,\"request\":\"open\",\"vault\":\"needle\"}", "{\"cvault_agent\":1,,,,,,,,,,,,,,}",
    ] {
      let file = bench.connect()
      let answer = String(decoding: Self.ask(file, Self.frame(text)).dropFirst(4), as: UTF8.self)
      #expect(answer.hasPrefix("{\"cvault_agent\":1,\"error\":\""), "\(answer)")
      #expect(!answer.contains("needle"), "\(answer)")
      close(file)
    }
    #expect(bench.run("get", "Ada", "access_key").output == "tok-12345678")
  }

  @Test("forty who are connected, and one who sends slowly, keep nobody out")
  func crowd() throws {
    let bench = try Bench()
    try bench.unlock()
    let slow = bench.connect()
    unsafe #expect(write(slow, [0, 0], 2) == 2)
    let files = (0..<40).map { _ in bench.connect() }
    #expect(files.allSatisfy { $0 >= 0 })
    #expect(bench.run("get", "Ada", "access_key").output == "tok-12345678")
    var byte: UInt8 = 0
    unsafe #expect(read(slow, &byte, 1) == 0, "the slow one was let go")
    for file in files + [slow] { close(file) }
  }
}

extension AgentTests.Bench {
  /// Whether the agent ends within a few seconds.
  func isGone() -> Bool {
    for _ in 0..<100 {
      if FileTree.names(in: folder).isEmpty { return true }
      usleep(100_000)
    }
    return false
  }
}

private func rawSocket() -> Int32 {
  #if canImport(Glibc)
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  #else
    socket(AF_UNIX, SOCK_STREAM, 0)
  #endif
}

private func rawConnect(_ file: Int32, _ address: UnsafePointer<sockaddr>, _ count: socklen_t) -> Int32 {
  unsafe connect(file, address, count)
}
