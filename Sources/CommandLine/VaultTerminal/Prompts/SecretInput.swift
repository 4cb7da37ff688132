package import VaultCrypto
import VaultRecords
import VaultSystem

/// Reads secrets directly into secure memory.
package enum SecretInput {
  /// The size limit. No passphrase, key or certificate is larger, and the secure heap is small.
  package static let maximumByteCount = 256 << 10

  /// The content of a file, with `-` for standard input, without the line end of a single line.
  package static func file(_ path: String) throws -> SecretLine {
    if path == "-" { return try line(from: System.standardInput, named: "stdin") }
    let file = try NamedFile.reading(path)
    return try line(from: file.descriptor, named: path)
  }

  /// The base64 of a file, with `-` for standard input.
  package static func base64(ofFile path: String) throws -> SecretBytes {
    if path == "-" { return try base64(from: System.standardInput, named: "stdin") }
    let file = try NamedFile.reading(path)
    let text = try base64(from: file.descriptor, named: path)
    // A failed command in front of a pipe must not erase a secret. An empty file is allowed.
    guard text.count > 0 || System.byteCount(of: file.descriptor) == 0 else {
      throw CommandError(.inputRefused, "input_refused", subject: path, "is empty, so nothing was changed")
    }
    return text
  }

  private static func base64(from descriptor: Int32, named name: String) throws -> SecretBytes {
    let room = (SecureMemory.valueByteCount - 1) / 4 * 3
    let bytes = try bytes(from: descriptor, named: name, as: "a file in a record", limit: room)
    return try bytes.withBytes { bytes throws(CryptoError) in try SecretBytes(base64Of: bytes) }
  }

  /// The content of a descriptor, without the line end of a single line.
  package static func line(from descriptor: Int32, named name: String) throws -> SecretLine {
    try SecretLine(bytes(from: descriptor, named: name), from: name)
  }

  /// The output of a shell command, without the line end of a single line.
  package static func command(_ script: String, named name: String) throws -> SecretLine {
    try SecretLine(output(of: script, named: name), from: name)
  }

  /// The exact output of a shell command.
  ///
  /// - Parameter use: the purpose, for the error.
  package static func output(
    of script: String, named name: String, as use: String = "a secret"
  ) throws -> SecretBytes {
    var output: SecretBytes?
    let status = try System.readShell(script) { descriptor in
      output = try bytes(
        from: descriptor, named: name, as: use, otherwise: "run the command by itself to see what it prints")
    }
    guard status == 0, let output else {
      let signal = status > 128 ? " (signal \(status - 128))" : ""
      throw CommandError(
        .cannotUnlock, "no_key", subject: name, "the command ended with exit status \(status)\(signal)",
        hints: ["run the command by itself to see why"])
    }
    return output
  }

  /// The first bytes of a file, enough to see its form.
  package static func beginning(of descriptor: Int32, named name: String) throws -> SecretBytes {
    let (held, count) = try filled(SecretBytes(count: 0) { _ in }, from: descriptor, capacity: 2048, named: name)
    return try held.slice(0..<count)
  }

  /// The exact content of a descriptor.
  ///
  /// - Parameters:
  ///   - use: the purpose, for the error.
  ///   - hint: the next step if there are too many bytes.
  package static func bytes(
    from descriptor: Int32, named name: String, as use: String = "a secret", limit: Int = maximumByteCount,
    otherwise hint: String = "name another file"
  ) throws -> SecretBytes {
    var held = try SecretBytes(count: 0) { _ in }
    var capacity = 4096
    while held.count <= limit {
      // One byte more shows that the limit is exceeded.
      capacity = min(capacity, limit + 1)
      let (more, count) = try filled(held, from: descriptor, capacity: capacity, named: name)
      guard count == capacity else { return try more.slice(0..<count) }
      held = more
      capacity *= 4
    }
    throw CommandError(
      .inputRefused, "input_refused", subject: name, "is too large for \(use): at most \(limit >> 10) KiB",
      hints: [limit > maximumByteCount ? "`ulimit -l` sets the limit, up to 3 MiB" : hint])
  }

  /// `held` and the following bytes, up to `capacity`.
  private static func filled(
    _ held: SecretBytes, from descriptor: Int32, capacity: Int, named name: String
  ) throws -> (SecretBytes, count: Int) {
    var count = held.count
    var failure: SystemError?
    let secret = try SecretBytes(count: capacity) { span throws(CryptoError) in
      held.withBytes { bytes in
        for offset in 0..<bytes.byteCount {
          span.storeBytes(of: bytes.byte(at: offset), toByteOffset: offset, as: UInt8.self)
        }
      }
      do throws(SystemError) {
        while count < capacity {
          let added = try System.readSome(into: &span, at: count, from: descriptor, path: name)
          if added == 0 { break }
          count += added
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return (secret, count)
  }
}

extension SecretBytes {
  /// A copy in ordinary memory, for models that need a string; nil if it is not UTF-8.
  package var string: String? {
    withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }
  }
}

extension RawSpan {
  package func byte(at offset: Int) -> UInt8 {
    // Bounds are checked; a UInt8 has no invalid bit pattern.
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

/// Reads input that is not secret, such as a file to import.
package enum TextInput {
  /// The content of a file, with `-` for standard input.
  package static func file(_ path: String, limit: Int) throws -> [UInt8] {
    if path == "-" { return try bytes(from: System.standardInput, named: "stdin", limit: limit) }
    return try bytes(of: NamedFile.reading(path), limit: limit)
  }

  /// The rest of an open file.
  package static func bytes(of file: borrowing NamedFile, limit: Int) throws -> [UInt8] {
    try bytes(from: file.descriptor, named: file.path, limit: limit)
  }

  package static func text(of file: borrowing NamedFile) throws -> String {
    String(decoding: try bytes(from: file.descriptor, named: file.path, limit: 1 << 20), as: UTF8.self)
  }

  /// The rest of a descriptor. More than `limit` bytes are refused.
  package static func bytes(from descriptor: Int32, named name: String, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    // An array that grows step by step would be in memory twice.
    if let size = System.byteCount(of: descriptor), size <= limit { bytes.reserveCapacity(size) }
    // Most inputs are small, and so is the first piece.
    var chunk = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      var span = chunk.mutableSpan
      // Unsafe because any bytes can be stored; a UInt8 may be any byte.
      var raw = unsafe span.mutableBytes
      let count = try System.readSome(into: &raw, at: 0, from: descriptor, path: name)
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw CommandError(.inputRefused, "input_refused", subject: name, "is too large: at most \(limit >> 20) MiB")
      }
      bytes += chunk[..<count]
      if count == chunk.count, count < 1 << 16 { chunk = [UInt8](repeating: 0, count: 1 << 16) }
    }
  }
}
