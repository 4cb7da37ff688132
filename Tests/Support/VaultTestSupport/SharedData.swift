#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Test data by others, read where it lies: the folder `shared` beside the package, never copied into it.
public enum SharedData {
  /// Path of the folder; `CVAULT_TEST_SHARED` overrides it.
  public static let folder = ProcessInfo.processInfo.environment["CVAULT_TEST_SHARED"] ?? beside(#filePath)

  /// Whether the folder exists on this machine.
  public static var isPresent: Bool { FileManager.default.fileExists(atPath: folder) }

  /// The bytes of a file, its path relative to the folder.
  public static func bytes(_ path: String) throws -> [UInt8] { try readFile(folder + "/" + path) }

  /// The bytes of a file anywhere.
  public static func readFile(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  /// The text of a file in UTF-8, its path relative to the folder.
  public static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

  /// The names in a subfolder, sorted; names that begin with a dot are left out.
  public static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder + "/" + path).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Whether the folder is there; if not, prints how many cases of `suite` are therefore not run.
  ///
  /// A file that is missing while the folder is there is an error of the test, not a reason to skip it.
  public static func isPresent(forCases count: Int, of suite: String) -> Bool {
    Need(isPresent, otherwise: "no ../shared on this machine").isMet(forCases: count, of: suite)
  }

  // From Tests/Support/VaultTestSupport, four steps up is the package, and one more the folder around it.
  private static func beside(_ file: String) -> String {
    var url = URL(filePath: file)
    for _ in 0..<5 { url.deleteLastPathComponent() }
    return url.appending(path: "shared").path
  }
}
