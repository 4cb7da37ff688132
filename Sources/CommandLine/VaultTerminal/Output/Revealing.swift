package import VaultCrypto
package import VaultDocument
package import VaultKit
import VaultSealing

/// The permission to give opened secrets to standard output, a named file or the terminal.
///
/// The functions that do this take the permission, and only this file makes one. So a command must ask first.
package struct Revealing: Sendable {
  /// The variables that decide. Programs that `run` starts inherit them, because they may start this program again.
  package static let variables = CodingAgent.variables + [forbidding, allowing]
  package static let forbidding = "CVAULT_NO_REVEAL"
  package static let allowing = "CVAULT_ALLOW_REVEAL"

  fileprivate init() {}

  /// The permission for a value that was never sealed. Nil if any part of the value is sealed.
  ///
  /// - Parameter stored: the value as the record stores it.
  package init?(neverSealed stored: JSONValue) {
    guard !stored.leaves().contains(where: { $0.1.string.map(SealedToken.hasTokenShape) ?? false }) else { return nil }
  }
}

/// Why a run must not reveal secrets.
package struct RevealBan: Sendable {
  /// The option, or the variable.
  package let source: String
  package let agent: CodingAgent?
  /// Whether the user asked for it with an option, and not with a variable.
  package var isOption: Bool { source.hasPrefix("--") }

  fileprivate func reason(showing secret: String) -> String {
    "this would show \(secret)"
      + (agent.map { " to \($0.name), which runs this command (\(source) is set)" } ?? ", which \(source) forbids")
  }
}

extension GlobalOptions {
  /// Nil if the run may reveal secrets.
  package var revealBan: RevealBan? {
    if noReveal { return RevealBan(source: "--no-reveal", agent: nil) }
    guard System.variable(Revealing.allowing) != "1" else { return nil }
    if let agent = CodingAgent.current { return RevealBan(source: agent.variable, agent: agent) }
    // Any value counts, because the absence of the variable allows more.
    guard System.variable(Revealing.forbidding) != nil else { return nil }
    return RevealBan(source: Revealing.forbidding, agent: nil)
  }

  /// The permission to reveal a secret, or the error of a run that must not.
  ///
  /// - Parameters:
  ///   - use: the command, or its option.
  ///   - secret: the thing that would be shown.
  ///   - place: the record and the field, as far as they are known.
  ///   - way: the next step, if `vault run` is not the one.
  package func revealing(
    _ use: String, _ secret: String = "a sealed value", of place: RevealedPlace = RevealedPlace(), way: String? = nil
  ) throws -> Revealing {
    guard let ban = revealBan else { return Revealing() }
    throw CommandError(
      .declined, "no_reveal", subject: use, ban.reason(showing: secret),
      hints: [way ?? place.way, ban.wayOfPerson].compactMap(\.self))
  }

  /// The permission to answer a program that asks for a secret by its own protocol.
  ///
  /// - Parameters:
  ///   - use: the command.
  ///   - isAsked: whether such a program has started this command.
  ///   - programs: the names of these programs, for the error.
  package func revealing(_ use: String, isAsked: () -> Bool, by programs: String) throws -> Revealing {
    guard let ban = revealBan, !isAsked() else { return Revealing() }
    throw CommandError(
      .declined, "no_reveal", subject: use,
      ban.reason(showing: "a sealed value") + ": only \(programs) may ask for it",
      hints: [RevealedPlace().way, ban.wayOfPerson].compactMap(\.self))
  }
}

extension RevealBan {
  /// Nil for the option, which the user has just typed.
  fileprivate var wayOfPerson: String? {
    guard !isOption else { return nil }
    return "if you are a person, set \(Revealing.allowing)=1; `vault help agents` explains this"
  }
}

/// The record and the field of a secret, for the line that gives the secret to a program instead.
package struct RevealedPlace {
  private let record: String?
  private let path: MemberPath?
  private let view: SecretReference.View?

  package init(record: String? = nil, path: MemberPath? = nil, view: SecretReference.View? = nil) {
    (self.record, self.path, self.view) = (record, path, view)
  }

  package init(_ reference: SecretReference) {
    self.init(record: reference.record, path: reference.path, view: reference.view)
  }

  fileprivate var way: String {
    "`vault run --env \(variable)=\(reference) -- PROGRAM` gives it to a program and hides it in the output"
  }

  private var reference: String {
    guard let record, !record.isEmpty else { return "cvault://RECORD/FIELD" }
    guard path != nil || view == .url else {
      return "\(SecretReference(record: record, path: nil))/FIELD" + (view == nil ? "" : "?view=otp")
    }
    let text = "\(SecretReference(record: record, path: path, view: view))"
    // A shell takes these signs for patterns.
    return text.contains(where: { "?[]".contains($0) }) ? text.shellQuoted : text
  }

  /// Such as `ACCESS_KEY` for `api.access_key`.
  private var variable: String {
    if view == .otp { return "CODE" }
    guard let path else { return view == .url ? "ADDRESS" : "NAME" }
    let field = path.description.split(separator: ".").last ?? ""
    let name = field.prefix { $0 != "[" }.map { $0.isASCII && $0.isLetter ? $0 : "_" }
    return name.isEmpty ? "NAME" : String(name).uppercased()
  }
}

extension Output {
  /// Writes a secret unchanged. For a terminal, control characters are escaped.
  package static func write(_ secret: SecretBytes, by _: Revealing) throws {
    try secret.withBytes { try write($0) }
  }

  /// Writes a part of a secret that is useless in part.
  package static func writeWhole(_ bytes: [UInt8], by _: Revealing) throws { try writeWhole(bytes) }

  /// Prints a line with a secret.
  package static func line(_ text: String, by _: Revealing) throws { try line(text) }

  /// Prints a document with a secret.
  package static func document(_ members: KeyValuePairs<String, any DocumentValue>, by _: Revealing) throws {
    try document(members)
  }
}
