import Testing
import VaultTestSupport

@Suite("Former values")
struct FormerValueTests {
  /// A login whose password was `one`, then each of the others.
  private static func withLogin(_ passwords: String..., options: [String] = []) throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.run(["init", "v", "--generate-identity", "id.txt"] + options)
    try #require(made.code == 0, "\(made.errors)")
    let added = workspace.open("add", "login", "Mail", "username=u", "--secret-stdin", "password", input: "one")
    try #require(added.code == 0, "\(added.errors)")
    for password in passwords { try workspace.set(password) }
    return workspace
  }

  @Test("a replaced password is printed, shown, brought back, and replaces the present one in turn")
  func session() throws {
    let workspace = try Self.withLogin()
    let changed = workspace.open("set", "Mail", "--secret-stdin", "password", input: "two")
    #expect(changed.code == 0 && changed.output.isEmpty, "\(changed.errors)")
    #expect(
      changed.errors == "note: Mail: password replaced; the former one stays (vault restore Mail password --former)\n")
    #expect(workspace.former() == ["one"])
    let shown = workspace.open("show", "Mail")
    #expect(shown.output.contains("1 former value, the last replaced 20"), "\(shown.output)")
    #expect(!shown.output.contains("one"), "\(shown.output)")
    let back = workspace.open("restore", "Mail", "password", "--former")
    #expect(back.code == 0, "\(back.errors)")
    #expect(back.errors.contains("Mail: password has its value of 20"), "\(back.errors)")
    #expect(workspace.open("get", "Mail", "password").output == "one")
    #expect(workspace.former() == ["two"])
    #expect(workspace.open("verify").code == 0)
  }

  @Test("the newest comes first, five stay, and a number that is not there is refused")
  func order() throws {
    let workspace = try Self.withLogin("two", "three", "four", "five", "six", "seven")
    #expect(workspace.former() == ["six", "five", "four", "three", "two"])
    let beyond = workspace.open("get", "Mail", "password", "--former", "6")
    #expect(beyond.status == .notFound && beyond.output.isEmpty)
    #expect(beyond.errors.contains("vault: password has 5 former values\n"), "\(beyond.errors)")
    for wrong in ["0", "-1", "21", "x"] {
      let refused = workspace.open("get", "Mail", "password", "--former", wrong)
      #expect(refused.code == 64 && refused.output.isEmpty, "\(wrong): \(refused.errors)")
    }
  }

  @Test("a value that comes back is no former one, and equal values are not kept twice")
  func equalValues() throws {
    let workspace = try Self.withLogin("two", "one", "two", "one")
    #expect(workspace.former() == ["two"])
    // The same value again changes nothing.
    let same = workspace.open("set", "Mail", "--secret-stdin", "password", input: "one")
    #expect(same.errors == "note: nothing changed\n")
    #expect(workspace.former() == ["two"])
  }

  @Test("a removed field comes back", arguments: ["password", "secrets.pin"])
  func removed(_ field: String) throws {
    let workspace = try Self.withLogin()
    #expect(workspace.open("set", "Mail", "--secret-stdin", field, input: "gone").code == 0)
    let unset = workspace.open("unset", "Mail", field)
    #expect(unset.errors.contains("Mail: \(field) removed; the former one stays"), "\(unset.errors)")
    #expect(workspace.open("get", "Mail", field).status == .notFound)
    #expect(workspace.open("get", "Mail", field, "--former").output == "gone")
    #expect(workspace.open("restore", "Mail", field, "--former").code == 0)
    #expect(workspace.open("get", "Mail", field).output == "gone")
    let rest = workspace.open("get", "Mail", field, "--former")
    #expect(field == "password" ? rest.output == "one" : rest.status == .notFound, "\(rest.errors)")
  }

  @Test("restore shows with --dry-run what it would do, and writes nothing")
  func dryRun() throws {
    let workspace = try Self.withLogin("two")
    let before = workspace.snapshot()
    let tried = workspace.open("restore", "Mail", "password", "--former", "--dry-run")
    #expect(tried.code == 0 && tried.errors.contains("Mail: password would have its value of 20"), "\(tried.errors)")
    #expect(workspace.snapshot() == before)
  }

  @Test("restore without a field takes the only one, and names the fields if there are several")
  func withoutField() throws {
    let workspace = try Self.withLogin("two")
    #expect(workspace.open("restore", "Mail", "--former").code == 0)
    #expect(workspace.open("get", "Mail", "password").output == "one")
    for value in ["1", "2"] {
      #expect(workspace.open("set", "Mail", "--secret-stdin", "secrets.pin", input: value).code == 0)
    }
    let unclear = workspace.open("restore", "Mail", "--former")
    #expect(unclear.code == 64, "\(unclear.errors)")
    #expect(unclear.errors.contains("name one: password, secrets.pin"), "\(unclear.errors)")
  }

  @Test("forget drops them for good, of one field or of all, and asks first")
  func forget() throws {
    let workspace = try Self.withLogin("two", "three")
    for value in ["1", "2"] {
      #expect(workspace.open("set", "Mail", "--secret-stdin", "secrets.pin", input: value).code == 0)
    }
    #expect(workspace.open("forget", "Mail").status == .declined)
    #expect(workspace.former().count == 2)
    let one = workspace.open("forget", "Mail", "secrets.pin", "--yes")
    #expect(one.errors == "note: Mail: 1 former value dropped\n")
    let rest = workspace.open("forget", "Mail", "--yes")
    #expect(rest.errors == "note: Mail: 2 former values dropped\n")
    #expect(workspace.open("forget", "Mail", "--yes").errors == "note: Mail: there are no former values\n")
    #expect(workspace.open("forget", "Mail", "nothing", "--yes").status == .notFound)
    #expect(workspace.open("get", "Mail", "password").output == "three")
    #expect(!(try workspace.text(of: "v/" + workspace.recordFile("Mail"))).contains("\"former\""))
    #expect(workspace.open("verify").code == 0)
  }

  @Test("init --former says how many stay", arguments: [0, 1, 2, 20])
  func limit(_ count: Int) throws {
    let workspace = try Self.withLogin("2", "3", "4", options: ["--former", "\(count)"])
    #expect(workspace.former() == Array(["3", "2", "one"].prefix(count)))
    #expect(workspace.text(of: "v/vault.json").contains("\"former\" : \(count),"))
  }

  @Test("init refuses another number, and the usual one leaves the header as it was", arguments: ["-1", "21", "x"])
  func wrongLimit(_ count: String) throws {
    let workspace = try Workspace()
    let refused = workspace.run("init", "v", "--generate-identity", "id.txt", "--former", count)
    #expect(refused.code == 64, "\(refused.errors)")
    #expect(workspace.run("init", "v", "--generate-identity", "id.txt", "--former", "5").code == 0)
    #expect(!workspace.text(of: "v/vault.json").contains("former"))
  }

  @Test("--json tells the sealing times, and the value only where it was asked for")
  func json() throws {
    let workspace = try Self.withLogin("two")
    let shown = JSON(workspace.open("show", "Mail", "--json").stdout)
    #expect(shown["former"]?["password"]?[0]?["sealed_at"]?.text?.hasPrefix("20") == true)
    let got = JSON(workspace.open("get", "Mail", "password", "--former", "--json").stdout)
    #expect(got["value"]?.text == "one" && got["path"]?.text == "password")
    let restored = JSON(workspace.open("restore", "Mail", "password", "--former", "--json").stdout)
    #expect(restored["path"]?.text == "password")
    #expect(JSON(workspace.open("forget", "Mail", "--yes", "--json").stdout)["forgotten"]?.number == 1)
  }

  @Test("a readable field has no former values")
  func readable() throws {
    let workspace = try Self.withLogin()
    let changed = workspace.open("set", "Mail", "username=v")
    #expect(changed.errors.isEmpty, "\(changed.errors)")
    let none = workspace.open("get", "Mail", "username", "--former")
    #expect(none.status == .notFound && none.errors.contains("username has no former value"), "\(none.errors)")
    #expect(workspace.open("restore", "Mail", "username", "--former").status == .notFound)
  }
}

extension Workspace {
  fileprivate func set(_ password: String) throws {
    let changed = open("set", "Mail", "--secret-stdin", "password", input: password)
    try #require(changed.code == 0, "\(changed.errors)")
  }

  /// The former passwords, newest first.
  fileprivate func former() -> [String] {
    var found: [String] = []
    while found.count < 25 {
      let got = open("get", "Mail", "password", "--former", "\(found.count + 1)")
      guard got.code == 0 else { break }
      found.append(got.output)
    }
    return found
  }
}
