internal import VaultAge
internal import VaultCrypto
internal import VaultTestSupport

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The program behind `Scripts/crash` and `Scripts/soak`. It starts itself again as the processes that are killed.
///
/// `VaultHarness crash|soak|writer|reader|keeper --name value …`; the scripts say what the names are.
@main
enum Harness {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst(2))
      switch CommandLine.arguments.dropFirst().first {
      case "crash": try await finish(CrashRun(options).run())
      case "soak": try await finish(SoakRun.run(options))
      case "writer": try await Writer.run(options)
      case "reader": try await Reader.run(options)
      case "keeper": try await Keeper.run(options)
      default: throw HarnessError("give crash, soak, writer, reader or keeper")
      }
    } catch {
      note("\(error)")
      exit(2)
    }
  }

  /// Prints the last line and ends, with 1 when anything was found.
  private static func finish(_ tally: Tally) -> Never {
    tally.explain()
    print(tally.line)
    exit(tally.faults.isEmpty ? 0 : 1)
  }
}

/// `--name value` pairs.
struct Options: Sendable {
  private var values: [String: String] = [:]

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else { throw HarnessError("\(name): give it a value") }
      values[String(name.dropFirst(2))] = value
    }
  }

  func text(_ name: String) throws -> String {
    guard let value = values[name] else { throw HarnessError("--\(name) is missing") }
    return value
  }

  func number(_ name: String, _ usual: Int) -> Int { values[name].flatMap { Int($0) } ?? usual }

  func defect() throws -> MutantOperations.Defect? {
    guard let name = values["mutant"] else { return nil }
    guard let defect = MutantOperations.Defect(rawValue: name) else { throw HarnessError("no mutant \(name)") }
    return defect
  }

  /// The identity in the file of that option.
  func identity() throws -> AgeIdentity {
    guard let bytes = FileTree.contents(of: try text("identity")),
      let identity = try unsafe AgeIdentityFile.parse(bytes.span.bytes).first
    else { throw HarnessError("no identity") }
    return identity
  }
}

/// Progress and findings go to stderr: stdout is the answer.
func note(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  // Safe: the array lives for the length of the call.
  unsafe bytes.withUnsafeBytes { unsafe _ = write(2, $0.baseAddress, $0.count) }
}

/// A folder of one run, with the identity that opens its vaults.
struct Workshop: Sendable {
  let path: String
  let identity: AgeIdentity
  private let folder: TemporaryFolder

  init() throws {
    folder = TemporaryFolder()
    path = folder.path
    identity = try AgeIdentity.generate()
    let text = try AgeIdentityFile.text(identity, created: "2026-11-21T01:40:28Z")
    let bytes = text.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    FileTree.write(bytes, to: identityPath)
    for name in ["tmp", "vaults"] { try makeFolder(name) }
  }

  var identityPath: String { path + "/identity.txt" }
  var temporary: String { path + "/tmp" }
  func vault(_ name: String) -> String { path + "/vaults/" + name }
  func log(_ name: String) -> String { path + "/" + name + ".log" }
  func output(_ name: String) -> String { path + "/" + name + ".out" }

  func makeFolder(_ name: String) throws {
    guard unsafe mkdir(path + "/" + name, 0o700) == 0 else { throw HarnessError("cannot make a folder") }
  }

  /// Starts a process of this program that works on a vault.
  func start(_ role: String, on vault: String, as name: String, _ more: [String] = []) throws -> Child {
    let arguments = ["--vault", vault, "--identity", identityPath, "--owner", name, "--log", log(name)]
    return try Child.start([role] + arguments + more, output: output(name), temporary: temporary)
  }

  /// Clear text that processes printed, and files that they left in the temporary folder.
  func leaks() -> [Fault] {
    let left = FileTree.files(below: temporary).map { Fault(.leaked, "\($0) was left in the temporary folder") }
    let printed = FileTree.names(in: path).filter { $0.hasSuffix(".out") || $0.hasSuffix(".log") }
    return left + printed.flatMap { Scene.clearText(in: path + "/" + $0) }
  }
}
