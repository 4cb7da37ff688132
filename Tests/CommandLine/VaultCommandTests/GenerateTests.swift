import Testing
import VaultTestSupport

@Suite("Passwords by a site's rules, and words of a list")
struct GenerateTests {
  private static let lower = Set("abcdefghijklmnopqrstuvwxyz")
  private static let upper = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  private static let digit = Set("0123456789")
  private static let special = Set("-~!@#$%^&*_+=`|(){}[:;\"'<>,.?]")
  private static let printable = Set((0x21...0x7E).map { Character(Unicode.Scalar($0)) })

  /// Several passwords made by rules.
  private func made(_ rules: String, _ more: [String] = [], times: Int = 5) throws -> [String] {
    let workspace = try Workspace()
    return try (0..<times).map { _ in
      let outcome = workspace.run(["generate", "--rules", rules] + more)
      try #require(outcome.code == 0, "\(rules): \(outcome.errors)")
      #expect(outcome.errors.hasSuffix(" bits\n"))
      return String(outcome.output.dropLast())
    }
  }

  @Test(
    "minlength and maxlength: 24 characters where they allow it, else what is next to that",
    arguments: [
      ("minlength: 12; maxlength: 20", 20), ("minlength: 30", 30), ("maxlength: 64", 24),
      ("minlength:8;maxlength:8", 8),
      ("maxlength: 4", 4), ("minlength: 10; minlength: 26", 26), ("maxlength: 9; maxlength: 11;", 9),
      ("MinLength: 25 ; ; allowed : digit", 25),
    ])
  func lengths(_ rules: String, _ length: Int) throws {
    for password in try made(rules, times: 2) { #expect(password.count == length, "\(rules)") }
  }

  @Test("--length is taken where the rules allow it, below 8 too")
  func lengthOption() throws {
    #expect(try made("minlength: 4; maxlength: 12", ["--length", "5"], times: 1)[0].count == 5)
    let refused = try Workspace().run("generate", "--rules", "minlength: 4; maxlength: 12", "--length", "13")
    #expect(refused.status == .usage)
    #expect(refused.errors.contains("--length must be between 4 and 12 to fit --rules"))
  }

  @Test("classes: each draws from its characters, and from no others")
  func classes() throws {
    let cases: [(String, Set<Character>)] = [
      ("lower", Self.lower), ("upper", Self.upper), ("digit", Self.digit), ("special", Self.special),
      ("ascii-printable", Self.printable), ("unicode", Self.printable), ("[abc]", ["a", "b", "c"]),
      ("lower, [-_] , DIGIT", Self.lower.union(Self.digit).union(["-", "_"])),
      ("[ab]]", ["a", "b", "]"]), ("[;:,]", [";", ":", ","]), ("[a-c]", ["a", "-", "c"]), ("[ x]", [" ", "x"]),
    ]
    for (text, wanted) in cases {
      // 1,024 characters miss one of 94 once in 600 times; three such runs together never do.
      let drawn = try made("minlength: 1024; allowed: \(text)", times: 3).reduce(into: Set()) { $0.formUnion($1) }
      #expect(drawn == wanted, "\(text): \(drawn.symmetricDifference(wanted).sorted())")
    }
  }

  @Test("allowed adds up; without any it is what is required, and without either printable ASCII")
  func alphabets() throws {
    let long = "minlength: 1024; "
    func drawn(_ rules: String) throws -> Set<Character> {
      try made(long + rules, times: 3).reduce(into: Set()) { $0.formUnion($1) }
    }
    #expect(try drawn("allowed: digit; allowed: [xyz]") == Self.digit.union("xyz"))
    #expect(try drawn("required: digit; required: upper") == Self.digit.union(Self.upper))
    #expect(try drawn("required: digit; allowed: [x]") == Self.digit.union("x"))
    #expect(try drawn("") == Self.printable)
  }

  @Test("required: one at least of each, of any of those behind one rule")
  func required() throws {
    let rules = "required: lower; required: upper; required: digit; required: [-_]; maxlength: 4"
    for password in try made(rules) {
      #expect(password.count == 4)
      for sort in [Self.lower, Self.upper, Self.digit, ["-", "_"]] {
        #expect(password.count(where: sort.contains) == 1, "\(password)")
      }
    }
    for password in try made("required: digit, [!]; allowed: lower; maxlength: 2") {
      #expect(password.contains { Self.digit.contains($0) || $0 == "!" }, "\(password)")
    }
  }

  @Test("max-consecutive: no character follows itself more often; of two the smaller counts")
  func runs() throws {
    for password in try made("allowed: [ab]; max-consecutive: 1; minlength: 9; maxlength: 9") {
      #expect(["ababababa", "babababab"].contains(password))
    }
    for password in try made("allowed: [ab]; max-consecutive: 2; max-consecutive: 5; maxlength: 12") {
      #expect(!password.contains("aaa"), "\(password)")
      #expect(!password.contains("bbb"), "\(password)")
    }
  }

  @Test("the bits count the passwords that keep the rules")
  func bits() throws {
    let workspace = try Workspace()
    for (rules, bits) in [
      ("allowed: digit; maxlength: 6", 19), ("allowed: [ab]; max-consecutive: 1; maxlength: 9", 1),
      // 4! · 26 · 26 · 10 · 2.
      ("required: lower; required: upper; required: digit; required: [-_]; maxlength: 4", 18),
      // 10³ - 10.
      ("allowed: digit; max-consecutive: 2; maxlength: 3", 9), ("allowed: [x]; maxlength: 8", 0),
      ("required: [a]; maxlength: 1", 0),
    ] {
      let document = JSON(workspace.run("generate", "--rules", rules, "--json").stdout)
      #expect(document["bits"]?.number == Double(bits), "\(rules)")
    }
  }

  @Test("each password that keeps the rules is drawn, and equally often")
  func evenness() throws {
    // abb, bab, bba, aab, aba, baa: requirements do not change the weights.
    var counts: [String: Int] = [:]
    for password in try made("required: [a]; required: [b]; maxlength: 3", times: 120) {
      counts[password, default: 0] += 1
    }
    #expect(counts.count == 6)
    // 20 are expected, and such numbers vary by 4.
    for (password, count) in counts { #expect((1...50).contains(count), "\(password): \(count)") }
  }

  @Test(
    "what is no rule is a usage error that says what is",
    arguments: [
      ("", "is empty"), (" ", "is empty"), ("minlength 12", "NAME: VALUE"), ("minlength", "NAME: VALUE"),
      ("length: 12", "takes only minlength"), (": 3", "takes only minlength"), ("minlength: twelve", "needs a number"),
      ("minlength: -1", "needs a number"), ("minlength: 99999999999999999999", "needs a number"),
      ("minlength: 12 maxlength: 20", "semicolon"), ("allowed: letters", "takes only the classes"),
      ("allowed:", "takes only the classes"), ("allowed: lower,", "takes only the classes"),
      ("allowed: [abc", "bracket"),
      ("allowed: []", "printable ASCII"), ("allowed: [é]", "printable ASCII"), ("allowed: [a\tb]", "printable ASCII"),
      ("allowed: lower upper", "semicolon"), ("max-consecutive:", "needs a number"),
    ])
  func noRule(_ rules: String, _ reason: String) throws {
    let outcome = try Workspace().run("generate", "--rules", rules)
    #expect(outcome.status == .usage, "\(rules)")
    #expect(outcome.stdout.isEmpty, "\(rules)")
    #expect(outcome.errors.hasPrefix("vault: --rules "), "\(outcome.errors)")
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
  }

  @Test(
    "rules that no password keeps, or hardly one, are refused",
    arguments: [
      ("minlength: 20; maxlength: 10", "does not allow any length"), ("maxlength: 0", "does not allow any length"),
      ("minlength: 1025", "does not allow any length"),
      ("required: lower; required: upper; required: digit; maxlength: 2", "cannot be met by any password"),
      ("max-consecutive: 0", "cannot be met by any password"),
      ("allowed: [a]; max-consecutive: 1; minlength: 2", "cannot be met by any password"),
      ("allowed: [a]; max-consecutive: 20; minlength: 21", "cannot be met by any password"),
      ("allowed: [ab]; max-consecutive: 1; minlength: 40", "too long"),
      (
        "required: [a]; required: [b]; required: [c]; required: [d]; allowed: ascii-printable; maxlength: 4", "too long"
      ),
      (
        "required: [a]; required: [b]; required: [c]; required: [d]; required: [e]; required: [f]; required: [g]",
        "more than 6"
      ),
    ])
  func impossible(_ rules: String, _ reason: String) throws {
    let outcome = try Workspace().run("generate", "--rules", rules)
    #expect(outcome.status == .inputRefused, "\(rules)")
    #expect(outcome.stdout.isEmpty, "\(rules)")
    #expect(outcome.errors.hasPrefix("vault: --rules "), "\(outcome.errors)")
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
  }

  @Test("--words-from draws words of a file, with dice or without, each once")
  func listed() throws {
    let workspace = try Workspace()
    let words = (0..<1000).map { "w\($0)é" }
    _ = workspace.write(words.joined(separator: "\n"), to: "plain.txt")
    let diced = words.map { "11111\t\($0)\r\n" } + ["\n", "w1é\n", "  w2é \n"]
    _ = workspace.write(diced.joined(), to: "diced.txt")
    var drawn: Set<String> = []
    for _ in 0..<15 {
      for name in ["plain.txt", "diced.txt"] {
        let outcome = workspace.run("generate", "--words-from", name, "--words", "64")
        #expect(outcome.errors == "note: 637 bits\n")
        drawn.formUnion(outcome.output.dropLast().split(separator: "-").map(String.init))
      }
    }
    #expect(drawn.isSubset(of: words))
    #expect(drawn.count > 750)
    let piped = workspace.run("generate", "--words-from", "-", input: words.joined(separator: "\n"))
    #expect(piped.code == 0)
    #expect(piped.output.split(separator: "-").count == 6)
    #expect(piped.errors == "note: 59 bits\n")
  }

  @Test("a list that is none, or short, is refused with its line")
  func notListed() throws {
    let workspace = try Workspace()
    let words = (0..<999).map { "w\($0)\n" }.joined()
    for (text, reason) in [
      (words, "has too few different words: 999"), (words + "w1\n", "has too few different words: 999"),
      ("", "has too few different words: 0"),
      (words + "two words\n", "line 1000 is not one word"), ("123 three\n", "line 1 is not one word"),
      (words + "a\u{1B}[2J\n", "line 1000 is not one word"),
    ] {
      let outcome = workspace.run("generate", "--words-from", workspace.write(text, to: "list.txt"))
      #expect(outcome.status == .inputRefused, "\(outcome.errors)")
      #expect(outcome.stdout.isEmpty, "\(outcome.errors)")
      #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }
    FileTree.write(Array(words.utf8) + [0xFF, 0x0A], to: workspace.path + "/list.txt")
    #expect(workspace.run("generate", "--words-from", "list.txt").errors.contains("line 1000"))
    #expect(workspace.run("generate", "--words-from", "none.txt").status == .inputOutput)
    FileTree.write([UInt8](repeating: 0x61, count: 17 << 20), to: workspace.path + "/list.txt")
    #expect(workspace.run("generate", "--words-from", "list.txt").status == .inputRefused)
  }

  @Test("a kind says what its passwords are made of, where nobody asks for something else")
  func kinds() throws {
    let workspace = try Workspace.withVault()
    let schema = #"""
      {"type":"object","properties":{"title":{"type":"string"},
      "pin":{"type":"string","x-sealed":true,"x-secret":"pin","x-generate":"minlength: 6; maxlength: 6; allowed: digit"},
      "key":{"type":"string","x-sealed":true,"x-secret":"password","x-generate":"minlength: 40; allowed: lower"}}}
      """#
    _ = workspace.write(schema, to: "badge.json")
    #expect(workspace.open("kinds", "add", "badge.json").code == 0)
    #expect(workspace.open("kinds", "show", "badge").output.contains("sealed as pin, made by rules"))
    let added = workspace.open("add", "badge", "b", "--generate", "pin", "--generate", "key")
    #expect(added.code == 0, "\(added.errors)")
    func value(_ field: String) -> String { workspace.open("get", "b", field).output }
    #expect(value("pin").count == 6)
    #expect(value("pin").allSatisfy { $0.isNumber })
    #expect(value("key").count == 40)
    #expect(value("key").allSatisfy { $0.isLowercase })
    #expect(workspace.open("set", "b", "key", "-g", "--length", "12", "--symbols").code == 0)
    #expect(value("key").count == 12)
    #expect(workspace.open("set", "b", "--generate", "key=9").code == 0)
    #expect(value("key").count == 9)
    let made = workspace.open("set", "b", "key", "-g")
    #expect(made.code == 0)
    #expect(value("key").count == 40)
  }

  @Test("`add` and `set` take both; options that say different things are refused, and a list is read once")
  func recipes() throws {
    let workspace = try Workspace.withVault()
    let words = (0..<1000).map { "w\($0)\n" }.joined()
    _ = workspace.write(words, to: "list.txt")
    let added = workspace.open("add", "login", "n", "--generate", "password", "--rules", "allowed: digit; maxlength: 6")
    #expect(added.code == 0, "\(added.errors)")
    let first = workspace.open("get", "n", "password").output
    #expect(first.count == 6)
    #expect(first.allSatisfy { $0.isNumber })
    let key = ["--vault", "v", "--identity", "id.txt"]
    // A pipe can be read only once.
    workspace.prepare("mkfifo list.pipe; (exec >/dev/null 2>&1; cat list.txt >list.pipe) &")
    let set = workspace.run(["set", "n", "--generate", "password", "--words-from", "list.pipe"] + key)
    #expect(set.code == 0, "\(set.errors)")
    #expect(workspace.open("get", "n", "password").output.split(separator: "-").count == 6)
    let before = workspace.snapshot()
    for wrong in [
      ["--generate", "password", "--rules", "allowed: digit", "--words", "4"],
      ["--generate", "password", "--rules", "allowed: digit", "--symbols"],
      ["--generate", "password", "--rules", "allowed: digit", "--words-from", "list.txt"],
      ["--generate", "password", "--words-from", "list.txt", "--length", "9"],
      ["--generate", "password", "--words-from", "-"], ["--generate", "password=9", "--rules", "allowed: digit"],
      ["--generate", "password=9", "--words-from", "list.txt"], ["username=x", "--rules", "allowed: digit"],
    ] {
      let refused = workspace.run(["set", "n"] + wrong + key)
      #expect(refused.status == .usage, "\(wrong): \(refused.errors)")
    }
    #expect(workspace.open("set", "n", "--generate", "password", "--rules", "maxlength: 0").status == .inputRefused)
    #expect(workspace.snapshot() == before)
  }
}
