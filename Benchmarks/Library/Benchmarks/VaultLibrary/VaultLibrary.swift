import Benchmark

/// Names begin with the measured operation. The second part names the library, so that a table shows pairs together.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], scalingFactor: .kilo,
    maxDuration: .seconds(2), maxIterations: 2_000)
  cryptoBenchmarks()
  documentBenchmarks()
  recordBenchmarks()
  vaultBenchmarks()
}
