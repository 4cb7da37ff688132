import Testing
import VaultTestSupport

/// The completions of Tab.
@Suite("Completion")
struct CompletionTests {
  private static let names = ["GitHub", "Git Hub (work)", "it's: a \"test\" [x]", "Émile", "a=b"]

  private static func made() throws -> Workspace {
    let workspace = try Workspace.withVault()
    for name in names {
      let added = workspace.open("add", "login", "--set", "title=\(name)", "username=ada")
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  private func words(_ workspace: Workspace, _ typed: String...) -> [String] { words(workspace, typed) }

  private func words(_ workspace: Workspace, _ typed: [String], adding: [String: String] = [:]) -> [String] {
    let variables = adding.merging(["CVAULT_DIR": workspace.vault]) { $1 }
    let outcome = workspace.run(["complete", "zsh"] + typed, adding: variables)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("commands, options, kinds, records, fields, slots and formats are found, without a key")
  func found() throws {
    let workspace = try Self.made()
    #expect(words(workspace, "ge") == ["get", "generate"])
    #expect(words(workspace, "tot") == ["totp"])
    #expect(words(workspace, "key", "") == ["list", "add", "sheet", "remove", "change-passphrase", "help"])
    #expect(words(workspace, "get", "--iden") == ["--identity", "--identity-command"])
    #expect(words(workspace, "add", "lo") == ["login"])
    #expect(words(workspace, "list", "--kind", "lo") == ["login"])
    #expect(words(workspace, "list", "--kind=lo") == ["--kind=login"])
    #expect(Set(words(workspace, "get", "git")) == ["GitHub", "Git Hub (work)"])
    #expect(words(workspace, "get", "GitHub", "us") == ["username"])
    #expect(words(workspace, "set", "GitHub", "us") == ["username="])
    #expect(words(workspace, "add", "login", "ti") == ["title="])
    #expect(words(workspace, "set", "GitHub", "--secret", "p") == ["password"])
    #expect(words(workspace, "export", "--format", "b") == ["bitwarden"])
    #expect(words(workspace, "import", "bitwarden-c") == ["bitwarden-csv"])
    #expect(words(workspace, "key", "remove", "").count == 1)
    #expect(words(workspace, "import", "csv", "x") == ["\u{1}files"])
    #expect(words(workspace, "--quiet", "show", "GitHu") == ["GitHub"])
  }

  @Test("where there is no vault, nothing is found and nothing is said")
  func nothing() throws {
    let workspace = try Workspace()
    #expect(words(workspace, "get", "") == [])
    #expect(words(workspace, "nosuch", "x") == [])
    #expect(words(workspace, "add", "custo") == ["customer", "custom"])
  }

  @Test("a name that two records have is offered once, and their ids where one was begun")
  func namesakes() throws {
    let workspace = try Self.made()
    let added = workspace.open("add", "login", "title=GitHub", "username=b")
    #expect(added.code == 0)
    #expect(words(workspace, "get", "GitH") == ["GitHub"])
    #expect(words(workspace, "get", "").count == Self.names.count)
    let id = String(added.output.dropLast())
    #expect(words(workspace, "get", String(id.prefix(6))) == [id])
  }

  @Test(
    "commands that take removed records are offered those alone",
    arguments: [["restore"], ["trash", "restore"], ["trash", "empty"]])
  func removed(_ command: [String]) throws {
    let workspace = try Self.made()
    for title in ["Gitea", "Gitea", "Gone"] {
      let added = workspace.open("add", "login", "title=\(title)")
      #expect(workspace.open("rm", "-y", String(added.output.dropLast())).code == 0)
    }
    #expect(words(workspace, command + ["Git"]) == ["Gitea"])
    #expect(Set(words(workspace, command + [""])) == ["Gitea", "Gone"])
    #expect(words(workspace, ["show", "Gi"]).allSatisfy { $0.hasPrefix("Git") })
    #expect(!words(workspace, ["get", ""]).contains("Gone"))
  }

  @Test("behind run -- stand programs of the PATH, and behind one of them files")
  func programs() throws {
    let workspace = try Self.made()
    workspace.prepare("mkdir bin; for n in gitx gity; do : >bin/$n; chmod 700 bin/$n; done; : >bin/gitz")
    let path = ["PATH": workspace.path + "/bin"]
    #expect(words(workspace, ["run", "--", "git"], adding: path) == ["gitx", "gity"])
    #expect(words(workspace, ["run", "--env", "A=b", "--", "gitx"], adding: path) == ["gitx"])
    #expect(words(workspace, ["run", "--", "gitx", "fi"], adding: path) == ["\u{1}files"])
    #expect(words(workspace, ["run", "--", "./gi"], adding: path) == ["\u{1}files"])
  }

  @Test("files stand where a recipient's file or an identity may")
  func files() throws {
    let workspace = try Self.made()
    #expect(words(workspace, ["key", "add", "ad"]) == ["\u{1}files"])
    #expect(words(workspace, ["key", "add", "age1"]).isEmpty)
    #expect(words(workspace, ["backup", "create", "--prove-with", "id"]) == ["\u{1}files"])
  }

  @Test("edit --field is offered fields, of the record where one stands before it")
  func editedField() throws {
    let workspace = try Self.made()
    #expect(words(workspace, ["edit", "GitHub", "--field", "pa"]) == ["password"])
    #expect(words(workspace, ["edit", "GitHub", "--field=pa"]) == ["--field=password"])
    #expect(words(workspace, ["edit", "--field", "pas"]).contains("password"))
  }

  @Test("references are completed by record, and then by field")
  func references() throws {
    let workspace = try Self.made()
    let second = workspace.open("add", "login", "title=Twin")
    #expect(workspace.open("add", "login", "title=Twin").code == 0)
    #expect(words(workspace, ["run", "--env", "X=cva"]) == ["X=cvault://"])
    #expect(words(workspace, ["run", "--env", "X=cvault://GitH"]) == ["X=cvault://GitHub/"])
    #expect(words(workspace, ["run", "--env=X=cvault://GitH"]) == ["--env=X=cvault://GitHub/"])
    #expect(words(workspace, ["run", "--env", "X=cvault://Git%20"]) == ["X=cvault://Git%20Hub%20%28work%29/"])
    #expect(words(workspace, ["run", "--fd", "X=cvault://GitHub/pa"]) == ["X=cvault://GitHub/password"])
    #expect(words(workspace, ["run", "--file", "X=cvault://GitHub/us"]) == ["X=cvault://GitHub/username"])
    #expect(words(workspace, ["run", "--stdin", "cvault://GitHub/pa"]) == ["cvault://GitHub/password"])
    #expect(words(workspace, ["get", "cvault://GitHub/pa"]) == ["cvault://GitHub/password"])
    #expect(words(workspace, ["run", "--env", "X=plain"]).isEmpty)
    let id = String(second.output.dropLast())
    #expect(words(workspace, ["run", "--env", "X=cvault://\(id.prefix(6))"]) == ["X=cvault://\(id)/"])
    #expect(words(workspace, ["run", "--env", "X=cvault://Tw"]).isEmpty)
  }

  @Test("bash gets what it would read as the name, whatever is typed before", arguments: names)
  func quoted(_ name: String) throws {
    let workspace = try Self.made()
    _ = workspace.write(String(decoding: workspace.run("completion", "bash").stdout, as: UTF8.self), to: "c.sh")
    // Without quotes, and within each sort.
    for begin in [String(name.prefix(1)), "\"" + name.prefix(1), "'" + name.prefix(1)] {
      let script = """
        source ./c.sh
        COMP_LINE='vault get '"$1"; COMP_POINT=${#COMP_LINE}
        word=${1#[\\"\\']}
        _vault_complete "$0" "$word"
        for reply in "${COMPREPLY[@]}"; do
          case $1 in \\"*) reply="\\"$reply\\"" ;; \\'*) reply="'$reply'" ;; esac
          eval "printf '%s\\n' $reply"
        done
        """
      let run = ProcessRun(
        path: "/bin/bash", arguments: ["-c", script, Binary.path, begin],
        environment: workspace.environment.merging(["CVAULT_DIR": workspace.vault]) { $1 }, directory: workspace.path
      ).run()
      #expect(run.output.split(separator: "\n").contains { $0 == name }, "\(begin): \(run.output)\(run.errors)")
    }
  }

  @Test("each shell takes its script, and the name is one that a shell can take")
  func scripts() throws {
    let workspace = try Workspace()
    for shell in ["bash", "zsh", "fish"] {
      let script = workspace.run("completion", shell, "--name", "my-vault.2")
      #expect(script.code == 0)
      #expect(script.output.contains("my-vault.2"))
      #expect(!script.output.contains("NAME"))
      #expect(script.output.contains("my_vault_2"))
    }
    #expect(workspace.run("completion", "bash", "--name", "a b").status == .usage)
    #expect(workspace.run("completion", "tcsh").status == .usage)
  }

  @Test("the manual has a page for each command, with all its options, variables, files and exit codes")
  func manual() throws {
    let workspace = try Workspace()
    let page = workspace.run("complete", "man", "key").output
    #expect(page.hasPrefix(".Dd "))
    #expect(page.contains("\n.Dt VAULT-KEY 1\n"))
    #expect(page.contains("\n.Ss vault key add\n"))
    #expect(page.contains("\n.It Fl -recipient Ar age1…\n"))
    for page in [page, workspace.run("complete", "man").output] {
      #expect(page.contains("\n.It Fl -lock-timeout Ar seconds\n"))
      #expect(page.contains("\n.Sh ENVIRONMENT\n") && page.contains("\n.It Ev CVAULT_DIR\n"))
      #expect(page.contains("\n.Sh FILES\n") && page.contains("\n.Sh EXIT STATUS\n"))
    }
    // A page does not show options that its command refuses.
    #expect(!workspace.run("complete", "man", "completion").output.contains("-lock-timeout"))
  }
}
