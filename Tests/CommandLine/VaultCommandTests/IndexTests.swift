import Testing
import VaultDocument
import VaultTestSupport

@Suite("The index of readable fields")
struct IndexTests {
  /// A vault of so many records that an index is made.
  private static func bench() throws -> IndexBench { try IndexBench() }

  @Test("lists, searches and look-ups by name say the same with it and with --no-index")
  func equality() throws {
    let bench = try Self.bench()
    let commands = [
      ["list"], ["list", "--sort", "created", "--limit", "7"], ["list", "--kind", "login", "--json"],
      ["list", "--limit", "3", "--sort", "updated"], ["find", "paris"], ["find", "PERSON 01", "2"], ["find", "東京"],
      ["find", "nobody"], ["find", "--where", "address.city=Paris"], ["find", "", "--kind", "customer"],
      ["show", "person 042"], ["show", "Person 999"], ["show", "person 007", "--json"],
    ]
    for arguments in commands {
      let found = bench.run(arguments), expected = bench.run(arguments + ["--no-index"])
      #expect(found.code == expected.code, "\(arguments): \(found.errors)")
      #expect(found.output == expected.output, "\(arguments): \(found.errors)")
      #expect(found.errors == expected.errors, "\(arguments)")
    }
    #expect(FileTree.names(in: bench.cache).count == 1)
  }

  @Test("a damaged record is the same error with a warm index")
  func faults() throws {
    let bench = try Self.bench()
    #expect(bench.run(["list"]).code == 0)
    FileTree.write(Array("{ damaged".utf8), to: bench.workspace.vault + "/" + bench.files[3])
    for arguments in [
      ["list"], ["list", "--limit", "2"], ["find", "paris"], ["find", "damaged"], ["show", "nobody"],
    ] {
      for _ in 0..<2 {
        let found = bench.run(arguments), expected = bench.run(arguments + ["--no-index"])
        #expect(found.code == expected.code, "\(arguments)")
        #expect(found.output == expected.output, "\(arguments)")
        #expect(found.errors == expected.errors, "\(arguments)")
      }
    }
    #expect(bench.run(["list"]).status == .damaged)
  }

  @Test("changes by other commands are seen at once")
  func changes() throws {
    let bench = try Self.bench()
    #expect(bench.run(["find", "Atlantis"]).output == "")
    for number in 0..<5 {
      let added = bench.workspace.open(
        "add", "customer", "--set", "name=Diver \(number)", "--set", "address.city=Atlantis", "--generate", "access_key"
      )
      #expect(added.code == 0, "\(added.errors)")
      #expect(bench.run(["find", "atlantis"]).output.split(separator: "\n").count == number + 1)
      #expect(bench.workspace.open("get", "diver \(number)", "address.city").output == "Atlantis")
    }
    #expect(bench.workspace.open("set", "Diver 0", "name=Walker").code == 0)
    #expect(bench.run(["show", "Diver 0"]).status == .notFound)
    #expect(bench.run(["show", "walker"]).code == 0)
    #expect(bench.workspace.open("rm", "walker", "-y").code == 0)
    #expect(bench.run(["show", "walker"]).status == .notFound)
    #expect(bench.workspace.open("set", "Diver 1", "name=diver 2").code == 0)
    #expect(bench.run(["show", "Diver 2"]).status == .notFound, "two records of one name")
  }

  @Test("a file edited in place is noticed where it is shown, whatever its time is set to; else by --no-index")
  func editsInPlace() throws {
    let bench = try Self.bench()
    #expect(bench.run(["find", "person 012"]).code == 0)
    let file = try bench.workspace.recordFile("Person 012")
    let edited = bench.shell(
      "sed 's/Person 012/Person XII/' v/\(file) >new; touch -r v/\(file) time; cat new >v/\(file); touch -r time v/\(file)"
    )
    #expect(edited.code == 0, "\(edited.errors)")
    #expect(bench.run(["find", "person xii"]).output == "", "not shown, so not looked at")
    #expect(bench.run(["find", "person xii", "--no-index"]).output.contains("Person XII"))
    #expect(bench.run(["find", "person 012"]).output == "", "it would have been shown")
    #expect(bench.run(["find", "person xii"]).output.contains("Person XII"), "and is known from then on")
  }

  @Test("a file that is slipped into a folder is seen, though the folder's time was set back")
  func slippedIn() throws {
    let bench = try Self.bench()
    let file = try bench.workspace.recordFile("Person 012")
    for _ in 0..<2 { #expect(bench.run(["find", "Person 012"]).code == 0) }
    let changed = bench.shell(
      """
      touch -r v/records time; touch -r $(dirname v/\(file)) inner
      sed 's/Person 012/Person XII/' v/\(file) >new; touch -r v/\(file) new; mv new v/\(file)
      touch -r inner $(dirname v/\(file)); touch -r time v/records
      """)
    #expect(changed.code == 0, "\(changed.errors)")
    #expect(bench.run(["find", "person xii"]).output.contains("Person XII"), "\(changed.errors)")
  }

  @Test("a kind that the vault declares later names records that did not change")
  func laterKind() throws {
    let bench = try Self.bench()
    let file = try bench.workspace.recordFile("Login 3")
    let made = bench.shell(
      #"""
      sed 's/"kind" : "login"/"kind" : "wifi"/; s/"title" :/"ssid" :/' v/\#(file) >new && mv new v/\#(file)
      echo '{"type":"object","x-title":"ssid","properties":{"ssid":{"type":"string"}}}' >wifi.json
      """#)
    #expect(made.code == 0, "\(made.errors)")
    #expect(bench.run(["show", "login 3"]).status == .notFound, "\(made.errors)")
    #expect(bench.workspace.open("kinds", "add", "wifi.json").code == 0)
    #expect(bench.run(["list", "--kind", "wifi"]).output.contains("Login 3"))
    #expect(bench.run(["show", "login 3"]).code == 0)
  }

  @Test("--no-index and CVAULT_NO_INDEX leave nothing behind, nor does a small vault")
  func off() throws {
    let bench = try Self.bench()
    _ = bench.run(["list", "--no-index"])
    _ = bench.workspace.run(["list", "--vault", "v"], adding: ["CVAULT_NO_INDEX": "1"])
    #expect(FileTree.names(in: bench.cache).isEmpty)
    let small = try Workspace.withCustomers()
    #expect(small.run("list", "--vault", "v").code == 0)
    #expect(FileTree.names(in: small.home + "/.cache").isEmpty)
  }

  @Test(
    "it lies in XDG_CACHE_HOME for its owner alone, and holds no secret, no token and no clear text of a sealed field")
  func secrecy() throws {
    let bench = try Self.bench()
    let file = try bench.workspace.recordFile("Person 020")
    let clear = bench.shell(
      "sed -i 's/\"access_key\" : \"[^\"]*\"/\"access_key\" : \"clear-by-mistake\"/' v/\(file)")
    #expect(clear.code == 0)
    #expect(bench.run(["find", "clear-by-mistake"]).output.contains("Person 020"))
    let cache = bench.workspace.path + "/elsewhere"
    _ = bench.workspace.run(["list", "--vault", "v"], adding: ["XDG_CACHE_HOME": cache])
    for folder in [bench.cache, cache + "/cvault"] {
      let index = folder + "/" + (try #require(FileTree.names(in: folder).first))
      #expect(FileTree.mode(of: folder) == 0o700)
      #expect(FileTree.mode(of: index) == 0o700)
      let files = FileTree.names(in: index).map { index + "/" + $0 }
      #expect(files.count == 256)
      #expect(files.allSatisfy { FileTree.mode(of: $0) == 0o600 })
      let bytes = files.flatMap { FileTree.contents(of: $0) ?? [] }
      #expect(bytes.holds(Array("person 020".utf8)) || bytes.holds(Array("person 021".utf8)), "it is an index")
      for secret in ["es1:", "clear-by-mistake", "secret-of-", "k1:"] {
        #expect(!bytes.holds(Array(secret.utf8)), "\(secret)")
      }
    }
  }

  /// A file of an index in one of four ways that are wrong.
  private static func damaged(_ good: [UInt8], _ number: Int) -> [UInt8] {
    switch number % 4 {
    case 0: Array("no index".utf8)
    case 1: [UInt8](repeating: 0x5A, count: good.count)
    case 2: Array(good.prefix(good.count - 1))
    default: Array(good.prefix(number / 4 * good.count / 64))
    }
  }

  @Test("a damaged, foreign or missing index, and a place that cannot be used, change no answer")
  func damage() throws {
    let bench = try Self.bench()
    let expected = bench.run(["find", "paris", "--no-index"])
    func check(_ what: String, note: String? = nil) {
      let found = bench.run(["find", "paris", "-v"])
      #expect(found.code == 0, "\(what): \(found.errors)")
      #expect(found.output == expected.output, "\(what): \(found.errors)")
      if let note { #expect(found.errors.contains(note), "\(what): \(found.errors)") }
      #expect(bench.run(["find", "paris"]).errors == expected.errors, "\(what): said without -v")
    }
    check("cold")
    let index = bench.cache + "/" + (try #require(FileTree.names(in: bench.cache).first))
    for (number, name) in FileTree.names(in: index).enumerated() {
      let good = FileTree.contents(of: index + "/" + name) ?? []
      FileTree.write(Self.damaged(good, number), to: index + "/" + name)
      if number % 16 == 15 { check("files up to \(name)") }
    }
    for name in FileTree.names(in: index) {
      FileTree.remove(index + "/" + name)
      FileTree.link(index + "/" + name, to: bench.workspace.vault + "/vault.json")
    }
    check("links")
    FileTree.remove(index)
    FileTree.link(index, to: bench.workspace.vault + "/records")
    check("a link in place of the index", note: "is not a folder")
    FileTree.setMode(0o755, of: bench.cache)
    check("a folder that is open to others", note: "other users can enter")
    FileTree.remove(bench.cache)
    FileTree.write([], to: bench.cache)
    check("a file in place of the folder", note: "is not a folder")
    let nowhere = bench.workspace.run(["find", "paris", "--vault", "v"], adding: ["XDG_CACHE_HOME": "/proc/nowhere"])
    #expect(nowhere.code == 0, "\(nowhere.errors)")
    #expect(nowhere.output == expected.output, "\(nowhere.errors)")
  }

  @Test("a full disk, and one that may only be read, change no answer")
  func mounts() throws {
    for options in ["size=64k", "size=4m,ro"] {
      let bench = try Self.bench()
      let expected = bench.run(["list", "--no-index"])
      guard bench.shell("mkdir m && mount -t tmpfs -o \(options) tmpfs m").code == 0 else {
        Need.notRun("the index on tmpfs \(options)", Need.noMounts)
        continue
      }
      defer { _ = bench.shell("umount m || umount -l m") }
      for _ in 0..<2 {
        let found = bench.workspace.run(
          ["list", "-v", "--vault", "v"], adding: ["XDG_CACHE_HOME": bench.workspace.path + "/m"])
        #expect(found.code == 0, "\(options): \(found.errors)")
        #expect(found.output == expected.output, "\(options): \(found.errors)")
        #expect(found.errors.contains("read without the index"), "\(options): \(found.errors)")
      }
    }
  }

  @Test("eight processes that write and look up at once all get what is there")
  func processes() throws {
    let bench = try Self.bench()
    let outcome = bench.shell(
      """
      for p in 1 2 3 4 5 6 7 8; do
        ( for i in $(seq 6); do
            $V add customer --set name=W$p-$i --generate access_key $K -q --lock-timeout 60 >/dev/null || echo add $?
            test "$($V get w$p-$i name $K -q)" = W$p-$i || echo get $p-$i
            test "$($V find w$p- --vault v -q | wc -l)" = $i || echo find $p-$i
          done ) &
      done; wait
      """, timeout: 300)
    #expect(outcome.output == "", "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors == "", "\(outcome.output)\(outcome.errors)")
    #expect(bench.run(["list"]).output == bench.run(["list", "--no-index"]).output)
  }

  @Test("status and doctor say where it is, or why it is not used")
  func reports() throws {
    let bench = try Self.bench()
    #expect(bench.run(["status"]).output.contains("none yet: it will be made at \(bench.cache)/"))
    #expect(bench.run(["status", "--no-index"]).output.contains("not used: --no-index"))
    _ = bench.run(["list"])
    let status = JSON(bench.run(["status", "--json"]).stdout)
    #expect(status["index"]?["path"]?.text?.hasPrefix(bench.cache + "/") == true)
    #expect(bench.run(["doctor"]).output.contains("ok    index: \(bench.cache)/"))
    FileTree.setMode(0o755, of: bench.cache)
    #expect(bench.run(["doctor"]).output.contains("warn  index: the index is not used"))
  }
}

/// A vault of 300 people and places.
private struct IndexBench {
  let workspace: Workspace
  let files: [String]
  var cache: String { workspace.home + "/.cache/cvault" }

  init() throws {
    workspace = try Workspace.withVault()
    let cities = ["Paris", "東京", "Albuquerque", "Zo\u{65}\u{308}ville"]
    let people = (0..<290).map { number in
      let digits = String(1000 + number).dropFirst()
      return
        #"{"name":"Person \#(digits)","access_key":"secret-of-\#(digits)","added_on":"2026-01-02T03:04:05Z","address":{"city":"\#(cities[number % 4])"}}"#
    }
    let file = workspace.write(people.joined(separator: "\n"), to: "people.jsonl")
    let imported = workspace.open("import", "jsonl", file, "--kind", "customer", "-q")
    try #require(imported.code == 0, "\(imported.errors)")
    let logins = (0..<10).map { #"{"title":"Login \#($0)","username":"paris","password":"secret-of-login"}"# }
    let more = workspace.write(logins.joined(separator: "\n"), to: "logins.jsonl")
    try #require(workspace.open("import", "jsonl", more, "--kind", "login", "-q").code == 0)
    files = FileTree.files(below: workspace.vault).filter { $0.hasPrefix("records/") }
    try #require(files.count == 300)
  }

  /// A shell script in the workspace; `$V` is the program, `$K` the options for vault and key.
  func shell(_ script: String, timeout: Int = 60) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path)
    plan.environment.merge(["V": Binary.path, "K": "--vault v --identity id.txt"]) { $1 }
    plan.timeoutSeconds = timeout
    return plan.run()
  }

  /// Without a key.
  func run(_ arguments: [String]) -> ProcessOutcome { workspace.run(arguments + ["--vault", "v"]) }
}
