import Testing
import VaultTestSupport

@Suite("Programs that a coding agent runs")
struct CodingAgentProgramTests {
  private let agent = ["CLAUDECODE": "1"]

  /// A server that wants a password, and writes each request that has one to a file. It prints its port.
  private static let server = """
    import base64, http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        given = self.headers.get('Authorization')
        if given: open(sys.argv[1], 'ab').write(base64.b64decode(given.split()[1]) + b'\\n')
        self.send_response(404 if given else 401)
        self.send_header('WWW-Authenticate', 'Basic realm="x"')
        self.end_headers()
      def log_message(self, *words): pass
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  @Test(
    "git gets its password for a server, and git credential fill does not print it",
    .enabled(
      if: GitBench.isThere && ["git", "python3"].allSatisfy { Need.command($0).isMet(forCases: 1, of: "agents") }))
  func git() throws {
    let bench = try CodingAgentBench()
    _ = bench.workspace.write(Self.server, to: "server.py")
    let line = """
      python3 ../server.py ../v.got > port & server=$!; trap 'kill $server' EXIT
      while ! test -s port; do sleep 0.05; done
      port=$(cat port)
      vault set GitHub urls[0]=http://127.0.0.1:$port >/dev/null
      export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=credential.helper GIT_TERMINAL_PROMPT=0
      export GIT_CONFIG_VALUE_0='!vault credential git --allow-http'
      git ls-remote http://127.0.0.1:$port/x.git
      wc -l < ../v.got; head -n 1 ../v.got | wc -c; rm ../v.got
      printf "protocol=http\\nhost=127.0.0.1:$port\\n\\n" > req
      "$(git --exec-path)/git-credential" fill < req
      printf '#!/bin/sh\\nvault credential git --allow-http "$@"\\n' > git-credential-own; chmod +x git-credential-own
      PATH="$PWD:$PATH" git credential-own get < req; ./git-credential-own get < req
      git -c credential.helper="$PWD/git-credential-own" credential fill < req
      git credential fill < req
      """
    let transcript = bench.type(line, adding: agent)
    #expect(transcript.leaks.isEmpty, "\(transcript.outcome)")
    let count = "ada:\n".utf8.count + CodingAgentBench.marker.utf8.count + 2
    #expect(transcript.outcome.output.contains("\n\(count)\n"), "\(transcript.outcome)")
    #expect(
      transcript.outcome.errors.contains("only a program of git that connects to a server may ask for it"),
      "\(transcript.outcome)")
    #expect(bench.type(line, adding: ["CLAUDECODE": ""]).leaks.contains("plain"))
  }

  @Test("docker, aws and ansible are answered when they ask; their words that print a secret are not")
  func helpers() throws {
    let bench = try CodingAgentBench()
    // A program of that name which asks the helper, as the real one does.
    let line = """
      ask() { printf '#!/bin/sh\\n%s\\n' "$2" > "$1"; chmod +x "$1"; }
      ask docker 'echo https://github.com | vault credential docker get | wc -c'
      ask aws 'vault credential aws Deploy | wc -c'
      ask ansible-playbook 'vault credential ansible --vault-id GitHub | wc -c'
      ask scout 'vault credential aws Deploy | wc -c'
      for name in docker aws ansible-playbook; do ./$name; done
      echo -
      ./aws configure export-credentials; ./scout
      """
    let transcript = bench.type(line, adding: agent)
    #expect(transcript.leaks.isEmpty, "\(transcript.outcome)")
    let parts = transcript.outcome.output.split(separator: "-\n").map {
      $0.split(separator: "\n").compactMap { Int($0) }
    }
    #expect(parts.count == 2 && parts[0].count == 3 && parts[0].allSatisfy { $0 > 20 }, "\(transcript.outcome)")
    #expect(parts.last == [0, 0], "\(transcript.outcome)")
  }

  @Test("uses names the coding agent that ran the command")
  func uses() throws {
    let bench = try CodingAgentBench()
    let line = "unset CVAULT_NO_USES; vault run --env P=cvault://GitHub/password -- true; vault uses; vault uses --json"
    let outcome = bench.type(line, adding: agent).outcome
    #expect(outcome.output.contains("Claude Code"), "\(outcome)")
    #expect(
      outcome.output.contains("\"agent\" : \"Claude Code\"") || outcome.output.contains("\"agent\": \"Claude Code\""))
    #expect(!bench.type("rm -f ../state/uses.jsonl; " + line).outcome.output.contains("Claude Code"))
  }

  @Test(
    "a commit that a command makes beside a coding agent names it, and log shows it", .enabled(if: GitBench.isThere))
  func log() throws {
    let bench = try GitBench()
    let here = bench.here.with(["CVAULT_GIT": "commit", "CLAUDECODE": "1"])
    #expect(here.vault("set", bench.id, "username=eve").code == 0)
    let log = here.vault("log", bench.id)
    #expect(log.output.contains("by Ada, with Claude Code"), "\(log)")
    #expect(log.output.components(of: "with Claude Code") == 1, "\(log)")
    #expect(here.vault("log").output.contains("by Ada, with Claude Code"))
    #expect(JSON(here.vault("log", "--json").stdout)["commits"]?[0]?["agent"]?.text == "Claude Code")
    let versions = JSON(here.vault("log", bench.id, "--json").stdout)["versions"]
    #expect(versions?[0]?["agent"]?.text == "Claude Code")
    #expect(versions?[0]?["author"]?.text == "Ada")
  }

  @Test("a PIN and a one-time code are hidden beside an agent, although they are short")
  func short() throws {
    let bench = try CodingAgentBench()
    let added = bench.workspace.open("add", "login", "Door", "--secret-stdin", "password", input: "7301")
    #expect(added.code == 0, "\(added.errors)")
    let pin = "vault run --env P=cvault://Door/password --redact always -- printenv P"
    #expect(bench.type(pin, adding: agent).outcome.output == "«Door/password»\n")
    #expect(bench.type(pin, adding: ["CVAULT_ALLOW_REVEAL": "1"]).outcome.output == "7301\n")
    let code = bench.type("vault run --env 'C=cvault://GitHub/totp?view=otp' -- printenv C", adding: agent)
    #expect(code.outcome.output == "«GitHub/totp»\n", "\(code.outcome)")
  }

  @Test("the page for agents has the form that they read, and its commands exist")
  func skill() throws {
    let workspace = try Workspace.withVault()
    let page = String(decoding: FileTree.contents(of: OwnVectors.package + "/docs/SKILL.md") ?? [], as: UTF8.self)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 61)
    #expect(Array(lines.prefix(2)) == ["---", "name: vault"] && lines[3] == "---")
    #expect(lines[2].hasPrefix("description: ") && lines[2].utf8.count <= 1024)
    let commands = Set(
      lines.filter { $0.hasPrefix("    vault ") }.compactMap { $0.split(separator: " ").dropFirst().first })
    #expect(commands.isSuperset(of: ["list", "show", "ref", "run"]))
    for command in commands { #expect(workspace.run(String(command), "--help").code == 0, "\(command)") }
  }

  /// A server of the Model Context Protocol on standard streams, which tells its token to anybody who asks.
  private static let contextServer = """
    import json, os, sys
    for line in sys.stdin:
      request = json.loads(line)
      result = {'method': request['method'], 'token': os.environ['TOKEN'], 'length': len(os.environ['TOKEN'])}
      print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
    """

  @Test(
    "a server of the Model Context Protocol has the secret in its environment, and the transcript has a mark",
    .enabled(if: Need.command("python3").isMet(forCases: 1, of: "agents")))
  func contextServer() throws {
    let bench = try CodingAgentBench()
    let page = String(decoding: FileTree.contents(of: OwnVectors.package + "/docs/agents.md") ?? [], as: UTF8.self)
    let block = try #require(page.text(between: "```json\n", and: "```"))
    let server = try #require(JSON(Array(block.utf8))["mcpServers"]?["issues"])
    #expect(server["command"]?.text == "vault")
    let words = try #require(server["args"]?.items).compactMap(\.text)
    #expect(words.last == "issues-server")
    _ = bench.workspace.write("#!/usr/bin/env python3\n" + Self.contextServer, to: "bin/issues-server")
    bench.workspace.prepare("chmod +x bin/issues-server")
    // The client waits for each answer before it asks again.
    let client = """
      import json, subprocess, sys
      server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
      for number, method in enumerate(['initialize', 'tools/list']):
        server.stdin.write(json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method}) + '\\n')
        server.stdin.flush()
        print(json.dumps(json.loads(server.stdout.readline())))
      server.stdin.close()
      sys.exit(server.wait())
      """
    _ = bench.workspace.write(client, to: "client.py")
    let line = (["timeout", "20", "python3", "../client.py", "vault"] + words).map { "'\($0)'" }.joined(separator: " ")
    let transcript = bench.type(line, adding: agent)
    #expect(transcript.outcome.code == 0, "\(transcript.outcome)")
    #expect(transcript.leaks.isEmpty)
    let answers = transcript.outcome.output.split(separator: "\n").map { JSON(Array($0.utf8)) }
    #expect(answers.map { $0["result"]?["method"]?.text } == ["initialize", "tools/list"])
    #expect(answers.allSatisfy { $0["result"]?["length"]?.number == Double(CodingAgentBench.marker.utf8.count + 2) })
    #expect(answers.allSatisfy { $0["result"]?["token"]?.text == "«GitHub/password»" }, "\(transcript.outcome)")
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }

  /// The text between two others, where they first occur.
  fileprivate func text(between start: String, and end: String) -> String? {
    guard let first = firstRange(of: start) else { return nil }
    let rest = self[first.upperBound...]
    return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
  }
}
