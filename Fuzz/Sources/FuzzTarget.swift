/// One kind of hostile input and the rules that hold for every one of them.
protocol FuzzTarget: SendableMetatype {
  /// As `Scripts/fuzz --target` and the folder in `Fuzz/Corpus` call it.
  static var name: String { get }
  /// Inputs that reach deep; libFuzzer works on from there.
  static func seeds() throws -> [[UInt8]]
  /// Ends the process when a rule does not hold.
  static func check(_ input: [UInt8])
}

/// All targets.
let targets: [any FuzzTarget.Type] = [
  JSONTarget.self, RecordTarget.self, HeaderTarget.self, TokenTarget.self, AgeTarget.self, ArmorTarget.self,
  JournalTarget.self, ImportTarget.self, ArchiveTarget.self, TemplateTarget.self,
]

/// Ends the process unless the rule holds; `rule` says what should have been, so that a finding reads like a test's
/// name.
func require(_ condition: @autoclosure () -> Bool, _ rule: StaticString) {
  if !condition() { broken(rule) }
}

/// A rule that does not hold.
func broken(_ rule: StaticString, _ error: (any Error)? = nil) -> Never {
  fatalError("rule broken: \(rule)\(error.map { " (\($0))" } ?? "")")
}

/// The result of `body`; its error is a broken rule.
func must<Value, Failure: Error>(_ rule: StaticString, _ body: () throws(Failure) -> Value) -> Value {
  do throws(Failure) { return try body() } catch { broken(rule, error) }
}

/// The result or error of `body`, as a value to compare.
func outcome<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Result<Value, Failure> {
  do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
}
