import Benchmark

/// Names begin with the subject; the second part names the implementation, so that a table shows pairs together.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], scalingFactor: .kilo,
    maxDuration: .seconds(2), maxIterations: 2_000)
  cryptoBenchmarks()
  documentBenchmarks()
  recordBenchmarks()
  vaultBenchmarks()
}
