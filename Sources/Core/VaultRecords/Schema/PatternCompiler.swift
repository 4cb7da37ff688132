/// Compiles a pattern's tree to instructions.
struct PatternCompiler {
  private(set) var program: [PatternStep] = []

  /// Appends the steps of a node; after an error the compiler must not be used again.
  mutating func append(_ node: PatternNode) throws(TextFault) {
    switch node {
    case .set(let set): try append(.take(set))
    case .assertion(let assertion): try append(.assert(assertion))
    case .sequence(let nodes): for node in nodes { try append(node) }
    case .choice(let nodes): try append(choice: nodes[...])
    case .repetition(let node, let minimum, let maximum): try append(node, minimum: minimum, maximum: maximum)
    }
  }

  private mutating func append(_ step: PatternStep) throws(TextFault) {
    guard program.count < Pattern.maximumSize else { throw TextFault("the pattern is too long") }
    program.append(step)
  }

  private mutating func append(choice nodes: ArraySlice<PatternNode>) throws(TextFault) {
    guard let node = nodes.first else { return }
    guard nodes.count > 1 else { return try append(node) }
    let split = program.count
    try append(.split(0, 0))
    try append(node)
    let jump = program.count
    try append(.jump(0))
    program[split] = .split(split + 1, program.count)
    try append(choice: nodes.dropFirst())
    program[jump] = .jump(program.count)
  }

  /// The parser has checked that the maximum is not below the minimum.
  private mutating func append(_ node: PatternNode, minimum: Int, maximum: Int?) throws(TextFault) {
    for _ in 0..<minimum {
      let before = program.count
      try append(node)
      // An empty match needs no repetition.
      if program.count == before { return }
    }
    guard let maximum else {
      let split = program.count
      try append(.split(0, 0))
      try append(node)
      try append(.jump(split))
      return program[split] = .split(split + 1, program.count)
    }
    var splits: [Int] = []
    for _ in minimum..<maximum {
      splits.append(program.count)
      try append(.split(0, 0))
      try append(node)
      if program.count == splits[splits.count - 1] + 1 { break }
    }
    for split in splits { program[split] = .split(split + 1, program.count) }
  }
}
