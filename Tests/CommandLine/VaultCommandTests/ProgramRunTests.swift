import Testing
import VaultTestSupport

@Suite("A run within the tests")
struct ProgramRunTests {
  /// Lines that read, after each other on one vault; each also with the options of ``variants``.
  private static let reading = """
    list|list customer|list --kind secure-note|list --trash|find paris|find nothing-like-it|find paris --in-secrets
    show Plans|show Plans --reveal|show 'Li Wei'|show Nobody|show P|get Plans text|get Plans title|get Plans nosuch
    get Nobody text|get 'Li Wei' access_key|get 'Li Wei' address|otp Plans|attachments|attachments Mail
    get Mail --attachment seed.txt -o -|ref Plans text|ref Plans|refs tour.env|refs nosuch.env|scan tour.env|scan .
    audit|audit --kind secure-note|uses|due|due --leaver|kinds list|kinds show customer|kinds show nosuch|key list
    status|check|lint|verify|verify --since-checkpoint|fingerprint|pin show|trash list|migrate --dry-run|doctor
    export --format json|export --format json --reveal -y|export --format csv --reveal -y|export --format nosuch
    backup list backups|backup status backups|vaults list|list --everywhere|git setup --check|log|diff|textconv
    set Plans|set Plans =x|set Nobody title=x|add|add nosuch|add customer|remove Nobody -y|unset Plans nosuch
    key remove nosuch -y|key add|rekey --drop-key nosuch|merge --continue|merge HEAD|restore Nobody|move Plans --to x
    import json nosuch.json|import nosuch customers.json|import json customers.json --kind nosuch|init v|init
    show|get|nosuch|lis|list --nosuch|list --kind|list extra words here|list --vault nowhere|list --vault id.txt
    list --identity nosuch.txt
    show Plans --at HEAD|list --where city=Paris|list --columns name,city|list --limit 2|list --sort city|--version
    """
  private static let variants = [["-v"], ["--json"]]

  /// Lines that write, after each other.
  private static let writing = """
    add login GitHub username=ada --secret-file password=secret.txt|add customer name=Ada --generate access_key=32
    set Plans title=Plan|set Plan --secret-file text=secret.txt --json|unset Plan tags|attach Plan secret.txt
    detach Plan secret.txt -y|remove Plan -y|trash restore Plan|remove 'Li Wei' -y|restore 'Li Wei'|rekey --reseal
    kinds add wifi.json|add wifi title=Home --secret-file password=secret.txt|rekey|repair -y|checkpoint|migrate
    key add --generate-identity second.txt --label second|key remove second -y|pin forget -y|trash empty -y
    key add --passphrase --new-passphrase-file words.txt --label words --work-factor 10|key remove words -y
    import json customers.json --kind customer|import json customers.json --kind customer --json|backup create --to b
    export --format json --reveal -y -o all.json|init w --generate-identity other.txt|vaults add ours v|vaults list
    git setup|store copy v copied --verify
    """

  private static func lines(_ text: String) -> [[String]] {
    text.split(whereSeparator: "|\n".contains).map { line in
      // Words in quotes hold a blank.
      line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { number, part in
        number % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
      }
    }
  }

  private static func bench() throws -> Workspace {
    let workspace = try Workspace.withCustomers()
    workspace.prepare(
      """
      cp \(Fixture.customers) customers.json; printf 'correct horse battery' >words.txt; printf a-secret >secret.txt
      printf JBSWY3DPEHPK3PXP >seed.txt; printf 'TEXT=cvault://Plans/text\\n' >tour.env; mkdir backups
      printf '{"title":"wifi","type":"object","properties":{"title":{"type":"string"},"password":{"type":"string","x-sealed":true}}}' >wifi.json
      """)
    for words in [
      ["add", "secure-note", "title=Plans", "--secret-file", "text=secret.txt"],
      ["add", "login", "Mail", "--secret-file", "totp=seed.txt"], ["attach", "Mail", "seed.txt"],
      ["backup", "create", "--to", "backups"],
    ] {
      let run = workspace.run(words, adding: key)
      try #require(run.code == 0, "\(run.errors)")
    }
    return workspace
  }

  private static let key = ["CVAULT_DIR": "v", "CVAULT_IDENTITY_FILE": "id.txt"]

  private static func outcomes(_ words: [String], in workspace: Workspace, before: () -> Void = {}) -> [ProcessOutcome]
  {
    var plan = workspace.plan(words)
    plan.environment.merge(key) { $1 }
    return [plan, plan.ofProgram()].map { plan in
      before()
      return plan.run()
    }
  }

  /// The lines that only the process, or only the run within the tests has written.
  private static func differences(_ outputs: [[UInt8]]) -> [String] {
    let texts = outputs.map { String(decoding: $0, as: UTF8.self).settled }
    guard texts[0] != texts[1] else { return [] }
    let lines = texts.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let found =
      lines[0].filter { !lines[1].contains($0) }.map { "process: \($0)" }
      + lines[1].filter { !lines[0].contains($0) }.map { "within: \($0)" }
    return found.isEmpty ? ["the same lines in another order or number"] : found
  }

  /// The files of a workspace; a folder that is named by the start of an id stands for all of them.
  private static func files(_ workspace: Workspace) -> Set<String> {
    Set(
      FileTree.files(below: workspace.path).map { path in
        path.settled.replacing(#/\/[0-9a-f]{2}(\/|\.log)/#) { "/XX\($0.output.1)" }
      })
  }

  @Test("a line that reads shows what the process shows, byte by byte", arguments: variants)
  func reads(_ options: [String]) throws {
    let workspace = try Self.bench()
    for words in Self.lines(Self.reading) {
      let outcomes = Self.outcomes(words + options, in: workspace)
      let line = Comment(rawValue: (words + options).joined(separator: " "))
      #expect(outcomes[0].code == outcomes[1].code, line)
      #expect(Self.differences(outcomes.map(\.stdout)) == [], line)
      #expect(Self.differences(outcomes.map(\.stderr)) == [], line)
    }
  }

  @Test("a line that writes shows what the process shows, and leaves the same files")
  func writes() throws {
    let workspace = try Self.bench()
    let copy = TemporaryFolder()
    for words in Self.lines(Self.writing) {
      var files: [Set<String>] = []
      workspace.prepare("cp -a . \(copy.path)/all")
      let outcomes = Self.outcomes(words, in: workspace) {
        files.append(Self.files(workspace))
        workspace.prepare("find . -mindepth 1 -delete; cp -a \(copy.path)/all/. .")
      }
      files.append(Self.files(workspace))
      workspace.prepare("rm -rf \(copy.path)/all")
      let line = Comment(rawValue: words.joined(separator: " "))
      #expect(outcomes[0].code == outcomes[1].code, line)
      #expect(Self.differences(outcomes.map(\.stdout)) == [], line)
      #expect(Self.differences(outcomes.map(\.stderr)) == [], line)
      #expect(files[1] == files[2], line)
    }
  }
}
