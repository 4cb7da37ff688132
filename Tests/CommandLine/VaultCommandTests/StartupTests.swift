import Testing
import VaultDocument
import VaultTestSupport

/// The files that a command opens, as strace shows.
@Suite("What a command opens")
struct StartupTests {
  /// The calls of the system that a run makes, in their order, of those that are named and succeed.
  private static func calls(_ names: String, of workspace: Workspace, _ arguments: [String]) throws -> [String] {
    let trace = workspace.path + "/trace"
    var plan = workspace.plan(["-f", "-qq", "-o", trace, "-e", "trace=" + names, Binary.path] + arguments)
    plan.path = strace
    let outcome = plan.run()
    try #require(outcome.code == 0, "\(outcome.errors)")
    return (FileTree.contents(of: trace) ?? []).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }.filter { !$0.contains(" = -1 ") }
  }

  /// The file that a call opens; nil for folders and other calls.
  private static func opened(by call: String) -> String? {
    let parts = call.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, call.contains(" open"), !call.contains("O_DIRECTORY"), !parts[1].isEmpty else { return nil }
    return String(parts[1])
  }

  /// The files that a run opens and that are there, in their order, without folders and the system's own.
  private static func opened(_ workspace: Workspace, _ arguments: [String]) throws -> [String] {
    try calls("open,openat", of: workspace, arguments).compactMap(opened(by:))
  }

  private static let strace = "/usr/bin/strace"
  private static let isTraceable = Need.command("strace")

  private static func ofSystem(_ path: String) -> Bool {
    ["/lib", "/usr/lib", "/proc/", "/sys/devices/system/cpu/", "/etc/ld.so.cache"].contains { path.hasPrefix($0) }
      || path.contains("/lib") && path.contains(".so")
  }

  @Test(
    "get with an identity file opens header, slot, record and what this machine remembers once each; no index, no settings",
    .enabled(if: isTraceable.isMet(forCases: 1, of: "files that a command opens")))
  func get() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let id = String(file.dropFirst(11).prefix(36))
    let arguments = ["get", id, "access_key", "--vault", "v", "--identity", "id.txt"]
    #expect(workspace.run(arguments).code == 0)
    let opened = try Self.opened(workspace, arguments)
    let state = workspace.path + "/state/"
    let ofVault = opened.filter { !Self.ofSystem($0) && !$0.hasPrefix(state) }
    let slot = try #require(FileTree.names(in: workspace.vault + "/slots").first)
    #expect(ofVault == ["vault.json", "id.txt", slot, id + ".json"], "\(opened)")
    let remembered = opened.filter { $0.hasPrefix(state) }
    #expect(Set(remembered).count == remembered.count, "\(opened)")
    let kinds = Set(remembered.map { $0.dropFirst(state.count).prefix { $0 != "/" } })
    #expect(kinds == ["paths", "pins", "seen"], "\(opened)")
    #expect(!opened.contains { $0.hasSuffix(".cnf") || $0.contains("sqlite") || $0.contains("libicu") }, "\(opened)")
  }

  @Test(
    "a get starts one thread, which waits for signals",
    .enabled(if: isTraceable.isMet(forCases: 1, of: "threads that a command starts")))
  func threads() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let get = ["get", String(file.dropFirst(11).prefix(36)), "access_key", "--vault", "v", "--identity", "id.txt"]
    for arguments in [["--version"], get] {
      let calls = try Self.calls("clone,clone3", of: workspace, arguments).filter { $0.contains(" clone") }
      #expect(calls.count == 1, "\(calls)")
    }
  }

  @Test(
    "add opens what get does, the lock, and the header once more under it; it writes one record and notes it",
    .enabled(if: isTraceable.isMet(forCases: 1, of: "files that a command opens")))
  func add() throws {
    let workspace = try Workspace.withCustomers()
    let arguments = [
      "add", "login", "--set", "title=New", "--generate", "password", "--vault", "v", "--identity", "id.txt",
    ]
    let before = workspace.snapshot()
    let calls = try Self.calls(
      "open,openat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync", of: workspace, arguments)
    let state = workspace.path + "/state/"
    let opened = calls.compactMap(Self.opened(by:)).filter { !Self.ofSystem($0) }
    let slot = try #require(FileTree.names(in: workspace.vault + "/slots").first)
    let added = try #require(Set(workspace.snapshot().keys).subtracting(before.keys).first { $0.hasPrefix("records/") })
    let (folder, name) = (added.dropFirst(8).prefix(2), added.dropFirst(11))
    let ofVault = opened.filter { !$0.hasPrefix(state) }
    // The last two are the staged record, under a name of its own, and the note that this machine has seen it.
    #expect(ofVault.dropLast(2) == ["vault.json", "id.txt", slot, ".lock", "vault.json"], "\(opened)")
    #expect(ofVault.last == folder + ".log", "\(opened)")
    let staged = ofVault.dropLast().last ?? ""
    let remembered = opened.filter { $0.hasPrefix(state) }.map { $0.dropFirst(state.count) }
    #expect(Set(remembered).count == remembered.count, "\(opened)")
    #expect(
      Set(remembered.map { $0.prefix { $0 != "/" } }).isSubset(of: ["paths", "pins", ".lock", "seen"]), "\(opened)")
    let moved = calls.filter { !$0.contains(" open") && $0.contains("\"") }
    #expect(moved.count == 1, "\(moved)")
    #expect(moved.allSatisfy { $0.contains(" rename") && $0.contains(staged) && $0.contains(name) }, "\(moved)")
    // The record, its folder, and the folder of folders where that is new.
    let isNew = !before.keys.contains { $0.hasPrefix("records/\(folder)/") }
    #expect(calls.count { $0.contains("sync(") } == (isNew ? 3 : 2), "\(calls)")
    let kept = workspace.snapshot().filter { $0.key != added }
    #expect(kept == before)
  }

  @Test(
    "list opens the header and the files of its index, and no record",
    .enabled(if: isTraceable.isMet(forCases: 1, of: "files that a command opens")))
  func list() throws {
    let workspace = try Workspace.withVault()
    let people = (0..<260).map { #"{"name":"Person \#($0)","access_key":"x","added_on":"2026-01-02T03:04:05Z"}"# }
      .joined(separator: "\n")
    let imported = workspace.open(
      "import", "jsonl", workspace.write(people, to: "people.jsonl"), "--kind", "customer", "-q")
    #expect(imported.code == 0, "\(imported.errors)")
    let arguments = ["list", "--limit", "5", "--vault", "v"]
    // A file that was written within a tick of being read is read again.
    for _ in 0..<3 { #expect(workspace.run(arguments).code == 0) }
    let opened = try Self.opened(workspace, arguments).filter {
      !Self.ofSystem($0) && !$0.hasPrefix(workspace.path + "/state")
    }
    let files = (UInt8.min...UInt8.max).map { Hex.encode([$0]) }
    #expect(opened.first == "vault.json", "\(opened)")
    #expect(Set(opened.dropFirst()) == Set(files), "\(opened)")
  }
}
