#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

internal import VaultCrypto

/// A property of the machine that some tests need and the build does not. If it is missing, they report that and are
/// not run.
///
/// Each report is a line of the form `NOT RUN: REASON: SUITE: COUNT`, which `Scripts/test` collects in its summary.
public struct Need: Sendable {
  /// Whether this machine has it.
  public let isMet: Bool
  private let reason: String

  /// A need with the reason that is printed if it is not met.
  public init(_ isMet: Bool, otherwise reason: String) { (self.isMet, self.reason) = (isMet, reason) }

  /// Whether it is met; if not, prints that so many cases of `suite` are therefore not run.
  public func isMet(forCases count: Int, of suite: String) -> Bool {
    if !isMet { Self.notRun(suite, count: count, reason) }
    return isMet
  }

  /// Reports that some cases of `suite` are not run, for a reason that only the test itself finds.
  public static func notRun(_ suite: String, count: Int = 1, _ reason: String) {
    print("NOT RUN: \(reason): \(suite): \(count)")
  }
}

extension Need {
  /// A terminal for processes to run at.
  public static let terminal = Need(hasTerminals, otherwise: "no pseudo-terminal can be made here")
  /// Argon2id, for exports of Bitwarden.
  public static let argon2 = library(["libargon2.so.1", "libargon2.1.dylib", "libargon2.dylib"], "libargon2")
  /// Reads YAML.
  public static let yaml = library(["libyaml-0.so.2", "libyaml-0.2.dylib", "libyaml.dylib"], "libyaml")
  /// Reads XML.
  public static let expat = library(["libexpat.so.1", "libexpat.1.dylib"], "expat")
  /// Says which passwords are weak.
  public static let zxcvbn = library(["libzxcvbn.so.0", "libzxcvbn.0.dylib", "libzxcvbn.dylib"], "libzxcvbn")
  /// Draws a PDF.
  public static let cairo = library(["libcairo.so.2", "libcairo.2.dylib"], "libcairo2")
  /// Draws QR codes.
  public static let qrencode = library(["libqrencode.so.4", "libqrencode.4.dylib"], "libqrencode")
  /// Message buses of a test's own, and the library that reaches them.
  public static let buses: Need = {
    let daemon = command("dbus-daemon")
    return daemon.isMet ? library(["libsystemd.so.0"], "libsystemd") : daemon
  }()

  /// Post-quantum keys.
  public static let postQuantum = Need(HybridKEM.isAvailable, otherwise: "OpenSSL here is older than 3.5")

  /// The reason for skipping tests that need a separate file system.
  public static let noMounts = "this process may not mount file systems"

  /// A program in the folders where tests look for it.
  public static func command(_ name: String) -> Need {
    let isThere = ["/usr/bin", "/bin"].contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
    return Need(isThere, otherwise: "\(name) is not installed")
  }

  private static func library(_ names: [String], _ title: String) -> Need {
    Need(names.contains { unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) != nil }, otherwise: "\(title) is not installed")
  }

  private static let hasTerminals: Bool = {
    var (master, slave): (Int32, Int32) = (-1, -1)
    guard unsafe openpty(&master, &slave, nil, nil, nil) == 0 else { return false }
    close(master)
    close(slave)
    return true
  }()
}
