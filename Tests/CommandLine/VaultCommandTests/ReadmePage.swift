import VaultTestSupport

/// The README, read as a person types it: its blocks of code by heading, and the command lines of each.
struct ReadmePage {
  /// One block between fences.
  struct Block {
    /// The heading above it; empty above the first one.
    let heading: String
    let language: String
    var lines: [String] = []
  }

  /// A command line, and the output that the page shows below it.
  struct Step {
    let person: String
    let line: String
    var output: [String] = []
  }

  static let root = OwnVectors.package
  let lines: [String]
  let blocks: [Block]
  /// Lines of code without fences, which no test would run.
  let indented: [String]

  init() {
    lines = Self.text(of: "README.md").trimmingNewline
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var (heading, blocks, indented): (String, [Block], [String]) = ("", [], [])
    var open: Block?
    for line in lines {
      if line.hasPrefix("```") {
        if let closed = open { blocks.append(closed) }
        open = open == nil ? Block(heading: heading, language: String(line.dropFirst(3))) : nil
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("## ") {
        heading = String(line.dropFirst(3))
      } else if line.hasPrefix("    ") {
        indented.append(line)
      }
    }
    (self.blocks, self.indented) = (blocks, indented)
  }

  /// The command lines below a heading.
  func steps(below heading: String) -> [Step] {
    blocks.filter { $0.heading == heading }.flatMap { block in
      block.language == "sh" ? block.lines.map { Step(person: "ada", line: $0) } : Self.session(block.lines)
    }
  }

  /// `$ ` and `ada$ ` begin a line that Ada types, `li$ ` one of Li's; all else is output.
  private static func session(_ lines: [String]) -> [Step] {
    var steps: [Step] = []
    for line in lines {
      if let match = line.prefixMatch(of: #/(ada|li)?\$ /#) {
        steps.append(Step(person: String(match.output.1 ?? "ada"), line: String(line[match.range.upperBound...])))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }

  /// The text of a file of the package.
  static func text(of path: String) -> String {
    String(decoding: FileTree.contents(of: root + "/" + path) ?? [], as: UTF8.self)
  }
}
