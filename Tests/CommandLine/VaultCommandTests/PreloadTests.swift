import Testing
import VaultTestSupport

extension Need {
  fileprivate static let compiler = Need(
    ProcessRun(path: "/bin/sh", arguments: ["-c", "command -v cc >/dev/null"]).run().code == 0,
    otherwise: "there is no C compiler")
}

@Suite("Preloaded libraries")
struct PreloadTests {
  /// The variables with which a program starts that has this code in a preloaded library.
  private func variables(_ workspace: Workspace, _ code: String) -> [String: String] {
    _ = workspace.write(code, to: "preload.c")
    workspace.prepare("cc -shared -fPIC -o preload.so preload.c")
    return ["LD_PRELOAD": workspace.path + "/preload.so"]
  }

  private static let setsVariable = """
    #include <stdlib.h>
    __attribute__((constructor)) static void f(void) { setenv("X1", "1", 1); setenv("X2", "2", 1); }
    """

  @Test("a library that sets a variable loses no argument")
  func arguments() throws {
    guard Need.compiler.isMet(forCases: 1, of: "PreloadTests") else { return }
    let workspace = try Workspace.withVault()
    let preload = variables(workspace, Self.setsVariable)
    let verified = workspace.open("verify", adding: preload)
    #expect(verified.code == 0)
    #expect(verified.output.contains("all verified"), "\(verified.output)")
    #expect(workspace.run("nonsense", "--bad", adding: preload).status == .usage)
    let ran = workspace.run(
      "run", "--vault", "v", "--identity", "id.txt", "--", "printf", "%s|", "a b", "", "ü", adding: preload)
    #expect(ran.output == "a b||ü|", "\(ran.errors)")
  }

  @Test("without a word and without a terminal the help is on stderr, and the code is 64")
  func noWord() throws {
    let outcome = try Workspace().run([])
    #expect(outcome.status == .usage)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("vault init my-vault"), "\(outcome.errors)")
    #expect(try Workspace().run("--help").code == 0)
  }

  @Test(
    "a file system without locks is named, and nothing is written",
    arguments: ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL"])
  func noLocks(name: String) throws {
    guard Need.compiler.isMet(forCases: 4, of: "PreloadTests") else { return }
    let workspace = try Workspace.withVault()
    let preload = variables(
      workspace, "#include <errno.h>\nint flock(int f, int o) { (void)f; (void)o; errno = \(name); return -1; }\n")
    let before = workspace.snapshot()
    let written = workspace.open("add", "login", "A", adding: preload)
    #expect(written.status == .inputOutput, "\(written.errors)")
    #expect(written.errors.contains("the file system does not support locks"), "\(written.errors)")
    #expect(written.errors.contains("git"))
    #expect(workspace.snapshot() == before)
    let doctor = workspace.open("doctor", adding: preload)
    #expect(doctor.status == .findings)
    #expect(doctor.output.contains("locks: "), "\(doctor.output)")
  }
}
