import Testing
import VaultTestSupport

private let marker = "p w\"x\n2-marker"

private func makeWorkspace() throws -> Workspace {
  let workspace = try Workspace.withVault()
  let login = workspace.open(
    "add", "login", "GitHub", "--set", "username=ada", "--secret-stdin", "password", input: marker)
  #expect(login.code == 0, "\(login.errors)")
  let database = workspace.open(
    "add", "database", "Orders", "--set", "engine=postgresql", "--set", "host=h", "--set", "database=d", "--set",
    "user=u", "--set", "port=5432", "--secret-stdin", "password", input: "s3cret")
  #expect(database.code == 0, "\(database.errors)")
  return workspace
}

@Suite("vault inject")
struct InjectTests {
  private static let template = """
    {"user": "{{ cvault://GitHub/username }}", "password": {{cvault://GitHub/password}},
     "port": {{ cvault://Orders/port }}, "url": "{{ cvault://Orders?view=url }}", "x": "{{{{ y }}"}
    """

  @Test("a template is filled as its format asks, to stdout and to a file for its owner")
  func filled() throws {
    let workspace = try makeWorkspace()
    _ = workspace.write(Self.template, to: "app.json.tmpl")
    for outcome in [
      workspace.open("inject", "-i", "app.json.tmpl"),
      workspace.open("inject", "--format", "json", input: Self.template),
    ] {
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors == "", "\(outcome.errors)")
      let made = JSON(outcome.stdout)
      #expect(made["password"]?.text == marker)
      #expect(made["user"]?.text == "ada")
      #expect(made["port"]?.number == 5432)
      #expect(made["url"]?.text == "postgresql://u:s3cret@h:5432/d")
      #expect(made["x"]?.text == "{{ y }}")
    }
    let written = workspace.open("inject", "-i", "app.json.tmpl", "-o", "out", "--json")
    #expect(written.code == 0, "\(written.errors)")
    #expect(JSON(written.stdout)["places"]?.number == 4, "\(written.errors)")
    #expect(JSON(FileTree.contents(of: workspace.path + "/out") ?? [])["password"]?.text == marker)
    workspace.prepare("test $(stat -c %a out) = 600")
    #expect(workspace.open("inject", "-i", "app.json.tmpl", "-o", "out").status == .alreadyExists)
    #expect(workspace.open("inject", "-i", "app.json.tmpl", "-o", "out", "-y").code == 0)
    let raw = workspace.open("inject", "--format", "raw", input: "[{{ cvault://GitHub/password }}]")
    #expect(raw.output == "[\(marker)]")
  }

  @Test("nothing is written when one reference fails, a value does not fit, or the text is not of its format")
  func refused() throws {
    let workspace = try makeWorkspace()
    for (text, format, code, line) in [
      ("{{cvault://GitHub/username}}\n{{cvault://Nope/x}}", "raw", Int32(10), ""),
      ("{{cvault://GitHub/username}}\n{{cvault://GitHub/nope}}", "raw", 10, ""),
      ("a = 1\nb = {{cvault://GitHub/password}}\n", "ini", 17, "line 2"),
      ("{\n{{cvault://GitHub/password}}", "json", 17, "line 2"),
      ("\n{{ cvault://GitHub }}", "raw", 17, "line 2"), ("# {{ cvault://GitHub/password }}", "toml", 17, "line 1"),
    ] {
      let outcome = workspace.open("inject", "--format", format, "-o", "out", input: text)
      #expect(outcome.code == code, "\(text): \(outcome.errors)")
      #expect(outcome.errors.contains(line), "\(text): \(outcome.errors)")
      #expect(!outcome.errors.contains("marker"))
      #expect(outcome.stdout.isEmpty)
    }
    #expect(workspace.open("inject", "-o", "v/x", input: "x").status == .inputRefused)
    #expect(workspace.open("inject", "-i", "missing").status == .inputOutput)
    #expect(workspace.run(["inject", "--vault", "v"], input: "{{ cvault://GitHub/password }}").status == .cannotUnlock)
    let file = workspace.vault + "/" + (try workspace.recordFile("GitHub"))
    let text = String(decoding: FileTree.contents(of: file) ?? [], as: UTF8.self)
    FileTree.write(Array(text.replacing("\"ada\"", with: "\"eve\"").utf8), to: file)
    #expect(workspace.open("inject", "-o", "out", input: "{{ cvault://GitHub/username }}").status == .damaged)
    #expect(FileTree.kind(of: workspace.path + "/out") == nil)
  }

  @Test(
    "a text that begins with #! and a shell is filled as a script, whatever its name is",
    arguments: ["#!/bin/sh", "#!/usr/bin/env bash", "#! /usr/bin/zsh -e", "#!/bin/busybox sh"])
  func interpreter(_ line: String) throws {
    let workspace = try makeWorkspace()
    let text = line + "\necho {{cvault://GitHub/password}}\n"
    _ = workspace.write(text, to: "deploy.tmpl")
    let wanted = line + "\necho '\(marker)'\n"
    #expect(workspace.open("inject", input: text).output == wanted)
    #expect(workspace.open("inject", "-i", "deploy.tmpl").output == wanted)
    #expect(workspace.open("inject", "--format", "raw", input: text).output == wanted.replacing("'", with: ""))
  }

  @Test("--dry-run shows each place and its meaning without a key")
  func preview() throws {
    let workspace = try makeWorkspace()
    _ = workspace.write(Self.template, to: "app.json")
    let shown = workspace.run("inject", "-i", "app.json", "--dry-run", "--vault", "v")
    #expect(shown.code == 0)
    #expect(shown.output.contains("app.json:2"))
    #expect(shown.output.contains("GitHub (login), sealed"))
    let gone = workspace.run(["inject", "--dry-run", "--json", "--vault", "v"], input: "\n{{ cvault://Gone/x }}")
    #expect(gone.status == .findings)
    #expect(JSON(gone.stdout)["references"]?[0]?["line"]?.number == 2)
    let place = workspace.run(
      ["inject", "--dry-run", "--format", "toml", "--vault", "v"], input: "# {{ cvault://GitHub/x }}")
    #expect(place.status == .inputRefused)
  }

  @Test("CVAULT_NO_REVEAL keeps a sealed value from stdout and files")
  func noReveal() throws {
    let workspace = try makeWorkspace()
    let words = ["inject", "--vault", "v", "--identity", "id.txt"]
    let text = "{{ cvault://GitHub/password }}"
    let shown = workspace.run(words, input: text, adding: ["CVAULT_NO_REVEAL": ""])
    #expect(shown.status == .declined)
    #expect(shown.stdout.isEmpty)
    #expect(workspace.run(words + ["-o", "out"], input: text, adding: ["CVAULT_NO_REVEAL": ""]).status == .declined)
    #expect(FileTree.kind(of: workspace.path + "/out") == nil)
    let readable = workspace.run(words, input: "{{ cvault://GitHub/username }}", adding: ["CVAULT_NO_REVEAL": ""])
    #expect(readable.output == "ada", "\(readable)")
  }

  @Test(
    "a file that git tracks, or would, is not written",
    .enabled(if: Need.command("git").isMet(forCases: 1, of: "inject")))
  func git() throws {
    let workspace = try makeWorkspace()
    workspace.prepare(
      "git init -q w && cd w && mkdir sub && echo '*.secret' > .gitignore && echo x > kept && git add kept")
    for (file, code, reason) in [
      ("w/kept", Int32(17), "is tracked by git"), ("w/new", 17, "git would track this file"),
      ("w/sub/a", 17, "git would track this file"), ("w/a.secret", 0, ""), ("w/.git/a", 0, ""), ("beside", 0, ""),
    ] {
      let outcome = workspace.open("inject", "-o", file, input: "x")
      #expect(outcome.code == code, "\(file): \(outcome.errors)")
      #expect(outcome.errors.contains(reason), "\(file): \(outcome.errors)")
    }
    #expect(workspace.text(of: "w/kept") == "x\n")
    #expect(workspace.open("inject", "-o", "w/kept", "-y", input: "{{cvault://GitHub/username}}").code == 0)
    #expect(workspace.text(of: "w/kept") == "ada")
  }
}
