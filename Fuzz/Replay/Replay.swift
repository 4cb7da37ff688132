/// Runs the rules of one fuzz target on its own seeds and on the files in the folders given, without libFuzzer:
/// `VaultFuzzReplay TARGET FOLDER…`. Without arguments the program prints the names of the targets.
@main struct Replay {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let name = arguments.first else {
      for target in targets { print(target.name) }
      return
    }
    guard let target = targets.first(where: { $0.name == name }) else { fatalError("there is no target \(name)") }
    var count = 0
    for seed in must("the seeds are made", target.seeds) {
      target.check(seed)
      count += 1
    }
    for folder in arguments.dropFirst() {
      for (file, bytes) in Files.tree(below: folder).sorted(by: { $0.key < $1.key }) {
        // A rule that does not hold ends the process: the last line of the log then names the input.
        print("\(folder)/\(file)")
        target.check(bytes)
        count += 1
      }
    }
    print("\(name): \(count) inputs")
  }
}
