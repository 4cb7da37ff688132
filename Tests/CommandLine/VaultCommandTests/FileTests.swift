import Testing
import VaultTestSupport

@Suite("Small files in records")
struct FileTests {
  /// A vault with one file, whose bytes are not text.
  private func withFile() throws -> Workspace {
    let workspace = try Workspace.withVault()
    workspace.prepare(#"printf '%%PDF\0\1\2\377\n\n' >passport.pdf"#)
    let added = workspace.open("add", "file", "passport.pdf", "tags=travel")
    try #require(added.code == 0, "\(added.errors)")
    return workspace
  }

  private func same(_ workspace: Workspace, _ one: String, _ other: String) -> Bool {
    FileTree.contents(of: workspace.path + "/" + one) == FileTree.contents(of: workspace.path + "/" + other)
  }

  @Test(
    "whatever its bytes are, a file comes back as it was, for its owner alone",
    arguments: [
      ("empty", ": >f"), ("one byte", "printf x >f"), ("NUL", #"printf '\0' >f"#),
      ("a newline at the end", "echo x >f"),
      ("random", "head -c 100000 /dev/urandom >f"), ("all bytes", #"printf '\0\1\177\200\377\n\r' >f"#),
      ("262144", "head -c 262144 /dev/urandom >f"), ("a pipe", #"printf 'a\0b' >f; mkfifo p"#),
    ])
  func roundTrip(_ name: String, _ make: String) throws {
    let workspace = try Workspace.withVault()
    workspace.prepare(make)
    let added =
      name == "a pipe"
      ? shell(workspace, "cat f >p & $V add file p name=f $K")
      : workspace.open("add", "file", "f")
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("get", "f", "content", "-o", "out").code == 0)
    #expect(same(workspace, "f", "out"))
    #expect(workspace.open("get", "f", "content").stdout == FileTree.contents(of: workspace.path + "/f"))
    #expect(workspace.open("get", "f", "content", "-o", "-").stdout == FileTree.contents(of: workspace.path + "/f"))
    #expect(shell(workspace, "stat -c %a out").output == "600\n")
    let size = FileTree.contents(of: workspace.path + "/f")?.count ?? -1
    #expect(workspace.open("get", "f", "size").output == "\(size)")
    #expect(workspace.open("verify").code == 0)
  }

  private func shell(_ workspace: Workspace, _ script: String) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path)
    plan.environment["V"] = Binary.path
    plan.environment["K"] = "--vault v --identity id.txt"
    return plan.run()
  }

  @Test("name, media type and size are told by the file, and what is given stands")
  func members() throws {
    let workspace = try withFile()
    let shown = workspace.run("show", "passport.pdf", "--vault", "v").output
    for line in ["media_type: application/pdf\n", "size:       10\n", "tags[0]:    travel\n", "content:    •••• "] {
      #expect(shown.contains(line) || line.hasPrefix("content") && shown.contains("•••• sealed "), "\(shown)")
    }
    _ = workspace.write("x", to: "a.bin")
    #expect(workspace.open("add", "file", "a.bin", "name=Key store", "media_type=application/x").code == 0)
    #expect(workspace.open("get", "Key store", "media_type").output == "application/x")
    #expect(workspace.open("get", "Key store", "size").output == "1")
  }

  @Test("standard input is a file with a name that is given")
  func standardInput() throws {
    let workspace = try Workspace.withVault()
    let nameless = workspace.open("add", "file", "-", input: "x")
    #expect(nameless.status == .usage)
    #expect(nameless.errors.contains("name=NAME"))
    #expect(workspace.open("add", "file", "-", "name=n.txt", input: "a\0b\n").code == 0)
    #expect(workspace.open("get", "n.txt", "content").output == "a\0b\n")
    let empty = workspace.open("add", "file", "-", "name=m", input: "")
    #expect(empty.status == .inputRefused)
    #expect(empty.errors.contains("is empty"))
  }

  @Test("what cannot be read, or is too large, is refused and stores nothing")
  func refused() throws {
    try checkRows(
      "files for records",
      [
        FaultRow("a folder", "mkdir d", "$V add file d $K", 18, "vault: d: "),
        FaultRow("no file", ":", "$V add file none $K", 18, "vault: none: "),
        FaultRow(
          "10 MiB", "head -c 10485760 /dev/zero >big", "$V add file big $K", 17,
          "vault: big is too large for a file in a record: at most "),
        FaultRow("an endless one", ":", "timeout 20 $V add file /dev/zero $K", 17, "vault: /dev/zero is too large"),
        FaultRow("a size that is not its own", "echo x >f", "$V add file f size=7 $K", 17, "vault: size: "),
        FaultRow(
          "a text that is no base64", "echo '{\"name\":\"n\",\"content\":\"*\"}' >r", "$V add file --from r $K", 17,
          "vault: "),
        FaultRow("a content as an argument", ":", "$V add file f content=eA== $K", 64, "vault: content: "),
      ])
  }

  @Test("a file that is there is replaced only when that was said; a disk that is full leaves nothing")
  func targets() throws {
    let workspace = try withFile()
    _ = workspace.write("old", to: "out")
    #expect(workspace.open("get", "passport.pdf", "content", "-o", "out").status == .alreadyExists)
    #expect(workspace.text(of: "out") == "old")
    #expect(workspace.open("get", "passport.pdf", "content", "-o", "out", "--yes").code == 0)
    #expect(same(workspace, "out", "passport.pdf"))
    let full = workspace.open("get", "passport.pdf", "content", "-o", "/dev/full")
    #expect(full.status == .inputOutput)
    #expect(full.errors.contains("is not a regular file"))
    #expect(shell(workspace, "$V get passport.pdf content $K >/dev/full").status == .inputOutput)
    #expect(workspace.open("get", "passport.pdf", "content", "-o", "v/x").status == .inputRefused)
    #expect(workspace.open("get", "passport.pdf", "content", "-o", "none/x").status == .inputOutput)
    #expect(workspace.open("get", "passport.pdf", "content", "-o", "x", "--qr").status == .usage)
    let told = JSON(workspace.open("get", "passport.pdf", "content", "-o", "told", "--json").stdout)
    #expect(told["file"]?.text == "told")
    #expect(told["path"]?.text == "content")
    #expect(
      JSON(workspace.open("get", "passport.pdf", "content", "--json").stdout)["value"]?.text == "JVBERgABAv8KCg==")
  }

  @Test("as JSON bytes are their base64, what is no text is what it is, and no text becomes bytes")
  func documents() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write(
      #"{"type":"object","properties":{"title":{"type":"string"},"key":{"type":"string","x-sealed":true},"#
        + #""limit":{"type":"integer","x-sealed":true}}}"#, to: "blob.json")
    let sealed = #"{"title":"B","key":"no base64","limit":7}"#
    #expect(workspace.open("kinds", "add", "blob.json").code == 0)
    #expect(workspace.open("add", "blob", "--from", "-", input: sealed).code == 0)
    func value(_ field: String) -> JSON? { JSON(workspace.open("get", "B", field, "--json").stdout)["value"] }
    #expect(value("limit")?.number == 7)
    #expect(value("key")?.text == "no base64")
    #expect(value("title")?.text == "B")
    workspace.prepare(#"sed -i 's/"key":{/&"contentEncoding":"base64",/' blob.json"#)
    #expect(workspace.open("kinds", "add", "blob.json").status == .inputRefused)
    #expect(value("key")?.text == "no base64")
  }

  @Test("a content that is text is edited byte for byte, with its size; one that is none is not", .atTerminal)
  func edited() throws {
    let workspace = try withFile()
    _ = workspace.write("one\ntwo\n\n", to: "t.txt")
    #expect(workspace.open("add", "file", "t.txt").code == 0)
    func edit(_ record: String, _ script: String) -> ProcessOutcome {
      let editor = workspace.write("touch started\n\(script)\n", to: "editor.sh")
      return workspace.type(
        ["edit", record, "--field", "content", "--vault", "v", "--identity", "id.txt"], [],
        adding: ["CVAULT_EDITOR": "sh \(editor)"])
    }
    let same = edit("t.txt", #"cmp "$1" t.txt"#)
    #expect(same.code == 0, "\(same.errors)")
    #expect(same.errors.contains("nothing changed"), "\(same.errors)")
    #expect(edit("t.txt", #"printf 'three\n\n\n' >"$1""#).code == 0)
    #expect(workspace.open("get", "t.txt", "content").output == "three\n\n\n")
    #expect(workspace.open("get", "t.txt", "size").output == "8")
    #expect(edit("t.txt", #"printf '\377\0' >"$1""#).code == 0)
    #expect(workspace.open("get", "t.txt", "content").stdout == [0xFF, 0])
    workspace.prepare("rm started")
    for record in ["t.txt", "passport.pdf"] {
      let refused = edit(record, "true")
      #expect(refused.status == .usage, "\(refused.errors)")
      #expect(refused.errors.contains("--secret-file content=FILE"), "\(refused.errors)")
    }
    #expect(!FileTree.names(in: workspace.path).contains("started"))
    #expect(workspace.open("verify").code == 0)
  }

  @Test("any value goes into a file exactly as a pipe gets it")
  func texts() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.open("add", "login", "A", "username=ann", "--secret-stdin", "notes", input: "a\nb\n").code == 0)
    #expect(workspace.open("get", "A", "notes", "-o", "n").code == 0)
    #expect(workspace.text(of: "n") == "a\nb\n")
    #expect(workspace.open("get", "A", "username", "-o", "u").code == 0)
    #expect(workspace.text(of: "u") == "ann")
  }

  @Test("a terminal gets a file only where it is text", .atTerminal)
  func terminals() throws {
    let workspace = try withFile()
    _ = workspace.write("line\n", to: "t.txt")
    #expect(workspace.open("add", "file", "t.txt").code == 0)
    let key = ["--vault", "v", "--identity", "id.txt"]
    let bytes = workspace.type(["get", "passport.pdf", "content"] + key, [], outputOnTerminal: true)
    #expect(bytes.status == .usage, "\(bytes.shown)")
    #expect(!bytes.shown.contains("PDF"), "\(bytes.shown)")
    let text = workspace.type(["get", "t.txt", "content"] + key, [], outputOnTerminal: true)
    #expect(text.code == 0)
    #expect(text.shown.contains("line"))
    let shown = workspace.type(["show", "passport.pdf", "--reveal"] + key, [], outputOnTerminal: true)
    #expect(shown.shown.contains("10 bytes: "), "\(shown.shown)")
    #expect(!shown.shown.contains("JVBER"), "\(shown.shown)")
    let asked = workspace.type(
      ["add", "file"] + key,
      [("Name", "asked\n"), ("Media", "\n"), ("Size", "\n"), ("file: ", "t.txt\n"), ("Tags", "\n")])
    #expect(asked.code == 0, "\(asked.shown)")
    #expect(workspace.open("get", "asked", "content").output == "line\n")
  }

  @Test("a new content has a new size; the old one again changes nothing; no other size is taken")
  func changes() throws {
    let workspace = try withFile()
    workspace.prepare(#"printf '\0\0\0' >new"#)
    #expect(workspace.open("set", "passport.pdf", "--secret-file", "content=new").code == 0)
    #expect(workspace.open("get", "passport.pdf", "size").output == "3")
    #expect(workspace.open("set", "passport.pdf", "--secret-file", "content=new").errors.contains("nothing changed"))
    #expect(workspace.open("set", "passport.pdf", "size=4").status == .inputRefused)
    #expect(workspace.open("set", "passport.pdf", "--secret-stdin", "content", input: "ab").code == 0)
    #expect(workspace.open("get", "passport.pdf", "size").output == "2")
    #expect(workspace.open("set", "passport.pdf", "name=other").code == 0)
    #expect(workspace.open("get", "other", "content").output == "ab")
    #expect(workspace.open("verify").code == 0)
  }

  @Test(
    "exports hold base64, a database of KeePass and a Secret of Kubernetes the bytes",
    arguments: ["json", "jsonl", "csv"])
  func exports(_ format: String) throws {
    let workspace = try withFile()
    let exported = workspace.open("export", "--reveal", "--kind", "file", "--format", format, "-o", "out")
    #expect(exported.code == 0, "\(exported.errors)")
    #expect(workspace.text(of: "out").contains("JVBERgABAv8KCg=="), "\(exported.errors)")
    let second = try Workspace.withVault()
    let imported = second.open("import", format, workspace.path + "/out", "--kind", "file")
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(second.open("get", "passport.pdf", "content", "-o", "back").code == 0)
    #expect(FileTree.contents(of: second.path + "/back") == FileTree.contents(of: workspace.path + "/passport.pdf"))
    let secret = workspace.open("export", "--reveal", "--format", "kubernetes").output
    #expect(secret.contains("JVBERgABAv8KCg=="))
    #expect(workspace.open("export", "--reveal", "--format", "1password-csv", "-o", "o").status == .partlyDone)
  }

  @Test("programs get the bytes as a file, and templates and variables refuse what they cannot hold")
  func deliveries() throws {
    let workspace = try withFile()
    let reference = "cvault://passport.pdf/content"
    #expect(shell(workspace, "$V run $K --file F=\(reference) -- sh -c 'cmp \"$F\" passport.pdf'").code == 0)
    #expect(shell(workspace, "$V run $K --stdin \(reference) -- cmp - passport.pdf").code == 0)
    #expect(workspace.open("run", "--env", "X=\(reference)", "--", "true").status == .notRun)
    _ = workspace.write("a {{ \(reference) }}", to: "t")
    let injected = workspace.open("inject", "-i", "t", "-o", "filled")
    #expect(injected.status == .inputRefused, "\(injected.errors)")
    #expect(injected.errors.contains("has a value that is not text"), "\(injected.errors)")
  }

  @Test("a scan finds the bytes of a file and its base64")
  func scans() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c 40 /dev/urandom >k; cp k leak; base64 -w0 k >leak64; echo clean >other")
    #expect(workspace.open("add", "file", "k").code == 0)
    for leak in ["leak", "leak64"] { #expect(workspace.open("scan", leak).status == .findings, "\(leak)") }
    #expect(workspace.open("scan", "other").code == 0)
  }

  @Test("fields of declared kinds may be bytes as well, and a declared kind of the name `file` stays what it is")
  func declared() throws {
    let workspace = try Workspace.withVault()
    let schema =
      #"{"type":"object","properties":{"title":{"type":"string"},"key":{"type":"string","contentEncoding":"base64","x-sealed":true}}}"#
    _ = workspace.write(schema, to: "blob.json")
    #expect(workspace.open("kinds", "add", "blob.json").code == 0)
    workspace.prepare(#"printf '\0\1' >k"#)
    #expect(workspace.open("add", "blob", "title=B", "--secret-file", "key=k").code == 0)
    #expect(workspace.open("get", "B", "key").stdout == [0, 1])
    #expect(workspace.open("kinds", "add", "blob.json", "--name", "file").code != 0)
  }
}
