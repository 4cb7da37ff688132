import VaultCrypto
import VaultDelivery
import VaultSealing

/// The environment that a program gets.
struct ChildEnvironment {
  /// What one variable may have, its name and a NUL included: Linux takes no more (execve(2)).
  static let byteLimit = 128 << 10

  private var inherited: [(name: String, bytes: [UInt8])]
  private var delivered: [(name: String, bytes: SecretBytes)] = []

  /// - Parameters:
  ///   - isPristine: whether nothing is inherited but what most programs need, and `names`.
  ///   - keepsOwn: whether the variables of this program are passed on, some of which lead to keys.
  init(isPristine: Bool, inheriting names: [String], keepsOwn: Bool) {
    inherited = System.rawVariables().map {
      (String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self), $0)
    }
    .filter { name, _ in
      guard keepsOwn || !name.hasPrefix("CVAULT_") else { return false }
      return !isPristine || Self.needed.contains(name) || name.hasPrefix("LC_") || names.contains(name)
    }
  }

  private static let needed: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR",
  ]

  /// The values that are no text of ours, by their names.
  var texts: [(name: String, value: String)] {
    inherited.map { ($0.name, String(decoding: $0.bytes.dropFirst($0.name.utf8.count + 1), as: UTF8.self)) }
  }

  var path: String? {
    if let path = delivered.first(where: { $0.name == "PATH" }) {
      return path.bytes.withBytes { String(decoding: $0.copiedBytes().dropFirst(5).dropLast(), as: UTF8.self) }
    }
    return texts.first { $0.name == "PATH" }?.value
  }

  func inherits(_ name: String) -> Bool { inherited.contains { $0.name == name } }

  /// Gives a variable a value, in the place of any that it has.
  ///
  /// - Throws: the refusal of what no variable can hold, naming `source`.
  mutating func set(_ name: String, to value: SecretBytes, _ source: String) throws {
    func refused(_ reason: String) -> CommandError {
      CommandError(
        .inputRefused, "input_refused", subject: source, "\(name) \(reason)",
        hints: ["--fd \(name)=… gives the program a file in memory instead"])
    }
    let hasNUL = value.withBytes { bytes in
      bytes.byteOffsets.contains { bytes.byte(at: $0) == 0 }
    }
    guard !hasNUL else {
      throw refused("holds a NUL, which no variable can")
    }
    let bytes = try Self.entry(name, value)
    guard bytes.count <= Self.byteLimit else { throw refused("is longer than a variable may be (128 KiB)") }
    inherited.removeAll { $0.name == name }
    delivered.removeAll { $0.name == name }
    delivered.append((name, bytes))
  }

  /// `NAME=VALUE` of what is inherited, without a NUL, and of what is delivered, with it, in locked memory.
  var entries: (inherited: [[UInt8]], delivered: [SecretBytes]) {
    (inherited.map(\.bytes), delivered.map(\.bytes))
  }

  private static func entry(_ name: String, _ value: SecretBytes) throws -> SecretBytes {
    try SecretBytes(byteCount: name.utf8.count + value.count + 2) { output in
      for byte in name.utf8 { output.append(byte) }
      output.append(UInt8(ascii: "="))
      value.withBytes { bytes in
        for index in bytes.byteOffsets { output.append(bytes.byte(at: index)) }
      }
      output.append(0)
    }
  }
}
