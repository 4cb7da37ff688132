import Testing
import VaultDocument
import VaultTestSupport

/// What a command opens, as strace tells.
@Suite("What a command opens")
struct StartupTests {
  /// The files that a run opens and that are there, in their order, without folders and the system's own.
  private static func opened(_ workspace: Workspace, _ arguments: [String]) throws -> [String] {
    let trace = workspace.path + "/trace"
    var plan = workspace.plan(["-f", "-qq", "-o", trace, "-e", "trace=open,openat", Binary.path] + arguments)
    plan.path = strace
    let outcome = plan.run()
    try #require(outcome.code == 0, "\(outcome.errors)")
    let calls = (FileTree.contents(of: trace) ?? []).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    return calls.compactMap { call in
      let parts = call.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count == 3, !call.contains("O_DIRECTORY"), !call.contains(" = -1 ") else { return nil }
      return parts[1].isEmpty ? nil : String(parts[1])
    }
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
    // What was written within a tick of being read is read again.
    for _ in 0..<3 { #expect(workspace.run(arguments).code == 0) }
    let opened = try Self.opened(workspace, arguments).filter {
      !Self.ofSystem($0) && !$0.hasPrefix(workspace.path + "/state")
    }
    let files = (UInt8.min...UInt8.max).map { Hex.encode([$0]) }
    #expect(opened.first == "vault.json" && Set(opened.dropFirst()) == Set(files), "\(opened)")
  }
}
