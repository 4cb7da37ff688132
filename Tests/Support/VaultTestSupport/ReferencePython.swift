#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The implementation of the format in `Tests/Reference`, which was made from its description alone.
public enum ReferencePython {
  /// The reason that is printed if it cannot run.
  public static let need = "no python3 with the module cryptography"

  /// The first python3 that has the package `cryptography`; `CVAULT_TEST_PYTHON` comes first.
  public static let path: String? = {
    let named = ProcessInfo.processInfo.environment["CVAULT_TEST_PYTHON"]
    return ([named, "python3", "/usr/bin/python3"] as [String?]).compactMap { $0 }.first { candidate in
      !candidate.isEmpty && start(candidate, ["-c", "import cryptography"]).code == 0
    }
  }()

  /// Runs one of its programs.
  ///
  /// - Parameter path: that of ``path``.
  package static func run(_ path: String, _ program: String, _ arguments: [String]) -> ProcessOutcome {
    start(path, [OwnVectors.package + "/Tests/Reference/" + program] + arguments)
  }

  private static func start(_ path: String, _ arguments: [String]) -> ProcessOutcome {
    // It must not write beside the sources.
    let environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    return ProcessRun(path: "/usr/bin/env", arguments: [path] + arguments, environment: environment).run()
  }
}
