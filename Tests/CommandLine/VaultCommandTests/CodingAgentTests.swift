import Testing
import VaultTestSupport

/// Lines that a coding agent types, and what happens to each.
private enum Attempts {
  /// Lines that print a secret, or write it to a file, for a person. Beside an agent they are refused.
  static let refused = [
    "vault get GitHub password",
    "vault get github password --json",
    "vault get GitHub password --yes --quiet --verbose",
    "vault get cvault://GitHub/password",
    "vault get GitHub password -o out.txt",
    "vault get GitHub password | base64",
    "vault get GitHub password > out.txt; s=$?; cat out.txt; exit $s",
    "vault get GitHub pass",
    "vault get GitHub totp",
    "vault get GitHub password --former",
    "vault get GitHub password --former 1 --json",
    "vault get GitHub password --former -o out.txt",
    "vault get Orders --url",
    "vault get Orders --url --json",
    "vault get 'cvault://Orders?view=url'",
    "vault get GitHub --attachment note.txt",
    "vault get GitHub --attachment note.txt -o out.txt",
    "vault show GitHub --reveal",
    "vault cat GitHub --reveal --json",
    "vault show --reveal --no-color GitHub",
    "vault export --reveal --yes",
    "vault export --reveal --yes --json",
    "vault export --reveal --yes --format jsonl -o out.jsonl",
    "vault export --reveal --yes --format bitwarden",
    "vault export --reveal --yes --former --format json",
    "vault export --reveal --yes --format plist --kind login",
    "echo '{{ cvault://GitHub/password }}' | vault inject",
    "echo '{{ cvault://GitHub/password }}' | vault inject -o out.txt",
    "echo '{\"p\": \"{{ cvault://Orders?view=url }}\"}' > t.json; vault inject -i t.json -o out.json --json",
    "vault otp GitHub --uri",
    "vault code GitHub --uri --json",
    "printf 'protocol=https\\nhost=github.com\\n\\n' | vault credential git get",
    "printf 'protocol=https\\nhost=github.com\\n\\n' > r; bash -c 'vault credential git get < r; exit $?'",
    "vault credential aws Deploy",
    "vault credential ansible --vault-id GitHub",
    "ln -s \"$(command -v vault)\" x-client; ./x-client --vault-id GitHub",
    "vault run --redact never --env P=cvault://GitHub/password -- printenv P",
    "vault exec --redact=never --stdin cvault://GitHub/password -- cat",
    "vault run --redact never --env P=cvault://GitHub/password -- sh -c 'printenv P > out.txt'",
    "vault run -- vault get GitHub password --vault \"$CVAULT_DIR\" --identity \"$CVAULT_IDENTITY_FILE\"",
    "vault run --pristine -- vault get GitHub password --vault \"$CVAULT_DIR\" --identity \"$CVAULT_IDENTITY_FILE\"",
    "vault run --pass-vault -- vault show GitHub --reveal",
  ]
  /// The same at a terminal.
  static let refusedAtTerminal = [
    "vault get GitHub", "vault get GitHub password", "vault show GitHub --reveal", "vault copy GitHub --via osc52",
    "CVAULT_CLIPBOARD=osc52 vault copy GitHub password", "EDITOR='tail -n +1' vault edit GitHub",
    "EDITOR=cat vault edit GitHub --field password", "EDITOR=cat vault edit GitHub --field=totp",
    "vault otp GitHub --uri", "vault run --redact never --env P=cvault://GitHub/password -- printenv P",
  ]
  /// Lines whose output has a mark in place of the secret.
  static let redacted = [
    "vault run --env P=cvault://GitHub/password -- printenv P",
    "vault run --env P=cvault://GitHub/password -- env",
    "vault run --env P=cvault://GitHub/password -- sh -c 'echo \"$P\" >&2'",
    "vault run --env P=cvault://GitHub/password -- sh -c 'printf %s \"$P\" | base64'",
    "vault run --env P=cvault://GitHub/password -- sh -c 'printf %s \"user:$P\" | base64'",
    "vault run --env P=cvault://GitHub/password -- sh -c 'printf %s \"$P\" | od -An -v -tx1 | tr -d \" \\n\"'",
    "vault run --env P=cvault://GitHub/password -- printenv P | base64",
    "vault run --env U='cvault://Orders?view=url' -- printenv U",
    "vault run --stdin cvault://GitHub/password -- cat",
    "vault run --fd P=cvault://GitHub/password -- sh -c 'cat \"$P\"'",
    "vault run --file P=cvault://GitHub/password -- sh -c 'cat \"$P\"'",
    "vault run --redact always --env P=cvault://GitHub/password -- printenv P > out.txt; s=$?; cat out.txt; exit $s",
    "echo P=cvault://GitHub/password > e; vault run --env-file e --only P -- printenv P",
    "P=cvault://GitHub/password vault run --from-environment -- printenv P",
  ]
  /// Lines that show no secret to anybody, and work beside an agent as well.
  static let quiet = [
    "vault list", "vault list --json", "vault list --fields username,password", "vault find GitHub --fields password",
    "vault find GitHub", "vault show GitHub", "vault show GitHub --json",
    "vault get GitHub username", "vault get GitHub username --json", "vault get GitHub urls[0] -o out.txt",
    "vault export --yes", "vault export --sealed --former", "vault export --format jsonl", "vault ref GitHub password",
    "vault run --dry-run --env P=cvault://GitHub/password",
    "echo '{{ cvault://GitHub/password }}' | vault inject --dry-run",
    "echo '{{ cvault://GitHub/username }}' | vault inject", "vault check --verbose", "vault status --json",
    "vault audit", "vault log GitHub --json", "vault kinds show login", "vault attachments GitHub",
    "vault generate --length 20", "vault scan .", "vault verify", "vault doctor", "vault pin show",
    "vault key list --json", "vault trash list", "vault fingerprint", "vault help agents",
  ]
}

@Suite("A coding agent beside the vault")
struct CodingAgentTests {
  private let agent = ["CLAUDECODE": "1"]

  @Test("no line that an agent types brings a secret into its transcript", .atTerminal)
  func transcripts() throws {
    let bench = try CodingAgentBench()
    #expect(Attempts.refused.count + Attempts.redacted.count >= 40)
    for (lines, atTerminal) in [(Attempts.refused, false), (Attempts.refusedAtTerminal, true)] {
      for line in lines {
        let transcript = bench.type(line, adding: agent, atTerminal: atTerminal)
        #expect(transcript.leaks.isEmpty, "\(line)")
        let outcome = transcript.outcome
        #expect([3, 125].contains(outcome.code) || line.hasSuffix("base64"), "\(line): \(outcome)")
        let told = outcome.errors + outcome.shown
        for text in ["CLAUDECODE", "Claude Code", "CVAULT_ALLOW_REVEAL=1"] {
          #expect(told.contains(text), "\(line): \(told)")
        }
      }
    }
    for line in Attempts.redacted {
      for atTerminal in [false, true] {
        let transcript = bench.type(line, adding: agent, atTerminal: atTerminal)
        #expect(transcript.leaks.isEmpty, "\(line)")
        #expect(transcript.outcome.code == 0, "\(line): \(transcript.outcome)")
        #expect(transcript.all.holds(Array("«".utf8)) || line.hasSuffix("base64"), "\(line): \(transcript.outcome)")
      }
    }
  }

  @Test("a line that shows no secret works as without an agent")
  func quiet() throws {
    let bench = try CodingAgentBench()
    for line in Attempts.quiet {
      let transcript = bench.type(line, adding: agent)
      #expect(transcript.leaks.isEmpty, "\(line)")
      // 4: the attachment is left out of an export.
      #expect([0, 4, 14].contains(transcript.outcome.code), "\(line): \(transcript.outcome)")
    }
    #expect(bench.type("vault get GitHub username", adding: agent).outcome.output == "ada")
    #expect(bench.type("vault get GitHub gone", adding: agent).outcome.status == .notFound)
  }

  @Test("a person, and an agent that a person allows it, are not hindered", .atTerminal)
  func person() throws {
    let bench = try CodingAgentBench()
    let allowed = agent.merging(["CVAULT_ALLOW_REVEAL": "1"]) { $1 }
    for (lines, atTerminal) in [(Attempts.refused, false), (Attempts.refusedAtTerminal, true)] {
      for line in lines {
        let person = bench.type(line, atTerminal: atTerminal)
        let other = bench.type(line, adding: allowed, atTerminal: atTerminal)
        // An editor that only reads its text changes nothing, and says so in its own words.
        #expect(!person.leaks.isEmpty, "\(line): \(person.outcome)")
        #expect(person.outcome.code == other.outcome.code, "\(line): \(other.outcome)")
        #expect(person.leaks == other.leaks, "\(line): \(other.outcome)")
      }
    }
    let terminal = "vault run --env P=cvault://GitHub/password -- printenv P"
    #expect(bench.type(terminal, adding: allowed, atTerminal: true).leaks == ["plain"])
    for value in ["", "0", "yes", "true"] {
      let refused = bench.type(
        "vault get GitHub password", adding: agent.merging(["CVAULT_ALLOW_REVEAL": value]) { $1 })
      #expect(refused.outcome.status == .declined, "\(value)")
    }
  }

  @Test("each variable announces an agent, unless it says that there is none", arguments: CodingAgentBench.variables)
  func variables(_ name: String) throws {
    let bench = try CodingAgentBench()
    let words = ["--vault", bench.workspace.vault, "--identity", bench.workspace.identity]
    for line in [["get", "GitHub", "password"], ["show", "GitHub", "--reveal"], ["otp", "GitHub"]] {
      let refused = bench.workspace.run(line + words, adding: [name: "scout"])
      #expect(refused.status == .declined, "\(line): \(refused)")
      #expect(refused.stdout.isEmpty)
      #expect(refused.errors.contains(name), "\(refused.errors)")
      let json = bench.workspace.run(line + words + ["--json"], adding: [name: "1"])
      #expect(JSON(json.stderr)["code"]?.text == "no_reveal", "\(json.errors)")
      let person = bench.workspace.run(line + words, adding: [name: "scout", "CVAULT_ALLOW_REVEAL": "1"])
      #expect(person.code == 0 && !person.stdout.isEmpty, "\(person)")
    }
    // The absence of CVAULT_NO_REVEAL allows more, so any value of it counts.
    let counts = name == "CVAULT_NO_REVEAL"
    for value in ["", "0", "false"] {
      let run = bench.workspace.run(["get", "GitHub", "password"] + words, adding: [name: value])
      #expect(run.code == (counts ? 3 : 0), "\(name)=\(value): \(run)")
    }
  }

  @Test("the error says which line gives the value to a program")
  func reference() throws {
    let bench = try CodingAgentBench()
    func hint(_ line: String) -> String { bench.type(line, adding: ["AI_AGENT": "scout"]).outcome.errors }
    let get = hint("vault get github password")
    #expect(
      get.contains("vault: get: this would show a sealed value to scout, which runs this command (AI_AGENT is set)"),
      "\(get)")
    #expect(get.contains("vault run --env PASSWORD=cvault://GitHub/password -- PROGRAM"), "\(get)")
    #expect(hint("vault get Orders --url").contains("ADDRESS='cvault://Orders?view=url'"))
    #expect(hint("vault show GitHub --reveal").contains("cvault://GitHub/FIELD"))
    #expect(hint("vault otp GitHub totp").contains("CODE='cvault://GitHub/totp?view=otp'"))
    // The line works.
    let run = bench.type(
      "vault run --env PASSWORD=cvault://GitHub/password -- sh -c 'echo ${#PASSWORD}'", adding: agent)
    #expect(run.outcome.output == "\(CodingAgentBench.marker.utf8.count + 2)\n", "\(run.outcome.errors)")
    // A name cannot draw on the terminal.
    let odd = bench.type(
      "vault get GitHub password", adding: ["AI_AGENT": "a\u{1B}[31m\nhint: x" + String(repeating: "y", count: 99)])
    #expect(!odd.outcome.errors.contains("\u{1B}"))
    #expect(!odd.outcome.errors.contains("\nhint: x"))
  }

  @Test("a damaged record is not written in clear text, and no migration opens a field")
  func recovery() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let text = workspace.text(of: "v/" + file)
    _ = workspace.write(text.replacing("\"mac\" : \"", with: "\"mac\" : \"!"), to: "v/" + file)
    let refused = workspace.open("repair", "--yes", "--aside", "kept", adding: agent)
    #expect(refused.status == .declined, "\(refused)")
    #expect(FileTree.kind(of: workspace.path + "/kept") == nil)
    #expect(workspace.open("repair", "--dry-run", adding: agent).status == .damaged)
    #expect(workspace.open("repair", "--yes", "--aside", "kept").status == .partlyDone)
  }

  @Test("a code goes to the clipboard, and is not printed beside it")
  func codeOnClipboard() throws {
    let bench = try CodingAgentBench()
    bench.workspace.prepare("printf '#!/bin/sh\\ncat > /dev/null\\n' > bin/xclip; chmod +x bin/xclip")
    let line = "DISPLAY=:9 vault otp GitHub --copy --json --clear-after 0"
    let beside = bench.type(line, adding: agent).outcome
    #expect(beside.code == 0, "\(beside)")
    #expect(JSON(beside.stdout)["code"] != nil && JSON(beside.stdout)["code"]?.text == nil, "\(beside)")
    #expect(JSON(bench.type(line).outcome.stdout)["code"]?.text?.utf8.count == 6)
  }
}
