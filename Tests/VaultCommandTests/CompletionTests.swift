import Testing
import VaultTestSupport

/// What Tab finds.
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

  private func words(_ workspace: Workspace, _ typed: String...) -> [String] {
    let outcome = workspace.run(["complete", "zsh"] + typed, adding: ["CVAULT_DIR": workspace.vault])
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("commands, options, kinds, records, fields, slots and formats are found, without a key")
  func found() throws {
    let workspace = try Self.made()
    #expect(words(workspace, "ge") == ["get", "generate"])
    #expect(words(workspace, "tot") == ["totp"])
    #expect(words(workspace, "key", "") == ["list", "add", "remove", "change-passphrase", "help"])
    #expect(words(workspace, "get", "--iden") == ["--identity"])
    #expect(words(workspace, "add", "lo") == ["login"])
    #expect(
      words(workspace, "list", "--kind", "lo") == ["login"] && words(workspace, "list", "--kind=lo") == ["--kind=login"]
    )
    #expect(Set(words(workspace, "get", "git")) == ["GitHub", "Git Hub (work)"])
    #expect(words(workspace, "get", "GitHub", "us") == ["username"])
    #expect(
      words(workspace, "set", "GitHub", "us") == ["username="] && words(workspace, "add", "login", "ti") == ["title="])
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
    #expect(words(workspace, "get", "") == [] && words(workspace, "nosuch", "x") == [])
    #expect(words(workspace, "add", "custo") == ["customer", "custom"])
  }

  @Test("two records of one name are offered by their ids")
  func namesakes() throws {
    let workspace = try Self.made()
    #expect(workspace.open("add", "login", "title=GitHub", "username=b").code == 0)
    #expect(words(workspace, "get", "GitH").isEmpty)
    #expect(words(workspace, "get", "").count == Self.names.count + 1)
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
      #expect(script.code == 0 && script.output.contains("my-vault.2") && !script.output.contains("NAME"))
      #expect(script.output.contains("my_vault_2"))
    }
    #expect(workspace.run("completion", "bash", "--name", "a b").code == 64)
    #expect(workspace.run("completion", "tcsh").code == 64)
  }

  @Test("the manual has a page for each command, with every option of its own")
  func manual() throws {
    let workspace = try Workspace()
    let page = workspace.run("complete", "man", "key").output
    #expect(page.hasPrefix(".Dd ") && page.contains("\n.Dt VAULT-KEY 1\n"))
    #expect(page.contains("\n.Ss vault key add\n") && page.contains("\n.It Fl -recipient Ar age1…\n"))
    #expect(!page.contains("-lock-timeout"))
    #expect(workspace.run("complete", "man").output.contains("\n.It Fl -lock-timeout Ar seconds\n"))
  }
}
