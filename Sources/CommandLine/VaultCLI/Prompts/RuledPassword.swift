import VaultRecords
import VaultTerminal

/// The rules of a site for passwords, with a length that satisfies them.
package struct RuledPassword {
  let rules: PasswordRules
  let length: Int
  /// The binary logarithm of the number of passwords that satisfy the rules.
  let bits: Double

  /// - Parameter length: nil for the usual length, limited to the allowed ones.
  init(_ rules: PasswordRules, length: Int? = nil) throws(PasswordRules.Fault) {
    (self.rules, self.length) = (rules, length ?? rules.length(nextTo: PasswordRecipe.standardLength))
    let share = try rules.usableShare(ofLength: self.length)
    bits = Double(self.length) * System.binaryLogarithm(Double(rules.alphabet.count)) + System.binaryLogarithm(share)
  }

  /// Parses `--rules`. A length that the rules forbid is reported as a fault of `--length`.
  init(ofOption text: String, length: Int?) throws(CommandError) {
    let rules: PasswordRules
    do throws(PasswordRules.Fault) { rules = try PasswordRules(parsing: text) } catch { throw Self.refusal(error) }
    if let length, !rules.lengths.contains(length) {
      throw .usage(
        "--length", "must be between \(rules.lengths.lowerBound) and \(rules.lengths.upperBound) to fit --rules")
    }
    do throws(PasswordRules.Fault) { self = try RuledPassword(rules, length: length) } catch {
      throw Self.refusal(error)
    }
  }

  private static func refusal(_ fault: PasswordRules.Fault) -> CommandError {
    fault.isImpossible
      ? CommandError(.inputRefused, "input_refused", subject: "--rules", fault.reason, hints: [fault.hint])
      : .usage("--rules", fault.reason, fault.hint)
  }
}

extension PasswordRecipe {
  /// The recipe for a field: the one of the user, of the kind, or the usual one.
  static func making(_ value: ValueSchema?, _ asked: PasswordRecipe?) -> PasswordRecipe {
    if let asked { return asked }
    // Rules of a kind were checked when the kind was declared.
    let ruled = value?.generation.flatMap { try? RuledPassword($0) }
    return ruled.map { .ruled($0) } ?? .standard
  }
}
