package import VaultDocument
package import VaultKit
internal import VaultMarkup

package struct DeliveredVariable: Sendable {
  package enum Content: Sendable {
    /// A text that is not secret.
    case text(String)
    case reference(SecretReference)
  }

  /// The name of the variable. ``isName(_:)`` tells whether a shell accepts it.
  package let name: String
  package let content: Content

  package init(name: String, content: Content) { (self.name, self.content) = (name, content) }

  /// Whether a text can name a variable in shells (POSIX, Base Definitions, section 8.1).
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first &- UInt8(ascii: "0") > 9 else { return false }
    return text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
    }
  }

  /// Whether a variable decides which code a program runs or loads. A file may not set such a variable, because a user
  /// who runs a program in somebody else's folder did not choose the files there.
  package static func decidesWhatRuns(_ name: String) -> Bool {
    let name = name.uppercased()
    return whole.contains(name) || beginnings.contains { name.hasPrefix($0) }
      || name.hasPrefix("PYTHON") && name.hasSuffix("PATH")
  }

  /// Whether a file may set a variable unasked: one letter, or a name for a secret or a user.
  ///
  /// Any other name may decide what some program runs, loads or connects to, and nobody can list those.
  package static func mayComeFromFile(_ name: String) -> Bool {
    let upper = name.uppercased()
    guard !decidesWhatRuns(name), !toolPrefixes.contains(where: { upper.hasPrefix($0) }) else { return false }
    let isLetter = upper.utf8.count == 1 && upper != "_"
    return isLetter || fileEndings.contains { upper.hasSuffix($0) } || fileNames.contains(upper)
  }

  /// The ends of names that a file may set.
  package static let fileEndings = [
    "PASSWORD", "PASSPHRASE", "_PASS", "_PWD", "TOKEN", "SECRET", "_KEY", "_KEY_ID", "_CLIENT_ID", "_USER", "_USERNAME",
    "_LOGIN", "_EMAIL", "_TEXT",
  ]
  private static let fileNames: Set<String> = ["PGUSER", "TEXT", "LOGIN", "EMAIL"]
  /// Prefixes of programs that read all their options from variables.
  private static let toolPrefixes = ["NPM_CONFIG_", "PIP_", "ANSIBLE_", "TF_CLI_", "BASH", "ZSH", "R_"]

  private static let whole: Set<String> = [
    "PATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "GCONV_PATH", "PYTHONSTARTUP", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS",
    "EDITOR", "VISUAL", "PAGER",
  ]
  private static let beginnings = ["LD_", "DYLD_", "PERL5", "RUBY", "GIT_", "BASH_FUNC_"]
}

/// Variables of a file: `NAME=cvault://RECORD/FIELD` or `NAME=text`, one on each line, quoted as in shells.
///
/// `$NAME` is not replaced, and nothing is run.
package enum EnvironmentFile {
  /// A variable, and the line that it stands on.
  package struct Entry: Sendable {
    /// The line, from 1.
    package let line: Int
    package let variable: DeliveredVariable
  }

  /// Reads a whole file. One invalid line refuses the file.
  ///
  /// - Parameter isRefused: names that are refused, in addition to those that decide what a program runs.
  package static func parse(
    _ bytes: [UInt8], refusing isRefused: (String) -> Bool = { _ in false }
  ) throws(TextFault) -> [Entry] {
    var entries: [Entry] = []
    for line in lines(of: bytes, refusing: isRefused) { entries.append(try line.get()) }
    return entries
  }

  /// All lines of a file except empty ones and comments, valid or not.
  package static func lines(
    of bytes: [UInt8], refusing isRefused: (String) -> Bool = { _ in false }
  ) -> [Result<Entry, TextFault>] {
    var (reader, lines, names) = (DotenvReader(bytes), [Result<Entry, TextFault>](), Set<String>())
    while let found = reader.next() {
      lines.append(
        Result { () throws(TextFault) in
          guard !isRefused(found.name) else {
            throw TextFault(line: found.line, "\(found.name) cannot be set in a file")
          }
          let variable = try variable(found.name, found.value, line: found.line)
          guard names.insert(found.name).inserted else {
            throw TextFault(line: found.line, "\(found.name) is set more than once")
          }
          return Entry(line: found.line, variable: variable)
        })
    }
    return lines
  }

  private static func variable(_ name: String, _ value: String?, line: Int) throws(TextFault) -> DeliveredVariable {
    guard DeliveredVariable.isName(name), let value else {
      throw TextFault(line: line, "the line is neither NAME=cvault://RECORD/FIELD nor NAME=text")
    }
    guard !value.utf8.contains(0) else {
      throw TextFault(line: line, "the value has a NUL character, which no variable can hold")
    }
    guard !DeliveredVariable.decidesWhatRuns(name) else {
      throw TextFault(line: line, "\(name) decides what a program runs, and cannot be set in a file")
    }
    guard SecretReference.isMeant(by: value) else { return DeliveredVariable(name: name, content: .text(value)) }
    do throws(ReferenceFault) {
      return DeliveredVariable(name: name, content: .reference(try SecretReference(parsing: value)))
    } catch {
      throw TextFault(line: line, Sentence.about(name, error.reason))
    }
  }
}
