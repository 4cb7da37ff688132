#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// One run of a program: its words, variables, folder and streams.
///
/// A program that a person starts uses those of its process. A test holds many runs in one process.
package final class Invocation: Sendable {
  /// The run of the current task; nil if it is the run of the process.
  @TaskLocal package static var current: Invocation?

  /// The words of the command line; the first is the name of the program.
  package let arguments: [String]
  /// Each is `NAME=VALUE`.
  package let variables: [String]
  /// The folder that relative paths start from, without links and dots.
  package let folder: String
  package let folderDescriptor: Int32
  /// The descriptors that replace 0, 1 and 2.
  package let (input, output, errors): (Int32, Int32, Int32)
  /// The program file, for a run that starts another process of it.
  package let program: String

  package init(
    of program: String, _ arguments: [String], variables: [String], folder: String, folderDescriptor: Int32,
    input: Int32, output: Int32, errors: Int32
  ) {
    (self.program, self.arguments, self.variables) = (program, arguments, variables)
    (self.folder, self.folderDescriptor) = (folder, folderDescriptor)
    (self.input, self.output, self.errors) = (input, output, errors)
  }

  package func variable(_ name: String) -> String? {
    variables.first { $0.utf8.starts(with: "\(name)=".utf8) }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// The path in a form that does not depend on the folder of the process.
  package func absolute(_ path: String) -> String { path.isEmpty || path.hasPrefix("/") ? path : "\(folder)/\(path)" }

  /// A program and its words for a child in the folder of this run; nil if the PATH of this run does not have the
  /// program.
  ///
  /// `env` changes to the folder, because the process has another one.
  package func command(_ program: String, _ words: [String]) -> [String]? {
    let folders = program.contains("/") ? [""] : variable("PATH")?.split(separator: ":").map { $0 + "/" } ?? []
    let file = folders.map { absolute($0 + program) }.first { unsafe access($0, X_OK) == 0 }
    return file.map { ["/usr/bin/env", "env", "-C", folder, $0] + words.dropFirst() }
  }
}
