import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The commands of docs/backups.md for copies elsewhere, and what an attacker with this machine's credentials can do
/// to these copies.
@Suite("Backups that nobody can take back", .serialized)
struct OffsiteTests {
  private let bench: Workspace
  private let file: String

  init() throws {
    bench = try Workspace.withVault()
    FileTree.makeFolder(bench.path + "/b")
    let made = bench.open("backup", "create", "--to", "b")
    try #require(made.code == 0, "\(made.errors)")
    file = String(made.output.dropLast())
  }

  /// The command of the page that begins so, with the folders of the test.
  private func command(_ beginning: String, _ replacing: [(String, String)] = []) throws -> String {
    let lines = ReadmePage.text(of: "docs/backups.md").split(separator: "\n").filter { $0.hasPrefix("    ") }
    let line = try #require(lines.first { $0.dropFirst(4).hasPrefix(beginning) }, "the page has no \(beginning)")
    return ([("/mnt/backups", bench.path + "/b")] + replacing).reduce(String(line.dropFirst(4))) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  private func shell(_ script: String, adding: [String: String] = [:]) -> ProcessOutcome {
    ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: bench.environment.merging(adding) { $1 },
      directory: bench.path
    ).run()
  }

  private var backup: [UInt8] { FileTree.contents(of: bench.path + "/" + file) ?? [] }

  /// A python3 with moto and boto3, as a word of a shell; nil if there is none.
  private static let python: String? = ["python3", "/usr/bin/python3"].first { candidate in
    ProcessRun(
      path: "/usr/bin/env", arguments: [candidate, "-c", "import moto.server, boto3"],
      environment: ["PATH": ownPath, "HOME": "/nonexistent"]
    ).run().code == 0
  }
  private static let ownPath = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
  private static let bucketNeed = Need(
    python != nil && Need.command("rclone").isMet, otherwise: "no python3 with moto and boto3, or no rclone")

  @Test(
    "a bucket with object lock keeps the first version of a backup, whatever the credentials of the machine try",
    .enabled(if: bucketNeed.isMet(forCases: 1, of: "a bucket with object lock")))
  func lockedBucket() throws {
    let python = try #require(Self.python)
    let sum = bench.run("backup", "list", "b", "--json").output.firstMatch(of: #/"sha256" : "([0-9a-f]{64})"/#)?.1
    let run = shell(
      "exec \(python) \(OwnVectors.package)/Tests/Packs/Backup/Offsite/locked_bucket.py b \(try command("rclone copy /mnt/backups offsite:"))",
      adding: ["PATH": Self.ownPath, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "mode COMPLIANCE", "delete-version refused AccessDenied", "delete-with-bypass refused AccessDenied",
        "delete-bucket refused BucketNotEmpty", "overwrite done", "hide done", "copy-replaced done",
        "kept \(sum ?? "")",
      ], "\(run.output)\(run.errors)")
  }

  @Test(
    "rclone --immutable replaces no copy by a file that was damaged here",
    .enabled(if: Need.command("rclone").isMet(forCases: 1, of: "rclone --immutable")))
  func immutable() throws {
    FileTree.makeFolder(bench.path + "/far")
    let copy = try command("rclone copy /mnt/backups offsite:", [("offsite:team-vault", bench.path + "/far")])
    let environment = ["RCLONE_CONFIG": "/dev/null"]
    #expect(shell(copy, adding: environment).code == 0)
    let good = backup
    bench.prepare("printf x >>\(file)")
    let second = shell(copy, adding: environment)
    #expect(second.code != 0)
    #expect(second.errors.contains("immutable file modified"), "\(second.errors)")
    #expect(FileTree.contents(of: bench.path + "/far/" + file.dropFirst(2)) == good)
  }

  private static let sshNeed = Need(
    ["sshd", "ssh", "ssh-keygen"].allSatisfy { name in
      ["/usr/sbin/", "/usr/bin/"].contains { unsafe access($0 + name, X_OK) == 0 }
    } && geteuid() == 0, otherwise: "no sshd that this process can run")

  /// Runs `script` while a server of ssh is there, whose only account has `forced` as its line of authorized_keys.
  ///
  /// - Parameter script: takes `$ssh`, the client with its key, and `$account`.
  private func withServer(_ forced: String, _ script: String, adding: [String: String] = [:]) -> ProcessOutcome {
    let folder = bench.path
    let server = """
      mkdir -p /run/sshd; test -e key || { ssh-keygen -q -t ed25519 -N '' -f key; ssh-keygen -q -t ed25519 -N '' -f host; }
      echo '\(forced) '"$(cat key.pub)" >auth
      for port in 22971 22972 22973 22974 22975; do
        printf 'Port %s\\nListenAddress 127.0.0.1\\nHostKey \(folder)/host\\nAuthorizedKeysFile \(folder)/auth\\n' $port >conf
        printf 'PidFile \(folder)/pid\\nStrictModes no\\nUsePAM no\\nPasswordAuthentication no\\n' >>conf
        printf 'Subsystem sftp internal-sftp\\n' >>conf
        /usr/sbin/sshd -f \(folder)/conf -E \(folder)/log || continue
        until test -s pid || ! test -z "$(grep 'Cannot bind' log)"; do sleep 0.05; done
        test -s pid && break
      done
      trap 'kill $(cat pid)' EXIT
      ssh="ssh -p $port -i \(folder)/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
      account=root@127.0.0.1
      export RSYNC_RSH="$ssh"

      """
    return shell(server + script, adding: adding)
  }

  private static let accountNeed = Need(
    sshNeed.isMet && Need.command("rrsync").isMet
      && FileTree.contents(of: "/usr/bin/rrsync").map { $0.holds(Array("-no-overwrite".utf8)) } == true,
    otherwise: "no sshd that this process can run, or no rrsync with -no-overwrite")

  @Test(
    "an account with rrsync takes new backups, and neither removes, replaces, shows nor runs anything",
    .enabled(if: accountNeed.isMet(forCases: 1, of: "an append-only account")))
  func account() throws {
    FileTree.makeFolder(bench.path + "/srv")
    let forced = try command("command=\"/usr/bin/rrsync", [("/srv/team-vault", bench.path + "/srv")])
      .split(separator: " ssh-ed25519")[0]
    let copy = try command(
      "rsync -rt --ignore-existing --exclude '.*' /mnt/backups/ ", [("backup@elsewhere:", "$account:")])
    let good = backup
    let name = String(file.dropFirst(2))
    let run = withServer(
      String(forced),
      """
      try() { "$@" </dev/null >/dev/null 2>&1; echo "$? $(cat srv/*)" >>tried; }
      \(copy) || exit 90
      cp srv/\(name) first; mkdir empty tree tree/\(name)
      printf replaced >\(file)
      try rsync -rt b/ $account:
      try rsync -I --inplace \(file) $account:
      try rsync --append \(file) $account:
      try rsync -I --backup --suffix=.old \(file) $account:
      try rsync -r --delete empty/ $account:
      try rsync -r --force tree/ $account:
      try rsync $account:\(name) got
      try $ssh $account rm -f srv/\(name)
      try $ssh $account
      echo 'rm \(name)' >batch
      try sftp -b batch -P $port -i key -o StrictHostKeyChecking=no $account
      cmp first srv/\(name) || exit 91
      test -e got && exit 92
      exit 0
      """)
    #expect(run.code == 0, "\(run.errors)")
    #expect(FileTree.contents(of: bench.path + "/srv/" + name) == good)
    #expect(FileTree.names(in: bench.path + "/srv").filter { $0.hasSuffix(".age") } == [name])
  }

  private static let resticNeed = Need(
    sshNeed.isMet && Need.command("restic").isMet && Need.command("rclone").isMet,
    otherwise: "no sshd that this process can run, or no restic and rclone")

  @Test(
    "a repository of restic behind an append-only server keeps its snapshots, and gives the backup back",
    .enabled(if: resticNeed.isMet(forCases: 1, of: "an append-only repository of restic")))
  func restic() throws {
    FileTree.makeFolder(bench.path + "/srv")
    let forced = try command("command=\"rclone serve restic", [("/srv/team-restic", bench.path + "/srv")])
      .split(separator: " ssh-ed25519")[0]
    let backUp = try command("restic backup")
    let run = withServer(
      String(forced),
      """
      \(try command("export RESTIC_REPOSITORY"))
      export RESTIC_PASSWORD_FILE=\(bench.path)/pw RESTIC_CACHE_DIR=\(bench.path)/cache
      echo 'a long passphrase' >pw
      restic() { command restic -q -o rclone.program="$ssh $account" "$@"; }
      restic init || exit 90
      \(backUp) || exit 91
      timeout 8 sh -c 'restic -q -o rclone.program="$0 $1" forget --prune latest' "$ssh" $account && exit 92
      restic --no-lock snapshots --json | grep -c short_id
      restic --no-lock restore latest --target out || exit 93
      find out -name '*.cvault.age' -exec cmp {} \(file) \\; && find out -name '*.cvault.age' | wc -l
      """)
    #expect(run.code == 0, "\(run.errors)")
    #expect(
      run.output.split(separator: "\n").map { $0.filter { $0 != " " } } == ["1", "1"], "\(run.output)\(run.errors)")
  }

  @Test("a ping is sent only when the status of the backups is good")
  func ping() throws {
    // `curl` is a program of the test, which writes down that it was called.
    bench.prepare(
      "mkdir bin; printf '#!/bin/sh\\necho \"$@\" >>pings\\n' >bin/curl; ln -s \(Binary.path) bin/vault; chmod +x bin/curl"
    )
    let path = ["PATH": "\(bench.path)/bin:/usr/bin:/bin"]
    let ping = try command("vault backup status /mnt/backups --max-age 26h &&")
    #expect(shell(ping, adding: path).code == 0)
    #expect(bench.text(of: "pings").split(separator: "\n").count == 1)
    bench.prepare("printf x >>\(file)")
    #expect(shell(ping, adding: path).code == 14)
    #expect(bench.text(of: "pings").split(separator: "\n").count == 1)
  }
}
