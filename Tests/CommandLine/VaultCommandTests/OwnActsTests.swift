import Testing
import VaultTestSupport

extension Workspace {
  /// Makes the vault `v` with the records A, B and C, of which A has a file.
  static let threeRecords = """
    vault init v --generate-identity id.txt; echo text >file
    for name in A B C; do
      printf %s secret-of-$name | vault add login title=$name username=u --secret-stdin password
    done
    vault attach A file
    """

  /// Runs a script in the workspace, up to the first command that fails. `vault` works on the vault `v` in it.
  func script(_ lines: String) -> ProcessOutcome {
    let start = """
      set -e; vault() { '\(Binary.path)' "$@"; }; export CVAULT_DIR=$PWD/v CVAULT_IDENTITY_FILE=$PWD/id.txt
      export CVAULT_NO_AGENT=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
      export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
      """
    return ProcessRun(
      path: "/bin/sh", arguments: ["-c", start + "\n" + lines], environment: environment, directory: path
    ).run()
  }
}

@Suite("No alarm about one's own acts, and each rollback is found")
struct OwnActsTests {
  private func workspace(after lines: String) throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.script(Workspace.threeRecords + "\n" + lines)
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  /// A kind and a record of it.
  private static let wifi = """
    echo '{"title":"wifi","type":"object","properties":{"title":{"type":"string"},
      "password":{"type":"string","x-sealed":true}}}' >wifi.json
    vault kinds add wifi.json; vault add wifi title=Home --generate password\n
    """
  /// The next schema of the kind.
  private static let nextWifi = """
    echo '{"title":"wifi","type":"object","properties":{"title":{"type":"string"},
      "key":{"type":"string","x-sealed":true}},
      "x-schema":2,"x-migrations":{"2":[{"move":"password","to":"key"}]}}' >wifi.json
    vault kinds add wifi.json -y\n
    """

  @Test(
    "a command that takes something away, copies or migrates leaves nothing that verify or check reports",
    arguments: [
      "vault remove A -y; vault checkpoint; vault trash empty -y",
      "vault checkpoint; vault remove A -y; vault trash empty -y",
      "vault checkpoint; vault remove A B -y; vault trash empty A -y; vault trash empty -y",
      "vault checkpoint; vault remove A -y; vault trash empty --older-than 0s -y; vault set B username=n",
      "vault checkpoint; vault remove A B C -y; vault trash empty -y; vault checkpoint",
      "vault remove A -y; vault checkpoint; vault trash empty -y; vault rekey -y",
      "vault remove A -y; vault checkpoint; vault trash empty -y; vault rekey --reseal -y",
      "vault remove A -y; vault checkpoint; for file in v/trash/*; do id=$(basename $file .json); sed -i 's/\"mac\" : \"..../\"mac\" : \"AAAA/' $file; done; "
        + "vault trash empty $id -y",
      "vault checkpoint; vault detach A file -y",
      "vault checkpoint; vault unset A username",
      "vault remove A -y; vault checkpoint; vault trash restore A",
      "vault checkpoint; vault set A username=n; vault restore A@2 || true",
      "echo words-of-a-key-to-go >pass; vault key add --passphrase --new-passphrase-file pass --label gone; "
        + "vault checkpoint; vault key remove gone -y",
      "echo words-of-a-key-to-go >pass; vault key add --passphrase --new-passphrase-file pass --label gone; "
        + "vault checkpoint; vault rekey --drop-key gone -y",
      "vault init w --recipient $(sed -n 's/# public key: //p' id.txt); vault vaults add v v; vault vaults add w w; "
        + "vault checkpoint; vault move A --to w -y; vault checkpoint; vault trash empty -y",
      "vault checkpoint; mkdir b; for name in A B; do vault remove $name -y; vault trash empty -y; "
        + "vault backup create --to b; done; vault backup verify b/*.age; vault backup prune b --keep-last 1 -y",
      "mkdir b; vault backup create --to b; vault checkpoint; vault remove A -y; vault trash empty -y; "
        + "vault backup restore b/*.age --to v --accept-rollback -y",
      "vault remove A -y; vault checkpoint; vault repair --dry-run; vault trash empty -y; vault repair -y",
      "vault checkpoint; vault remove A -y; vault store copy v w --verify; export CVAULT_DIR=$PWD/w; vault verify; "
        + "vault trash empty -y; vault verify; vault checkpoint",
      "vault checkpoint; vault store copy v w --verify; mv v old; mv w v; vault remove A -y; vault trash empty -y",
      "vault store copy v w; vault checkpoint; vault remove A -y; vault trash empty -y; rm -r w; "
        + "vault store copy v w; CVAULT_DIR=w vault verify; CVAULT_DIR=w vault checkpoint",
      wifi + "vault checkpoint; \(nextWifi)vault migrate -y; vault get Home key",
      wifi + "vault remove Home -y; vault checkpoint; \(nextWifi)vault migrate -y; vault trash restore Home; "
        + "vault migrate -y; vault remove Home -y; vault trash empty -y",
    ])
  func ownActs(_ lines: String) throws {
    let workspace = try workspace(after: lines)
    let verified = workspace.script("vault verify")
    #expect(verified.code == 0, "\(verified.errors)")
    #expect(!verified.errors.contains("hint:"), "\(verified.errors)")
    let checked = workspace.script("vault check")
    #expect(checked.errorLines.allSatisfy { !$0.hasPrefix("vault: ") }, "\(checked.errors)")
  }

  @Test(
    "what somebody else did is still found after the trash was emptied",
    arguments: [
      // A record that was deleted by hand, before and after.
      "vault checkpoint; rm v/records/*/$B.json; vault remove A -y; vault trash empty -y",
      "vault checkpoint; vault remove A -y; vault trash empty -y; rm v/records/*/$B.json",
      // The checkpoint of before.
      "vault checkpoint; cp v/checkpoint.jsonl old; vault remove A -y; vault trash empty -y; mv old v/checkpoint.jsonl",
      // The checkpoint that went back while a record was emptied.
      "vault checkpoint; cp v/checkpoint.jsonl old; vault set B username=n; vault checkpoint; vault remove A -y; "
        + "mv old v/checkpoint.jsonl; vault trash empty -y",
      // An older version in the trash than the checkpoint lists.
      "vault remove A -y; cp v/trash/$A.json old; vault trash restore A; vault remove A -y; vault checkpoint; "
        + "mv old v/trash/$A.json; vault trash empty -y",
      // A live record that went back while another was emptied.
      "cp v/records/*/$B.json old; vault set B username=n; vault checkpoint; cp old v/records/*/$B.json; "
        + "vault remove A -y; vault trash empty -y",
      // A copy of the vault of before in its place.
      "vault checkpoint; cp -R v old; vault remove A -y; vault trash empty -y; rm -r v; mv old v",
    ])
  func rollbacks(_ lines: String) throws {
    let ids = #"A=$(vault list | awk '$3 == "A" { print $1 }'); B=$(vault list | awk '$3 == "B" { print $1 }')"#
    let workspace = try workspace(after: ids + "\n" + lines)
    let verified = workspace.script("vault verify")
    #expect(verified.status == .unexpectedVault, "\(verified.output)")
    #expect(workspace.script("vault checkpoint").status == .unexpectedVault)
  }

  @Test("with an agent, which makes no list, emptying the trash says what to type", .atTerminal)
  func agent() throws {
    let workspace = try Workspace()
    let runtime = "unset CVAULT_NO_AGENT; export XDG_RUNTIME_DIR=$PWD; "
    let made = workspace.script(
      Workspace.threeRecords + "\nvault remove A -y; vault checkpoint\n" + runtime + "vault unlock --identity id.txt\n"
        + "unset CVAULT_IDENTITY_FILE; vault trash empty -y")
    defer { _ = workspace.script(runtime + "vault lock") }
    try #require(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("`vault checkpoint --accept-rollback` makes a new list"), "\(made.errors)")
    #expect(workspace.script("vault checkpoint --accept-rollback").code == 0)
    #expect(workspace.script("vault verify").code == 0)
  }
}
