import Dispatch
import Synchronization

/// Runs `body` to its end from code that cannot wait otherwise: libFuzzer knows no tasks.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
  let done = DispatchSemaphore(value: 0)
  let result = Handover<Value>()
  Task {
    let value = await body()
    result.value.withLock { $0 = value }
    done.signal()
  }
  done.wait()
  guard let value = result.value.withLock({ $0 }) else { preconditionFailure("signalled without a value") }
  return value
}

private final class Handover<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
