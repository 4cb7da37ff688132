import Testing
import VaultTestSupport

/// Invisible content of a passphrase or a secret, from every source and into every command.
@Suite("What a secret holds invisibly")
struct HiddenContentTests {
  /// How a command is given what a file has.
  enum Source: String, CaseIterable, Sendable {
    case file, descriptor, command

    /// The option for a new passphrase, and the redirection of the shell that it needs.
    var newPassphrase: String {
      switch self {
      case .file: "--new-passphrase-file f"
      case .descriptor: "--new-passphrase-fd 7 7<f"
      case .command: "--new-passphrase-command 'cat f'"
      }
    }

    var passphrase: String { newPassphrase.replacing("--new-", with: "--") }
  }

  /// Bytes in octal escapes of printf, and what is said of them.
  struct Content: Sendable, CustomTestStringConvertible {
    let bytes: String
    let words: String

    init(_ bytes: String, _ words: String) { (self.bytes, self.words) = (bytes, words) }
    var testDescription: String { bytes }
  }

  static let untypeable = [
    Content(#"\357\273\277p w\n"#, "a byte order mark"),
    Content(#"\377\376p\000w\000\n\000"#, "text in UTF-16"),
    Content(#"\376\377\000p\000w\000\n"#, "text in UTF-16"),
    Content(#"p\000w\000"#, "text in UTF-16"),
    Content(#"pw\000x"#, "a NUL character"),
    Content(#"p\000w"#, "a NUL character"),
    Content(#"p\000w\000x\000"#, "text in UTF-16"),
    Content(#"p\tw"#, "a control character"),
    Content(#"p\033[Aw"#, "a control character"),
    Content(#"p\177w"#, "a control character"),
    Content(#"p\302\233w"#, "a control character"),
    Content(#"p\302\205w"#, "a line separator"),
    Content(#"p\342\200\250w"#, "a line separator"),
    Content(#"p\342\200\213w"#, "an invisible character"),
    Content(#"pw\357\273\277"#, "an invisible character"),
    Content(#"p\302\255w"#, "an invisible character"),
    Content(#"p\342\200\256w"#, "a mark that turns the writing direction"),
    Content(#"p\342\201\246w"#, "a mark that turns the writing direction"),
    Content(#"p\342\200\215w"#, "an invisible joiner or selector"),
    Content(#"p\302\240w"#, "a space that the space bar does not type"),
    Content(#"p\357\277\275w"#, "a replacement character for a lost one"),
    Content(#"p\357\277\277w"#, "a replacement character for a lost one"),
    Content(#"p\377w"#, "bytes that are not UTF-8"),
    Content(#"pw\nxx\n"#, "a second line"),
    Content(#"\npw"#, "a second line"),
    Content(#"pw\n\n"#, "an empty line at its end"),
    Content(#"pw\r\n\r\n"#, "a carriage return and an empty line at its end"),
    Content(#"pw\r"#, "a carriage return"),
    Content(#"\n"#, "is empty"),
    Content(#"\r\n"#, "is empty"),
    Content("", "is empty"),
  ]

  /// In every way the same words are typed.
  static let typeable = [#"p w\n"#, #"p w\r\n"#, "p w"]

  @Test("a new passphrase that nobody can type is refused with what stands in it", arguments: untypeable)
  func newPassphrase(_ content: Content) throws {
    let workspace = try Workspace()
    workspace.prepare("printf '\(content.bytes)' >f")
    let made = workspace.run("init", "v", "--passphrase", "--new-passphrase-file", "f", "--work-factor", "10")
    #expect(made.status == .inputRefused, "\(made.errors)")
    #expect(made.errors.hasPrefix("vault: f: the new passphrase "), "\(made.errors)")
    #expect(made.errors.contains(content.words), "\(made.errors)")
    #expect(made.errors.contains("nothing was changed"))
    #expect(FileTree.files(below: workspace.vault).isEmpty)
  }

  @Test("it is refused from every source and by every command that makes something new", arguments: Source.allCases)
  func newPassphraseAnywhere(_ source: Source) throws {
    let bench = try FaultBench()
    bench.workspace.prepare(#"printf '\357\273\277p w\n' >f"#)
    for command in [
      "init w --passphrase --work-factor 10", "key add --passphrase --work-factor 10 $K",
      "export --format kdbx --reveal -o e.kdbx $K", "export --format ansible-vault --reveal -o e.yml $K",
    ] {
      let run = bench.shell("$V \(command) \(source.newPassphrase)")
      #expect(run.status == .inputRefused, "\(command): \(run.errors)")
      #expect(run.errors.contains("has a byte order mark"), "\(command): \(run.errors)")
    }
    let backup = bench.shell("$V backup create --to b --new-passphrase-file f $K")
    #expect(backup.status == .inputRefused, "\(backup.errors)")
    #expect(backup.errors.contains("has a byte order mark"), "\(backup.errors)")
  }

  @Test("CRLF is a line end: what was made from such a file is opened by typing the words", arguments: typeable)
  func lineEnds(_ bytes: String) throws {
    let workspace = try Workspace()
    workspace.prepare("printf '\(bytes)' >f; printf 'p w' >typed")
    let made = workspace.run("init", "v", "--passphrase", "--new-passphrase-file", "f", "--work-factor", "10")
    #expect(made.code == 0, "\(made.errors)")
    let opened = workspace.run("verify", "--vault", "v", "--passphrase-file", "typed")
    #expect(opened.code == 0, "\(opened.errors)")
    let again = workspace.run("verify", "--vault", "v", "--passphrase-file", "f")
    #expect(again.code == 0, "\(again.errors)")
  }

  @Test("a blank before or behind a new passphrase is noted")
  func blanks() throws {
    let workspace = try Workspace()
    workspace.prepare("printf ' p w \\n' >f")
    let made = workspace.run("init", "v", "--passphrase", "--new-passphrase-file", "f", "--work-factor", "10")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("a blank at its beginning and a blank at its end"), "\(made.errors)")
  }

  @Test("a passphrase that opens nothing says what stands in it, from every source", arguments: Source.allCases)
  func oldPassphrase(_ source: Source) throws {
    let bench = try FaultBench()
    bench.workspace.prepare("printf 'p w' >typed")
    let made = bench.shell("$V init w --passphrase --new-passphrase-file typed --work-factor 10")
    #expect(made.code == 0, "\(made.errors)")
    for content in Self.untypeable + [Content(#"p w \n"#, "a blank at its end")] where content.words != "is empty" {
      bench.workspace.prepare("printf '\(content.bytes)' >f")
      let run = bench.shell("$V verify --vault w \(source.passphrase)")
      #expect(run.status == .cannotUnlock, "\(content.bytes): \(run.errors)")
      #expect(run.errors.contains("has \(content.words): "), "\(content.bytes): \(run.errors)")
    }
  }

  @Test("what opens is used as it is, without a word")
  func oldPassphraseAsItIs() throws {
    let bench = try FaultBench()
    bench.workspace.prepare("printf 'p w' >f")
    let made = bench.shell("$V init w --passphrase --new-passphrase-file f --work-factor 10")
    #expect(made.code == 0, "\(made.errors)")
    let run = bench.shell("$V verify --vault w --passphrase-file f")
    #expect(run.code == 0, "\(run.errors)")
    #expect(!run.errors.contains("holds"), "\(run.errors)")
  }

  static let secrets = [
    Content(#"pw\r\n"#, "ended with CRLF"), Content(#"pw\r"#, "a carriage return"),
    Content(#"\357\273\277pw\n"#, "a byte order mark"), Content(#"pw\000x"#, "a NUL character"),
    Content(#"pw \n"#, "a blank at its end"), Content(#"p\342\200\213w"#, "an invisible character"),
  ]

  @Test("a secret with what nobody sees is stored, and a note says what it is", arguments: secrets)
  func secret(_ content: Content) throws {
    let bench = try FaultBench()
    bench.workspace.prepare("printf '\(content.bytes)' >f")
    for (command, name) in [("--secret-file access_key=f", "f"), ("--secret-stdin access_key <f", "stdin")] {
      let run = bench.shell("$V set \"Shai Mishali\" $K \(command)")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.errors.contains("note: access_key: the value from \(name) "), "\(run.errors)")
      #expect(run.errors.contains(content.words), "\(run.errors)")
    }
    let value = bench.shell("$V get \"Shai Mishali\" access_key $K | od -An -c").output
    #expect(value.contains("\\r") == (content.words == "a carriage return"), "\(value)")
  }

  @Test(
    "a secret that is not UTF-8 is refused with the name of its input, and the vault is not called damaged",
    arguments: ["set \"Shai Mishali\"", "add customer --set name=New"])
  func bytes(_ command: String) throws {
    let bench = try FaultBench()
    bench.workspace.prepare(#"printf '\377\001\376p' >f; printf '\377\376p\000' >u"#)
    for (option, name, hint) in [
      ("--secret-file access_key=f", "f", "`vault attach RECORD FILE`"),
      ("--secret-stdin access_key <f", "stdin", "`vault attach RECORD FILE`"),
      ("--secret-file access_key=u", "u", "save the file as UTF-8"),
    ] {
      let run = bench.shell("$V \(command) $K \(option)")
      #expect(run.status == .inputRefused, "\(run.errors)")
      #expect(run.errors.hasPrefix("vault: \(name) is not UTF-8 text"), "\(run.errors)")
      #expect(run.errors.contains(hint), "\(run.errors)")
    }
  }
}
