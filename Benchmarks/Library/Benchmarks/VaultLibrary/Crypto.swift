import Benchmark
import Crypto
import FoundationEssentials
import VaultCrypto

/// Sealing and opening 32 bytes with 64 bytes of associated data, a nonce drawn for each.
func cryptoBenchmarks() {
  let text = [UInt8](repeating: 0x61, count: 32)
  let binding = [UInt8](repeating: 0x62, count: 64)
  let key = known { try AESGCMKey(beginningOf: .random(count: 32)) }
  let box = known {
    try key.seal(RawSpan(_elements: text.span), padding: RawSpan(), associatedData: RawSpan(_elements: binding.span))
  }

  Benchmark("seal 32 bytes · VaultCrypto") { benchmark in
    for _ in benchmark.scaledIterations {
      blackHole(
        try key.seal(
          RawSpan(_elements: text.span), padding: RawSpan(), associatedData: RawSpan(_elements: binding.span)))
    }
  }
  Benchmark("open 32 bytes · VaultCrypto") { benchmark in
    for _ in benchmark.scaledIterations {
      blackHole(try key.open(RawSpan(_elements: box.span), associatedData: RawSpan(_elements: binding.span)))
    }
  }

  let peer = SymmetricKey(size: .bits256)
  let peerBox = known { try AES.GCM.seal(text, using: peer, authenticating: binding) }
  Benchmark("seal 32 bytes · swift-crypto") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try AES.GCM.seal(text, using: peer, authenticating: binding)) }
  }
  Benchmark("open 32 bytes · swift-crypto") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try AES.GCM.open(peerBox, using: peer, authenticating: binding)) }
  }
}
