import Benchmark
import FoundationEssentials
import VaultDocument

/// One record file of about 900 bytes, read and written as text.
func documentBenchmarks() {
  let file = Sample.recordFile
  let tree = known { try JSONParser.parse(file) }
  let data = Data(file)

  Benchmark("parse a record file · VaultDocument") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try JSONParser.parse(file)) }
  }
  Benchmark("parse a record file · JSONDecoder") { benchmark in
    let decoder = JSONDecoder()
    for _ in benchmark.scaledIterations { blackHole(try decoder.decode(Tree.self, from: data)) }
  }
  Benchmark("write a record file · VaultDocument") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try tree.prettyBytes()) }
  }
  Benchmark("canonical encoding of a record · VaultDocument") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(tree.canonicalBytes()) }
  }
}

/// Any JSON, as a program without a type for it would decode it.
private enum Tree: Decodable {
  case object([String: Tree]), array([Tree]), string(String), number(Double), bool(Bool), null

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let members = try? value.decode([String: Tree].self) {
      self = .object(members)
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let items = try? value.decode([Tree].self) {
      self = .array(items)
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else {
      self = .null
    }
  }
}
