#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The target that `VAULT_FUZZ_TARGET` names: one program serves all, since libFuzzer knows one entry point.
private let target = chosenTarget()

private func chosenTarget() -> any FuzzTarget.Type {
  let name = variable("VAULT_FUZZ_TARGET") ?? ""
  for target in targets where target.name == name { return target }
  stop("VAULT_FUZZ_TARGET is none of: \(targets.map { $0.name }.joined(separator: " "))", status: 2)
}

/// libFuzzer calls this once. With `VAULT_FUZZ_WRITE_SEEDS` it writes the target's seeds into that folder and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  guard variable("VAULT_FUZZ_LIST") == nil else { stop(targets.map { $0.name }.joined(separator: "\n"), status: 0) }
  guard let folder = variable("VAULT_FUZZ_WRITE_SEEDS") else { return 0 }
  do {
    for (number, seed) in try target.seeds().enumerated() { Files.write(seed, to: "\(folder)/own-\(number)") }
  } catch {
    fatalError("a seed of \(target.name) could not be made: \(error)")
  }
  exit(0)
}

/// libFuzzer calls this with each input; a rule that does not hold ends the process, which is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  target.check(input)
  return 0
}

private func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

private func stop(_ text: String, status: CInt) -> Never {
  print(text)
  exit(status)
}
