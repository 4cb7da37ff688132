import Testing
import VaultTestSupport

@Suite("Import from other tools")
struct ForeignImportTests {
  private static let header = "name,url,username,password,note\n"
  private static let shop = "shop,https://shop.example,ann,hunter2,\n"

  private func workspace(_ files: [String: String]) throws -> Workspace {
    let workspace = try Workspace.withVault()
    for (name, text) in files { FileTree.write(Array(text.utf8), to: workspace.path + "/" + name) }
    return workspace
  }

  private func snapshot(_ folder: String) -> FolderState { FolderState(below: folder) }

  @Test("a file is told by how it begins, its records are stored, and every value is accounted for")
  func imports() throws {
    let workspace = try workspace(["a.csv": Self.header + Self.shop])
    let imported = workspace.open("import", "auto", "a.csv")
    #expect(imported.code == 0)
    #expect(imported.errors == "")
    #expect(
      imported.output == """
        1 stored, 0 updated, 0 already stored, 0 refused
        5 values: 4 stored, 0 mapped, 0 custom fields, 0 tags, 1 empty, 0 refused

        """)
    #expect(workspace.open("get", "shop", "password").output == "hunter2")
    #expect(workspace.open("get", "shop", "fields.external_id").output.hasPrefix("chrome-csv:"))
  }

  @Test("a dry run prints what becomes of each value and stores nothing")
  func dryRun() throws {
    let workspace = try workspace(["a.csv": Self.header + Self.shop])
    let dry = workspace.open("import", "auto", "a.csv", "--dry-run")
    #expect(dry.code == 0)
    #expect(dry.output.hasPrefix("line 2: name: stored: title\nline 2: url: stored: urls\n"))
    #expect(dry.output.contains("line 2: note: empty\n1 would be stored"))
    #expect(!dry.output.contains("hunter2"))
    #expect(workspace.run("list", "--vault", "v").output.isEmpty)
  }

  @Test("the same file again writes nothing, two equal entries included")
  func again() throws {
    let workspace = try workspace(["a.csv": Self.header + Self.shop + Self.shop])
    #expect(workspace.open("import", "auto", "a.csv").output.hasPrefix("2 stored"))
    let before = snapshot(workspace.vault)
    let second = workspace.open("import", "auto", "a.csv")
    #expect(second.code == 0)
    #expect(second.output.hasPrefix("0 stored, 0 updated, 2 already stored, 0 refused\n"))
    #expect(snapshot(workspace.vault) == before)
  }

  @Test("an entry that changed is left alone and said so; --update takes what changed and keeps the rest")
  func update() throws {
    let changed = "shop,https://shop.example,ann,correct horse,a note\n"
    let workspace = try workspace(["a.csv": Self.header + Self.shop, "b.csv": Self.header + changed])
    #expect(workspace.open("import", "auto", "a.csv").code == 0)
    #expect(workspace.open("set", "shop", "fields.mine=1").code == 0)
    let kept = workspace.open("import", "auto", "b.csv")
    #expect(kept.status == .partlyDone)
    #expect(kept.errors.contains("1 record of the vault differs"))
    #expect(
      kept.output.contains(
        "2 refused\n2 values refused: the vault has another value: --update stores this one (first at line"))
    #expect(workspace.open("get", "shop", "password").output == "hunter2")
    #expect(workspace.open("import", "auto", "b.csv", "--update", "--dry-run").output.contains("1 would be updated"))
    #expect(workspace.open("import", "auto", "b.csv", "--update").output.hasPrefix("0 stored, 1 updated"))
    #expect(workspace.open("get", "shop", "password").output == "correct horse")
    #expect(workspace.open("get", "shop", "notes").output == "a note")
    #expect(workspace.open("get", "shop", "fields.mine").output == "1")
    #expect(
      workspace.open("import", "auto", "b.csv", "--update").output.hasPrefix("0 stored, 0 updated, 1 already stored"))
  }

  @Test("--update keeps tags that only the vault has, and names what is no longer in the file without removing it")
  func vanished() throws {
    let header = "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
    let (shop, bank) = ("Shops,,login,shop,,,,,ann,hunter2,\n", "Money,,login,bank,,,,,ann,hunter3,\n")
    let workspace = try workspace([
      "a.csv": header + shop + bank, "b.csv": header + shop, "c.csv": header + "x,y\n" + shop,
    ])
    #expect(workspace.open("import", "auto", "a.csv").code == 0)
    #expect(workspace.open("set", "shop", #"tags=["mine","Shops"]"#).code == 0)
    let updated = workspace.open("import", "auto", "b.csv", "--update")
    #expect(updated.code == 0)
    #expect(updated.output.hasPrefix("0 stored, 0 updated, 1 already stored, 0 refused\n"))
    let id = try #require(JSON(workspace.open("show", "bank", "--json").output)["id"]?.text)
    #expect(
      updated.output.hasSuffix(
        "1 still in the vault, but no longer in the file; `vault remove` removes them:\n  \(id)  bank\n"))
    #expect(workspace.open("get", "bank", "password").output == "hunter3")
    #expect(workspace.open("get", "shop", "tags[0]").output == "mine")
    let document = JSON(workspace.open("import", "auto", "b.csv", "--update", "--json").output)
    #expect(document["vanished"]?[0]?["id"]?.text == id)
    #expect(document["vanished"]?.items?.count == 1)
    // A row that could not be read may be the one that seems to be missing.
    #expect(!workspace.open("import", "auto", "c.csv", "--update").output.contains("no longer in the file"))
    #expect(!workspace.open("import", "auto", "b.csv").output.contains("no longer in the file"))
  }

  @Test("what was refused is summed up by reason, and --json has a line for every value")
  func reasons() throws {
    let file = #"""
      {"folders": [], "items": [{"type": 1, "name": "shop", "login": {"username": "ann", "password": "hunter2"}}],
       "from the future": {"a": "hunter2", "b": ["hunter2"]}, "more": "hunter2"}
      """#
    let workspace = try workspace(["a.json": file])
    let imported = workspace.open("import", "auto", "a.json")
    #expect(imported.status == .partlyDone)
    #expect(
      imported.output.hasSuffix(
        "3 refused\n3 values refused: the format does not say what this value is (first at from the future.a)\n"))
    let dry = workspace.open("import", "auto", "a.json", "--json", "--dry-run")
    for outcome in [workspace.open("import", "auto", "a.json", "--json"), dry] {
      let document = JSON(outcome.output)
      let lines = try #require(document["lines"]?.items)
      #expect(document["ledger"]?["leaves"]?.number == Double(lines.count))
      #expect(lines.count == 8)
      let refused = lines.filter { $0["outcome"]?.text == "refused" }
      #expect(refused.allSatisfy { $0["to"]?.text == "the format does not say what this value is" })
      #expect(refused.count == 3)
      #expect(document["refused_values"]?[0]?["count"]?.number == 3)
      #expect(!outcome.output.contains("hunter2"))
    }
  }

  @Test("a value of a megabyte after the other is stored: what is sealed at once is bounded")
  func largeValues() throws {
    let note = String(repeating: "n", count: 1 << 20)
    let rows = (1...20).map { "shop\($0),https://shop.example,ann,hunter2,\(note)\n" }
    let workspace = try workspace(["a.csv": Self.header + rows.joined()])
    let imported = workspace.open("import", "auto", "a.csv")
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(imported.output.hasPrefix("20 stored, "), "\(imported.errors)")
    #expect(workspace.open("get", "shop20", "notes").stdout.count == 1 << 20)
    // No machine locks so much: the value is refused by itself, and the entry is stored without it.
    let larger = Self.header + "big,https://big.example,ann,hunter2," + note + note + note + note + "n\n"
    FileTree.write(Array(larger.utf8), to: workspace.path + "/b.csv")
    let refused = workspace.open("import", "auto", "b.csv")
    #expect(refused.status == .partlyDone)
    #expect(refused.output.contains("1 value refused: the value is larger than a quarter"))
    #expect(workspace.open("get", "big", "password").output == "hunter2")
  }

  @Test("values under extra are compared and updated as text, also where they look like numbers")
  func updateOfExtra() throws {
    let header =
      "name,url,username,password,note,cardholdername,cardnumber,cvc,expirydate,zipcode,folder,full_name,"
      + "phone_number,email,address1,address2,city,country,state\n"
    func row(_ zip: String) -> String { "visa,,,,,Ann,4111111111111111,123,01/30,\(zip),,,,,,,,,\n" }
    let workspace = try workspace(["a.csv": header + row("01234"), "b.csv": header + row("98765")])
    #expect(workspace.open("import", "auto", "a.csv").code == 0)
    #expect(workspace.open("import", "auto", "a.csv").errors == "")
    #expect(workspace.open("import", "auto", "b.csv", "--update").output.hasPrefix("0 stored, 1 updated"))
    #expect(workspace.open("get", "visa", "extra.zip_code").output == "98765")
    #expect(workspace.open("import", "auto", "b.csv").output.hasPrefix("0 stored, 0 updated, 1 already stored"))
  }

  @Test("good rows are stored and bad ones named by line, never by content; --strict stores none")
  func partly() throws {
    let workspace = try workspace(["a.csv": Self.header + "bad,hunter2,x,y,z,one too many\n" + Self.shop])
    let strict = workspace.open("import", "auto", "a.csv", "--strict")
    #expect(strict.status == .inputRefused)
    #expect(workspace.run("list", "--vault", "v").output.isEmpty)
    let partly = workspace.open("import", "auto", "a.csv")
    #expect(partly.status == .partlyDone)
    #expect(partly.output.hasPrefix("1 stored, 0 updated, 0 already stored, 1 refused\n"))
    #expect(partly.errors.hasPrefix("vault: a.csv: line 2: the row has more cells than the header\n"))
    #expect(!partly.errors.contains("hunter2"))
    #expect(!strict.errors.contains("hunter2"))
  }

  @Test("what stands before a fault that ends the reading is stored")
  func truncated() throws {
    let workspace = try workspace(["a.csv": Self.header + Self.shop + "x,,,\"hunter2"])
    let cut = workspace.open("import", "auto", "a.csv", "--json")
    let document = JSON(cut.output)
    #expect(cut.status == .partlyDone)
    #expect(document["stored"]?.number == 1)
    #expect(document["ledger"]?["leaves"]?.number == 5)
    let fault = document["refused"]?[0]
    #expect(fault?["line"]?.number == 3)
    #expect(fault?["column"]?.number == 5)
    #expect(!cut.output.contains("hunter2"))
  }

  @Test("a table of any kind goes where it is mapped, and what the kind refuses is refused with its member")
  func mapped() throws {
    let table = "Server,Port,What\ndb.example,5432,postgres\ndb2.example,many,postgres\n"
    let workspace = try workspace(["a.csv": table])
    let imported = workspace.open(
      "import", "csv", "a.csv", "--kind", "database", "--map", "host=Server", "--map", "engine=What")
    #expect(imported.status == .partlyDone)
    #expect(imported.errors.hasPrefix("vault: a.csv: line 3: port "))
    #expect(!imported.errors.contains("many"))
    #expect(workspace.open("get", "db.example", "--url").output == "postgres://db.example:5432")
  }

  @Test(
    "a wrong mapping is named",
    arguments: [
      (["host=Nope"], "vault: a.csv: the file has no column \"Nope\", which a mapping names\n"),
      (
        ["foo=Server"],
        "vault: --map: the kind database has no field \"foo\"\nhint: `vault kinds show database` lists the fields\n"
      ),
      (["host=Server", "host=Port"], "vault: --map: host is mapped twice\n"),
    ])
  func wrongMapping(_ mappings: [String], _ said: String) throws {
    let workspace = try workspace(["a.csv": "Server,Port\ndb.example,5432\n"])
    let refused = workspace.run(
      ["import", "csv", "a.csv", "--kind", "database", "--vault", workspace.vault, "--identity", workspace.identity]
        + mappings.map { "--map=" + $0 })
    #expect(refused.errors.hasPrefix(said), "\(refused.errors)")
  }

  @Test("an entry with nothing to go by changes no record, and a file of one record is known by its path or name")
  func nothingToGoBy() throws {
    let two = #"[{"key":"A","value":"one"},{"key":"B","value":"two"}]"#
    let three = #"[{"key":"N","value":"new"},{"key":"A","value":"one"},{"key":"B","value":"two"}]"#
    let workspace = try workspace(["a.json": two, "b.json": three, "x.env": "P=1\n", "y.env": "P=2\n"])
    #expect(workspace.open("import", "auto", "a.json").output.hasPrefix("2 stored"))
    #expect(workspace.open("import", "auto", "b.json", "--update").output.contains(" 0 updated, "))
    _ = workspace.write(three, to: "a.json")
    let again = workspace.open("import", "auto", "a.json", "--update")
    #expect(again.output.contains(" 0 updated, "))
    let all = workspace.open("export", "--reveal", "--yes").output
    #expect(["one", "two", "new"].allSatisfy { all.contains("\"\($0)\"") })
    #expect(workspace.open("import", "dotenv", "x.env").output.hasPrefix("1 stored"))
    #expect(workspace.open("import", "dotenv", "y.env", "--update").output.hasPrefix("1 stored, 0 updated"))
    #expect(workspace.open("import", "dotenv", "-", "--update", input: "P=3\n").status == .inputRefused)
    #expect(workspace.open("import", "dotenv", "-", "--name", "z", input: "P=3\n").output.hasPrefix("1 stored"))
    let named = workspace.open("import", "dotenv", "-", "--name", "z", "--update", input: "P=4\n")
    #expect(named.output.hasPrefix("0 stored, 1 updated"))
  }

  @Test("one of two entries of the same name is never written over the other")
  func twins() throws {
    let (one, two) = ("shop,https://shop.example,ann,first,\n", "shop,https://shop.example,ann,second,\n")
    let workspace = try workspace(["a.csv": Self.header + one + two, "b.csv": Self.header + two])
    #expect(workspace.open("import", "auto", "a.csv").output.hasPrefix("2 stored"))
    #expect(
      workspace.open("import", "auto", "b.csv", "--update").output.hasPrefix("0 stored, 0 updated, 1 already stored"))
    _ = workspace.write(Self.header + "shop,https://shop.example,ann,third,\n", to: "b.csv")
    let changed = workspace.open("import", "auto", "b.csv", "--update")
    #expect(changed.status == .inputRefused)
    #expect(changed.output.hasPrefix("0 stored, 0 updated, 0 already stored, 1 refused"))
    let all = workspace.open("export", "--reveal", "--yes").output
    #expect(all.contains("first"))
    #expect(all.contains("second"))
    #expect(!all.contains("third"))
  }

  @Test("standard input is read, and an encoding can be named")
  func standardInput() throws {
    let workspace = try workspace([:])
    #expect(workspace.open("import", "auto", "-", input: Self.header + Self.shop).code == 0)
    FileTree.write(Array(Self.header.utf8) + [0xE9] + Array(",,,x,\n".utf8), to: workspace.path + "/latin.csv")
    #expect(workspace.open("import", "auto", "latin.csv").status == .inputRefused)
    #expect(workspace.open("import", "auto", "latin.csv", "--encoding", "windows-1252").code == 0)
    #expect(workspace.open("get", "é", "password").output == "x")
  }

  @Test(
    "what cannot be is refused before anything is unlocked",
    arguments: [
      (["import", "nosuch", "a.csv"], 64), (["import", "auto", "plain.txt"], 17),
      (["import", "auto", "none.csv"], 18),
      (["import", "firefox-csv", "a.csv"], 17), (["import", "auto"], 64), (["import", "json", "a.csv"], 17),
      (["import", "auto", "a.csv", "--map", "title=x"], 64), (["import", "auto", "a.csv", "--rejects", "r"], 64),
      (["import", "csv", "a.csv", "--map", "nonsense=name"], 64), (["import", "csv", "a.csv", "--encoding", "x"], 64),
      (["import", "json", "a.csv", "--kind", "login", "--update"], 64),
    ])
  func refused(_ arguments: [String], _ code: Int) throws {
    let workspace = try workspace(["a.csv": Self.header + Self.shop, "plain.txt": "hunter2 is my password\n"])
    let outcome = workspace.run(arguments + ["--vault", workspace.vault, "--identity", workspace.identity])
    #expect(Int(outcome.code) == code)
    #expect(!outcome.errors.contains("hunter2"))
    #expect(outcome.output == "")
  }

  /// Each holds the password `hunter2`; broken so that nothing of it can be read.
  private static let broken: [(name: String, text: String, code: Int)] = [
    ("empty.csv", "", 17), ("header.csv", header, 0), ("lines.csv", "\n\n\n", 17),
    ("unclosed.csv", "name,url,username,\"password,note\nshop,,ann,hunter2,\n", 17),
    ("behind.csv", header + "\"hunter2\"hunter2,,,,\n", 17), ("nul.csv", header + "shop,,ann,hunter2\0,\n", 17),
    ("few.csv", header + "shop,hunter2\n", 17), ("many.csv", header + "shop,,ann,hunter2,,more\n", 17),
    ("nothing.txt", "hunter2 is what I use everywhere\n", 17),
    ("cut.json", #"{"folders": [], "items": [{"name": "hunter2""#, 17),
    ("twice.json", #"{"folders": [], "items": [{"name": "a", "name": "hunter2"}]}"#, 17),
    ("deep.json", #"{"folders": [], "items": "# + String(repeating: "[", count: 500) + "\"hunter2\"", 17),
    ("behind.json", #"{"folders": [], "items": []} hunter2"#, 17),
    ("account.json", #"{"encrypted": true, "encKeyValidation_DO_NOT_EDIT": "hunter2", "items": []}"#, 17),
    (
      "bomb.xml",
      "<!DOCTYPE l [<!ENTITY a \"hunter2\"><!ENTITY b \"&a;&a;&a;&a;\">]><KeePassFile><Root>&b;</Root></KeePassFile>",
      17
    ),
    ("cut.xml", "<KeePassFile><Root><Group><Name>hunter2</Name>", 17),
    ("cut.plist", "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><dict><key>password</key><string>hunter2", 17),
    ("cut.1pux", "PK\u{3}\u{4}hunter2", 17), ("a.kdbx", "\u{3}hunter2", 17),
    ("sops.yaml", "a: ENC[AES256_GCM,data:hunter2,iv:x,tag:y,type:str]\nsops: [\n", 17),
  ]

  @Test("a file broken on purpose stores nothing, ends with the right code and is not quoted", arguments: broken)
  func brokenFile(name: String, text: String, code: Int) throws {
    let workspace = try workspace([name: text])
    let before = snapshot(workspace.vault)
    let outcome = workspace.open("import", "auto", name)
    #expect(Int(outcome.code) == code, "\(outcome.errors)")
    #expect(!outcome.errors.contains("hunter2"))
    #expect(!outcome.output.contains("hunter2"))
    #expect(code == 0 || outcome.errors.isError(about: name))
    #expect(snapshot(workspace.vault) == before)
  }

  @Test("a wrong password of the file, or none, ends with 11 and stores nothing")
  func wrongPassword() throws {
    // A sealed export of no account: salt, check and data are of the right form, and no password opens them.
    let box = "2.AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    let file =
      #"{"encrypted": true, "passwordProtected": true, "salt": "c2FsdA==", "kdfType": 0, "kdfIterations": 5000,"#
      + #" "encKeyValidation_DO_NOT_EDIT": "\#(box)", "data": "\#(box)"}"#
    let workspace = try workspace(["a.json": file, "pw": "hunter2\n"])
    let before = snapshot(workspace.vault)
    let wrong = workspace.open("import", "auto", "a.json", "--source-passphrase-file", "pw")
    #expect(wrong.status == .cannotUnlock)
    #expect(wrong.errors.hasPrefix("vault: a.json: the password does not open the file\n"))
    #expect(workspace.open("import", "auto", "a.json").status == .cannotUnlock)
    #expect(snapshot(workspace.vault) == before)
    #expect(!wrong.errors.contains("hunter2"))
  }

  @Test("an entry whose names are larger than a record may be is refused at its place, and the others are stored")
  func largeNames() throws {
    let name = String(repeating: "n", count: 17 << 20)
    let workspace = try workspace(["a.json": #"[{"\#(name)":"x1","title":"a"},{"password":"x2","title":"b"}]"#])
    let imported = workspace.open("import", "plain-json", "a.json")
    #expect(imported.status == .partlyDone)
    #expect(imported.output.hasPrefix("1 stored, 0 updated, 0 already stored, 1 refused\n"))
    #expect(imported.errors.hasPrefix("vault: a.json: [0] "))
    #expect(imported.errors.utf8.count < 4096)
  }

  @Test("an entry that has nothing but its place for a title already exists where it stands elsewhere")
  func moved() throws {
    let (one, two) = (#"{"password":"x1"}"#, #"{"password":"x2"}"#)
    let workspace = try workspace(["a.json": "[\(one),\(two)]", "b.json": "[\(two),\(one)]"])
    #expect(workspace.open("import", "plain-json", "a.json").output.hasPrefix("2 stored"))
    let again = workspace.open("import", "plain-json", "b.json")
    #expect(again.output.hasPrefix("0 stored, 0 updated, 2 already stored, 0 refused\n"), "\(again)")
  }

  @Test("a faulty file without --kind shows its own fault; --kind is asked for only where none is said")
  func ownFaults() throws {
    let record = #"{"$vault":{"kind":"login"},"title":"a","password":"x1"}"#
    let workspace = try workspace([
      "cut.json": "[\(record),", "array.jsonl": "[\(record),\n\(record)]", "line.jsonl": "{\n\(record)\n",
      "none.json": #"[{"title":"a"}]"#,
    ])
    func errors(_ format: String, _ file: String) -> String { workspace.open("import", format, file).errors }
    #expect(errors("json", "cut.json").hasPrefix("vault: cut.json: line 1, column "))
    #expect(errors("jsonl", "array.jsonl").contains("which is json and not jsonl"))
    #expect(errors("jsonl", "line.jsonl").hasPrefix("vault: line.jsonl: line 1: "))
    #expect(
      errors("json", "none.json").hasPrefix("vault: --kind: the json file does not name the kind of each record\n"))
  }

  @Test("two values of one place of Bitwarden's are both in an export")
  func onePlace() throws {
    let place = "passwordHistory[0].password"
    let record = #"{"title":"a","fields":{"\#(place)":"old one"},"secrets":{"\#(place)":"old two"}}"#
    let workspace = try workspace([:])
    #expect(workspace.open("add", "login", "--from", "-", input: record).code == 0)
    let exported = workspace.open("export", "--format", "bitwarden", "--reveal")
    #expect(exported.output.contains("old one"), "\(exported)")
    #expect(exported.output.contains("old two"), "\(exported)")
    #expect(exported.errors.contains("1 "), "\(exported)")
  }

  @Test("the list names each format and what is kept of it")
  func list() throws {
    let workspace = try Workspace()
    let list = workspace.run("import", "--list")
    #expect(list.code == 0)
    #expect(list.output.contains("lastpass-csv\n  LastPass, CSV; "))
    #expect(try #require(JSON(workspace.run("import", "--list", "--json").output)["formats"]?.items?.count) >= 30)
  }
}
