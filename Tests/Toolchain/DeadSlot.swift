// Forms that the pass LoadableByAddress of some compilers makes into a read of a stack slot after its end, and forms
// that it does not. `Scripts/lint-optimised --compiler` compiles and runs this: README.md. No target of the package has
// it.

struct Failure: Error {}

/// Eight words: the smallest that is hit.
struct Large {
  var first: Int, second: Int, third: Int, fourth: Int, fifth: Int, sixth: Int, seventh: Int, eighth: Int
  init(_ value: Int) {
    (first, second, third, fourth) = (value, value, value, value)
    (fifth, sixth, seventh, eighth) = (value, value, value, value)
  }
}

/// Seven words.
struct Small {
  var first: Int, second: Int, third: Int, fourth: Int, fifth: Int, sixth: Int, seventh: Int
  init(_ value: Int) {
    (first, second, third, fourth) = (value, value, value, value)
    (fifth, sixth, seventh) = (value, value, value)
  }
}

typealias Pair = (large: Large, mark: Int)
struct Named { var large: Large, mark: Int }
enum TwoValues { case found(Large, Int), nothing }
enum OneValue { case found(Named), nothing }

// The values of the forms. An inlined form may have no slot.

@inline(never) func pair(_ number: Int) -> Pair? { number == 0 ? nil : (Large(number), number) }
@inline(never) func typedPair(_ number: Int) throws(Failure) -> Pair? {
  if number < 0 { throw Failure() }
  return pair(number)
}
@inline(never) func untypedPair(_ number: Int) throws -> Pair? { try typedPair(number) }
@inline(never) func asyncPair(_ number: Int) async throws(Failure) -> Pair? { try typedPair(number) }
@inline(never) func smallPair(_ number: Int) -> (small: Small, mark: Int)? {
  number == 0 ? nil : (Small(number), number)
}
@inline(never) func named(_ number: Int) throws(Failure) -> Named? {
  try typedPair(number).map { Named(large: $0.large, mark: $0.mark) }
}
@inline(never) func twoValues(_ number: Int) -> TwoValues { number == 0 ? .nothing : .found(Large(number), number) }
@inline(never) func oneValue(_ number: Int) -> OneValue {
  number == 0 ? .nothing : .found(Named(large: Large(number), mark: number))
}
@inline(never) func mark(_ large: Large) -> Int { large.first }

// Hit: a member of eight words or more, of an optional tuple or of a case with several values, is returned as it is,
// and nothing else is asked of the tuple.

func hitChain(_ number: Int) throws(Failure) -> Large {
  guard let large = pair(number)?.large else { throw Failure() }
  return large
}

func hitChainWithTypedThrows(_ number: Int) throws(Failure) -> Large {
  guard let large = try typedPair(number)?.large else { throw Failure() }
  return large
}

func hitChainWithUntypedThrows(_ number: Int) throws -> Large {
  guard let large = try untypedPair(number)?.large else { throw Failure() }
  return large
}

func hitChainWithAsync(_ number: Int) async throws(Failure) -> Large {
  guard let large = try await asyncPair(number)?.large else { throw Failure() }
  return large
}

func hitChainAfterTryOptional(_ number: Int) throws(Failure) -> Large {
  guard let large = (try? typedPair(number))?.large else { throw Failure() }
  return large
}

// swift-format-ignore: NeverForceUnwrap
func hitForcedUnwrapping(_ number: Int) throws(Failure) -> Large { try typedPair(number)!.large }

func hitVariableThenChain(_ number: Int) throws(Failure) -> Large {
  let found = try typedPair(number)
  guard let large = found?.large else { throw Failure() }
  return large
}

func hitDestructuring(_ number: Int) throws(Failure) -> Large {
  guard let (large, _) = try typedPair(number) else { throw Failure() }
  return large
}

func hitPattern(_ number: Int) throws(Failure) -> Large {
  guard case (let large, _)? = try typedPair(number) else { throw Failure() }
  return large
}

func hitCaseWithTwoValues(_ number: Int) throws(Failure) -> Large {
  guard case .found(let large, _) = twoValues(number) else { throw Failure() }
  return large
}

// Not hit.

func safeNamedStruct(_ number: Int) throws(Failure) -> Large {
  guard let large = try named(number)?.large else { throw Failure() }
  return large
}

func safeCaseWithOneStruct(_ number: Int) throws(Failure) -> Large {
  guard case .found(let found) = oneValue(number) else { throw Failure() }
  return found.large
}

func safeSmallMember(_ number: Int) throws(Failure) -> Small {
  guard let small = smallPair(number)?.small else { throw Failure() }
  return small
}

func safeOptionalResult(_ number: Int) -> Large? { pair(number)?.large }

func safeReadAndNotReturned(_ number: Int) throws(Failure) -> Int {
  guard let large = pair(number)?.large else { throw Failure() }
  return mark(large)
}

/// The name of the tuple keeps it apart from its member: nothing to build on.
func safeWholeTupleNamedFirst(_ number: Int) throws(Failure) -> Large {
  guard let found = try typedPair(number) else { throw Failure() }
  return found.large
}

// One form of each kind, run: 1 unless a compiler is at fault.
let isRight = try hitChainWithTypedThrows(1).eighth == 1 && hitCaseWithTwoValues(1).eighth == 1
let isSafe = try safeNamedStruct(1).eighth == 1 && safeCaseWithOneStruct(1).eighth == 1
print(isSafe ? (isRight ? "right" : "wrong") : "unsafe")
