import Testing
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultSealing
import VaultTestSupport

@Suite("Programs that are given secrets")
struct ProgramTests {
  private let folder = TemporaryFolder()
  private let value = "p \"4711\"\n'x' $HOME"

  private func environment(_ variables: (String, String)...) throws -> ProgramEnvironment {
    var environment = ProgramEnvironment(inheriting: ProgramEnvironment.isNeeded)
    for (name, value) in variables { try environment.set(name, to: secret(value)) }
    return environment
  }

  private func secret(_ text: String) throws -> SecretBytes {
    try SecretBytes(copying: RawSpan(_elements: Array(text.utf8).span))
  }

  private var output: String? {
    FileTree.contents(of: folder.path + "/out").map { String(decoding: $0, as: UTF8.self) }
  }

  private func shell(_ script: String) -> Program { Program("sh", ["-c", script]) }

  @Test("a variable holds the value, byte for byte, and stands there once")
  func variable() async throws {
    let environment = try environment(("TOKEN", "first"), ("TOKEN", value), ("FILE", folder.path + "/out"))
    let end = try await shell(#"printf %s "$TOKEN" > "$FILE"; test "$(env | grep -c ^TOKEN=)" = 1"#).run(
      in: environment)
    #expect(end == .exited(0))
    #expect(output == value)
  }

  @Test("only what is asked for is passed on")
  func inheriting() async throws {
    let all = try await shell(#"test -n "$PATH" && test -n "$(env | grep -v -e ^PATH= -e ^PWD= -e ^SHLVL= -e ^_=)""#)
      .run(in: ProgramEnvironment())
    let path = try await shell(#"test -n "$PATH" && test -z "$(env | grep -v -e ^PATH= -e ^PWD= -e ^SHLVL= -e ^_=)""#)
      .run(in: ProgramEnvironment { $0 == "PATH" })
    #expect(all == .exited(0))
    #expect(path == .exited(0))
  }

  #if os(Linux)
    @Test("standard input holds the value, and nobody can write to it")
    func input() async throws {
      let environment = try environment(("FILE", folder.path + "/out"))
      let end = try await shell(#"cat > "$FILE"; ! echo x 2> /dev/null >> /proc/self/fd/0"#)
        .run(in: environment, input: secret(value))
      #expect(end == .exited(0))
      #expect(output == value)
    }
  #endif

  @Test("no other open file of this process is passed on")
  func descriptors() async throws {
    let end = try await shell(#"test "$(ls /proc/self/fd | wc -l)" -le 4"#).run(in: ProgramEnvironment())
    #expect(end == .exited(0))
  }

  @Test("its end is told as it was", arguments: [("exit 7", Program.End.exited(7)), ("kill -9 $$", .signalled(9))])
  func end(_ script: String, _ end: Program.End) async throws {
    #expect(try await shell(script).run(in: ProgramEnvironment()) == end)
  }

  @Test("one that is cancelled is asked to end, and waited for")
  func cancelled() async throws {
    let environment = try environment(("FILE", folder.path + "/out"))
    let task = Task {
      try await shell(#"trap 'echo asked > "$FILE"; exit 3' TERM; echo > "$FILE"; while :; do sleep 0.01; done"#)
        .run(in: environment)
    }
    while output?.isEmpty ?? true { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    #expect(try await task.value == .exited(3))
    #expect(output == "asked\n")
  }

  @Test(
    "what cannot be started is an error that names it",
    arguments: [("no-such-program-here", "does not exist"), ("/", "the system denies access")])
  func failure(_ name: String, _ reason: String) async throws {
    let failure = await #expect(throws: Program.Failure.self) { try await Program(name).run(in: ProgramEnvironment()) }
    #expect(failure?.program == name)
    #expect(failure?.reason == reason)
  }

  @Test(
    "what no variable can hold is refused, and never said",
    arguments: [("A-B", "x"), ("", "x"), ("NAME", "geheim\0"), ("NAME", String(repeating: "geheim", count: 30_000))])
  func refused(_ name: String, _ value: String) throws {
    let fault = #expect(throws: EnvironmentFault.self) { try environment((name, value)) }
    #expect(fault?.name == name)
    #expect(fault?.description.contains("geheim") == false)
  }
}
