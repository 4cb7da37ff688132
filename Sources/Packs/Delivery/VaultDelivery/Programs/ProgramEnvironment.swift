public import VaultCrypto
public import VaultDocument
internal import VaultSealing
internal import VaultSystem

/// The environment of a program: variables of this process, and values in locked memory.
public struct ProgramEnvironment: Sendable {
  /// The maximum size of one variable, with its name and a NUL (execve(2) of Linux).
  public static let byteLimit = 128 << 10

  private var inherited: [(name: String, bytes: [UInt8])]
  private var delivered: [(name: String, bytes: SecretBytes)] = []

  /// Makes an environment of variables of this process.
  ///
  /// - Parameter isInherited: whether the variable of this name is passed on.
  public init(inheriting isInherited: (_ name: String) -> Bool = { _ in true }) {
    inherited = ProcessEnvironment.rawVariables().map {
      (String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self), $0)
    }
    .filter { isInherited($0.name) }
  }

  /// Whether most programs need a variable and it is not secret: the search path, the home, the user, the language, the
  /// terminal, the time zone, the directory of temporary files.
  public static func isNeeded(_ name: String) -> Bool { needed.contains(name) || name.hasPrefix("LC_") }

  private static let needed: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR",
  ]

  /// The inherited values, by name.
  public var texts: [(name: String, value: String)] {
    inherited.map { ($0.name, String(decoding: $0.bytes.dropFirst($0.name.utf8.count + 1), as: UTF8.self)) }
  }

  var path: String? {
    if let path = delivered.first(where: { $0.name == "PATH" }) {
      return path.bytes.withBytes { String(decoding: $0.copiedBytes().dropFirst(5).dropLast(), as: UTF8.self) }
    }
    return texts.first { $0.name == "PATH" }?.value
  }

  /// Whether a variable of this process is passed on.
  public func inherits(_ name: String) -> Bool { inherited.contains { $0.name == name } }

  /// Sets a variable, and replaces any earlier value.
  ///
  /// - Throws: ``EnvironmentFault`` if no variable can hold the value; `CryptoError` `.memoryUnavailable`.
  public mutating func set(_ name: String, to value: SecretBytes) throws {
    guard DeliveredVariable.isName(name) else { throw TextFault(name: name, "is not a name that a variable can have") }
    let hasNUL = value.withBytes { bytes in
      let bytes = Span<UInt8>(_bytes: bytes)
      return bytes.indices.contains { bytes[$0] == 0 }
    }
    guard !hasNUL else { throw TextFault(name: name, "the value has a NUL character, which no variable can hold") }
    let entry = try Self.entry(name, value)
    guard entry.count <= Self.byteLimit else {
      throw TextFault(name: name, "is longer than a variable can be (128 KiB)")
    }
    inherited.removeAll { $0.name == name }
    delivered.removeAll { $0.name == name }
    delivered.append((name, entry))
  }

  /// The inherited variables as `NAME=VALUE` without a NUL, and the delivered ones with a NUL, in locked memory.
  var entries: (inherited: [[UInt8]], delivered: [SecretBytes]) {
    (inherited.map(\.bytes), delivered.map(\.bytes))
  }

  private static func entry(_ name: String, _ value: SecretBytes) throws(CryptoError) -> SecretBytes {
    try SecretBytes(byteCount: name.utf8.count + value.count + 2) { output in
      for byte in name.utf8 { output.append(byte) }
      output.append(UInt8(ascii: "="))
      value.withBytes { bytes in
        let bytes = Span<UInt8>(_bytes: bytes)
        for index in bytes.indices { output.append(bytes[index]) }
      }
      output.append(0)
    }
  }
}

/// Why a variable cannot be given a value. It never says the value.
public typealias EnvironmentFault = TextFault
