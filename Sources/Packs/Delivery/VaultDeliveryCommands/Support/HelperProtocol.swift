import VaultSystem
import VaultTerminal

/// A protocol by which another program asks for a secret, and the programs that may do so beside a coding agent.
///
/// An agent that starts the helper itself, or with a shell, would read the secret. The name of a process is not a
/// proof: this is a guard against accidents.
enum HelperProtocol: String {
  case git, docker, aws, ansible

  /// The permission to answer: without limits for a person, else only if such a program has started this process.
  func revealing(_ global: GlobalOptions) throws -> Revealing {
    try global.revealing("credential \(rawValue)", isAsked: { isAsked }, by: askers)
  }

  /// The programs, for an error.
  private var askers: String {
    switch self {
    case .git: "a program of git that connects to a server"
    case .docker: "docker, podman, buildah, skopeo, nerdctl or helm"
    case .aws: "aws or terraform"
    case .ansible: "a program of ansible"
    }
  }

  /// Whether the first process above this one that is not a shell may ask.
  private var isAsked: Bool {
    var isFilling = false
    for process in ProcessSession.callers {
      let name = ProcessSession.name(of: process) ?? ""
      if Self.shells.contains(name) { continue }
      // git runs a helper of its own itself, and so does `git credential`, which prints the password.
      if self == .git, name == "git" || name.hasPrefix("git-credential-") {
        isFilling = isFilling || ProcessSession.words(of: process).contains("credential")
        continue
      }
      return mayAsk(name, process) && (!isFilling || name == "git-lfs")
    }
    return false
  }

  /// Linux cuts the name of a process off after 15 bytes.
  private func mayAsk(_ name: String, _ process: Int32) -> Bool {
    switch self {
    case .git:
      ["git-remote-http", "git-remote-https", "git-http-fetch", "git-http-push", "git-imap-send", "git-send-email"]
        .contains(name) || name == "git-lfs"
    case .docker:
      ["docker", "docker-buildx", "docker-compose", "podman", "buildah", "skopeo", "nerdctl", "helm"].contains(name)
    // `aws configure export-credentials` prints the keys.
    case .aws:
      (name == "aws" || name.hasPrefix("terraform"))
        && !ProcessSession.words(of: process).contains("export-credentials")
    case .ansible: name == "ansible" || name.hasPrefix("ansible-")
    }
  }

  private static let shells: Set<String> = [
    "sh", "ash", "bash", "busybox", "dash", "env", "fish", "ksh", "mksh", "zsh",
  ]
}
