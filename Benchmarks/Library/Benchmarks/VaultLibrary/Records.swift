import Benchmark
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing

/// Encoding, decoding, sealing and verifying one record.
func recordBenchmarks() {
  let keys = Sample.dataKey.keys
  let sealing = JSONEncoder.sealing(with: keys.context())
  let opening = JSONDecoder.opening(with: keys.context())
  let sealedData = known { try sealing.encode(Sample.customer) }

  Benchmark("encode a customer · sealed") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try sealing.encode(Sample.customer)) }
  }
  Benchmark("decode a customer · sealed") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try opening.decode(Customer.self, from: sealedData)) }
  }

  let encoder = JSONEncoder()
  encoder.dateEncodingStrategy = .iso8601
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  let plainData = known { try encoder.encode(Sample.plain) }
  Benchmark("encode a customer · JSONEncoder") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try encoder.encode(Sample.plain)) }
  }
  Benchmark("decode a customer · JSONDecoder") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try decoder.decode(PlainCustomer.self, from: plainData)) }
  }

  Benchmark("wrap a new data key · VaultSealing") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try Sample.root.makeDataKey(for: Sample.recordID)) }
  }
  Benchmark("unwrap a data key · VaultSealing") { benchmark in
    for _ in benchmark.scaledIterations {
      blackHole(try Sample.root.recordKeys(from: Sample.dataKey.wrapped, record: Sample.recordID))
    }
  }
  Benchmark("seal a record, tokens checked · VaultSealing") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try RecordSeal.seal(Sample.fields, Sample.draft, keys: keys)) }
  }
  let tree = known { try JSONParser.parse(Sample.recordFile) }
  Benchmark("verify a record · VaultSealing") { benchmark in
    for _ in benchmark.scaledIterations {
      blackHole(
        try RecordSeal.verify(tree, as: Sample.recordID) { _ throws(SealingError) in Sample.root })
    }
  }
}
