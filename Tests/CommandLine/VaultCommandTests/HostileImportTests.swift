import Testing
import VaultTestSupport

/// Files that were made to do harm, in the formats that need more than a parser.
@Suite("Hostile files of other tools")
struct HostileImportTests {
  private func isRefused(_ outcome: ProcessOutcome, _ bench: FaultBench, _ before: FolderState, _ what: String) {
    #expect(outcome.status == .inputRefused, "\(what): \(outcome)")
    #expect(outcome.errors.hasPrefix("vault: h"), "\(what): \(outcome.errors)")
    #expect(!outcome.errors.contains("signal"), "\(what): \(outcome.errors)")
    #expect(!outcome.hung, "\(what): \(outcome.errors)")
    #expect(bench.state() == before, "\(what)")
  }

  /// A database of ours, under the password `x`.
  private func database(_ bench: FaultBench) throws -> [UInt8] {
    let made = bench.shell(
      "echo x >pw; $V export --reveal --yes --format kdbx --new-passphrase-file pw -o good.kdbx $K")
    try #require(made.code == 0, "\(made.errors)")
    return try #require(FileTree.contents(of: bench.workspace.path + "/good.kdbx"))
  }

  private static let command = "timeout 60 $V import keepass-kdbx h.kdbx --source-passphrase-file pw $K"

  @Test("a database that asks for all memory or all time, or none, is refused at once")
  func costs() throws {
    let bench = try FaultBench()
    let good = try database(bench)
    let before = bench.state()
    // Numbers of a variant dictionary: a type, the length of the name, the name, the length of the value, the value.
    let places: [(name: String, mark: [UInt8])] = [
      ("memory", [5, 1, 0, 0, 0, 0x4D, 8, 0, 0, 0]), ("passes", [5, 1, 0, 0, 0, 0x49, 8, 0, 0, 0]),
      ("lanes", [4, 1, 0, 0, 0, 0x50, 4, 0, 0, 0]), ("rounds", [5, 1, 0, 0, 0, 0x52, 8, 0, 0, 0]),
    ]
    var count = 0
    for (name, mark) in places {
      guard let place = good.firstRange(of: mark) else { continue }
      let size = name == "lanes" ? 4 : 8
      for byte in [UInt8(0xFF), 0] {
        var bytes = good
        for offset in 0..<size { bytes[place.upperBound + offset] = byte }
        FileTree.write(bytes, to: bench.workspace.path + "/h.kdbx")
        isRefused(bench.shell("ulimit -t 20; " + Self.command), bench, before, "\(name) \(byte)")
        count += 1
      }
    }
    #expect(count >= 2)
  }

  @Test("a database that is cut off, wherever, or has a length that is not its own, is refused")
  func cuts() throws {
    let bench = try FaultBench()
    let good = try database(bench)
    let before = bench.state()
    let ends = [0, 1, 11, 12, 40, 100, 200, 250, good.count / 2, good.count - 33, good.count - 1]
    for end in ends where end < good.count {
      FileTree.write(Array(good[..<end]), to: bench.workspace.path + "/h.kdbx")
      isRefused(bench.shell(Self.command), bench, before, "cut at \(end)")
    }
    var long = good
    // The length of the first field of the header.
    for offset in 13..<17 { long[offset] = 0xFF }
    FileTree.write(long, to: bench.workspace.path + "/h.kdbx")
    isRefused(bench.shell(Self.command), bench, before, "a long field")
  }

  @Test(
    "a zip file that unpacks into more than a format may be is refused",
    .enabled(if: Need.command("python3").isMet(forCases: 2, of: "zip bombs")),
    arguments: [("bitwarden-zip", "data.json"), ("dashlane-zip", "credentials.csv")])
  func zipBombs(_ format: String, _ name: String) throws {
    let bench = try FaultBench()
    let before = bench.state()
    let python = """
      import zipfile
      file = zipfile.ZipFile("h.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
      with file.open("\(name)", "w", force_zip64=True) as entry:
          for _ in range(600): entry.write(b" " * (1 << 20))
      file.close()
      """
    _ = bench.workspace.write(python, to: "bomb.py")
    try #require(bench.shell("python3 bomb.py").code == 0)
    isRefused(bench.shell("timeout 60 $V import \(format) h.zip $K", timeout: 90), bench, before, format)
  }

  @Test(
    "a document of a hundred thousand levels is refused in every format that is one",
    arguments: [
      "aegis", "2fas", "andotp", "freeotp", "raivo", "stratum", "duo", "proton-authenticator", "steam", "keeper-json",
      "kubernetes-json", "hashicorp-kv", "aws-secrets-manager", "doppler", "infisical", "kubernetes-yaml", "plain-yaml",
      "authy",
    ])
  func depth(_ format: String) throws {
    let bench = try FaultBench()
    let before = bench.state()
    let open = format == "authy" ? "<map>" : format.hasSuffix("yaml") ? "[" : #"{\"a\":"#
    _ = bench.shell("yes '\(open.replacing("\\", with: ""))' | head -100000 | tr -d '\\n' >h.json")
    isRefused(bench.shell("timeout 60 $V import \(format) h.json $K"), bench, before, format)
  }
}

/// Sealed backups that were made to do harm.
@Suite("Hostile sealed backups of one-time codes")
struct HostileCodesTests {
  @Test("one that asks for all time, was cut, or is any bytes is 11 or 17 at once, in one line, and changes nothing")
  func sealed() throws {
    let bench = try FaultBench()
    let before = bench.state()
    _ = bench.workspace.write("x\n", to: "pw")
    let rest = [UInt8](repeating: 0xA5, count: 300)
    let files: [(bytes: [UInt8], code: Int32)] = [
      ([0xFF, 0xFF, 0xFF, 0xFF] + rest, 11), ([0, 0, 0, 0] + rest, 11), ([0, 0x0F, 0x42, 0x40] + rest, 11),
      (rest, 11), (Array(rest.prefix(27)), 17), ([0], 17), ([], 17),
    ]
    for (bytes, code) in files {
      FileTree.write(bytes, to: bench.workspace.path + "/h.json.aes")
      for format in bytes.count > 27 ? ["andotp", "auto"] : ["andotp"] {
        let command = "timeout 60 $V import \(format) h.json.aes --source-passphrase-file pw $K"
        let outcome = bench.shell("ulimit -t 20; " + command)
        #expect(outcome.code == code, "\(format) \(bytes.prefix(4)): \(outcome)")
        #expect(!outcome.hung, "\(format) \(bytes.prefix(4)): \(outcome)")
        #expect(outcome.errors.hasPrefix("vault: h"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("signal"), "\(outcome.errors)")
        #expect(bench.state() == before)
      }
    }
  }
}

/// The options of an import, and the parts of a vault in an export.
@Suite("Choices of imports and exports")
struct ExchangeChoiceTests {
  @Test("records are chosen by a readable value, fields by their names, in every format")
  func chosen() throws {
    let workspace = try Workspace.withVault()
    let logins = """
      [{"title":"a","username":"ann","password":"pa","tags":["x"]},{"title":"b","username":"bob","password":"pb","tags":["x","y"]},
       {"title":"c","password":"pc"}]
      """
    #expect(workspace.open("import", "json", "-", "--kind", "login", input: logins).code == 0)
    func titles(_ arguments: String...) -> [String] {
      let exported = workspace.run(["export"] + arguments + ["--vault", "v", "--identity", "id.txt"])
      #expect(exported.code == 0, "\(exported.errors)")
      return JSON(exported.stdout).items?.compactMap { $0["title"]?.text }.sorted() ?? []
    }
    #expect(titles("--where", "tags=x") == ["a", "b"])
    #expect(titles("--where", "tags=x", "--where", "tags=y") == ["b"])
    #expect(titles("a", "c") == ["a", "c"])
    #expect(titles("a", "b", "--where", "username=bob") == ["b"])
    let fields = JSON(workspace.open("export", "b", "--reveal", "--fields", "title,password").stdout).items
    #expect(fields?.first == .object(["title": .string("b"), "password": .string("pb")]))
    #expect(JSON(workspace.open("export", "b", "--fields", "password").stdout).items?.first == .object([:]))
    let variables = workspace.open("export", "a", "--reveal", "--format", "dotenv", "--fields", "password").output
    #expect(variables.contains("pa"), "\(variables)")
    #expect(!variables.contains("ann"), "\(variables)")
    #expect(!variables.contains("pb"), "\(variables)")
    let bitwarden = workspace.open("export", "--where", "tags=y", "--reveal", "--format", "bitwarden").output
    #expect(bitwarden.contains("pb"))
    #expect(!bitwarden.contains("pa\""))
  }

  @Test("a choice that names nothing, or a secret, writes nothing")
  func refused() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "a", "--secret-stdin", "password", input: "hunter2").code == 0)
    for (arguments, code) in [
      (["--where", "username=none"], 10), (["none"], 10), (["--where", "password=hunter2"], 64),
      (["--where", "x"], 64),
      (["--fields", "tags[0]"], 64), (["--fields", ""], 64), (["--fields", "a..b"], 64),
    ] {
      let outcome = workspace.run(
        ["export", "--reveal", "-o", "out"] + arguments + ["--vault", "v", "--identity", "id.txt"])
      #expect(Int(outcome.code) == code, "\(arguments): \(outcome.errors)")
      #expect(FileTree.contents(of: workspace.path + "/out") == nil, "\(arguments)")
    }
  }

  @Test("a store of pass comes in by a command, and what that does not open is refused by its name")
  func decrypted() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare(
      """
      mkdir -p 's/a b' s/.git; printf 'pw1\\nlogin: ann\\n' >'s/a b/-it'"'"'s.gpg'; printf 'pw2\\n' >s/two.gpg
      printf 'no' >s/bad.gpg; chmod 600 s/bad.gpg; echo other >s/readme.txt
      printf '#!/bin/sh\\ncase $1 in *bad.gpg) echo hunter2; exit 2;; esac; cat "$1"\\n' >open; chmod +x open
      """)
    let imported = workspace.open("import", "pass", "s", "--decrypt", "./open")
    #expect(imported.status == .partlyDone, "\(imported)")
    #expect(workspace.open("get", "two", "password").output == "pw2")
    #expect(workspace.open("find", "ann").output.contains("-it's"), "\(workspace.open("list").output)")
    #expect((imported.output + imported.errors).contains("bad"))
    #expect(!imported.output.contains("hunter2"))
    #expect(workspace.open("import", "pass", "s", "--decrypt", "false").status == .inputRefused)
    #expect(workspace.open("import", "pass", "none", "--decrypt", "cat").status == .usage)
    workspace.prepare("mkdir empty")
    #expect(workspace.open("import", "pass", "empty", "--decrypt", "cat").status == .inputRefused)
    #expect(workspace.open("import", "pass", "s", "--decrypt", "cat /dev/zero #").status == .inputRefused)
  }

  @Test("a database of KeePass opens by its key file, alone or with the password; without it, it is 11")
  func keyFiles() throws {
    guard SharedData.isPresent(forCases: 2, of: "key files"), Need.argon2.isMet(forCases: 2, of: "key files") else {
      return
    }
    let workspace = try Workspace.withVault()
    let folder = SharedData.folder + "/fixtures/password-managers"
    let key = ["--vault", "v", "--identity", "id.txt"]
    _ = workspace.write("passw0rd\n", to: "pw")
    let archive = folder + "/buttercup/test-archive-keyfile-kdbx4"
    func open(_ arguments: [String]) -> ProcessOutcome {
      workspace.run(["import", "keepass-kdbx", archive + ".kdbx", "--dry-run"] + arguments + key)
    }
    let both = ["--source-passphrase-file", "pw", "--source-key-file", archive + ".key"]
    // The content of these two is refused or a tag, so nothing is stored, but their values were read.
    let opened = open(both)
    #expect(opened.status != .cannotUnlock, "\(opened.errors)")
    #expect(opened.output.contains("Root/Group"), "\(opened.errors)")
    #expect(open(["--source-passphrase-file", "pw"]).status == .cannotUnlock)
    #expect(open(["--source-passphrase-file", "pw", "--source-key-file", "pw"]).status == .cannotUnlock)
    #expect(open(["--source-passphrase-file", "pw", "--source-key-file", "none"]).status == .inputOutput)
    let alone = workspace.run(
      ["import", "keepass-kdbx", folder + "/keepassxc/FileKeyHex.kdbx", "--source-key-file"]
        + [folder + "/keepassxc/FileKeyHex.key", "--dry-run"] + key)
    #expect(alone.status != .cannotUnlock, "\(alone.errors)")
    #expect(alone.output.contains("Root/Group"), "\(alone.errors)")
  }
}
