import Testing
import VaultTestSupport

/// The blocks below one heading of the README, and the state of the machine that they need.
struct ReadmePlay: CustomTestStringConvertible {
  let heading: String
  /// Headings whose blocks are typed first.
  var before: [String] = []
  /// Command lines after these and before the blocks.
  var preparing: [String] = []
  /// Command lines afterwards, each of which must end with 0.
  var checking: [String] = []
  /// Replies of the person, each to a question of the program.
  var answers: [(prompt: String, reply: String)] = []
  /// Exit codes that are not 0, by command line.
  var codes: [String: Int32] = [:]
  var needs: [Need] = []

  var testDescription: String { heading.isEmpty ? "the beginning" : heading }

  private static let git = Need.command("git")
  private static let ageKeygen = Need.command("age-keygen")
  private static let session = "Six commands"
  private static let fixtures = SharedData.folder + "/fixtures"
  private static let managers = fixtures + "/password-managers"

  static let all = [
    ReadmePlay(
      heading: "", before: [session],
      preparing: [
        "cd ~/.local/share/cvault && git init -q && vault git setup --commit",
        "git add -A && git commit -qm 'A vault' && vault set GitHub -g",
      ],
      needs: [git]),
    ReadmePlay(heading: session),
    ReadmePlay(
      heading: "Coming from", before: [session],
      preparing: [
        "mkdir -p .password-store/prod/db && echo hunter22 >.password-store/prod/db/admin.gpg",
        "cp \(managers)/keepassxc/NewDatabase.kdbx passwords.kdbx",
        "cp \(managers)/keepassxc/bitwarden_export.json .",
        "cp \(managers)/keepassxc/1PasswordExport.1pux export.1pux",
        "cp \(managers)/bitwarden-jslib/safari-simple.csv passwords.csv",
        "cp \(fixtures)/sops/yaml/flux_age.enc.yaml secrets.yaml && cp \(fixtures)/sops/env/age.txt keys.txt",
      ],
      checking: ["vault get prod/db/admin password"],
      answers: [("Passphrase of passwords.kdbx", "a\n")],
      // This export names an attachment that it does not hold.
      codes: ["vault import auto export.1pux                              # 1Password": 4],
      needs: [Need(SharedData.isPresent, otherwise: "no ../shared on this machine"), .yaml]),
    ReadmePlay(
      heading: "In git, and in a team", before: [session],
      preparing: ["git init -q --bare ~/../ops.git"],
      checking: [
        "vault verify", "test \"$(vault get GitHub username)\" = li-ops", "vault check",
        "test -z \"$(git status --porcelain)\"", "vault due >/dev/null; test $? = 14",
      ],
      answers: [("Read and write it from now on?", "y\n"), ("Read and write it from now on?", "y\n")],
      needs: [git, ageKeygen]),
    ReadmePlay(
      heading: "Backups", before: [session],
      checking: [
        "vault verify --vault ~/restored", "cut -d' ' -f6- <~/crontab | sh",
        "vault backup status ~/backups --max-age 26h",
      ]),
  ]
}
