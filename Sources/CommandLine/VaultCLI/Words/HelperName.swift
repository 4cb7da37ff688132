/// The names of links to this program that other programs call.
enum HelperName {
  /// The arguments of a process, as if the program had been called by its own name.
  ///
  /// - Parameter arguments: the arguments with the program name in front.
  static func arguments(_ arguments: [String]) -> [String] {
    let name = arguments.first?.split(separator: "/").last ?? ""
    let words: [String] =
      if name.hasPrefix("git-credential-") { ["credential", "git"] } else if name.hasPrefix("docker-credential-") {
        ["credential", "docker"]
      } else if name.hasSuffix("-client") { ["credential", "ansible"] } else { [] }
    return words + arguments.dropFirst()
  }
}
