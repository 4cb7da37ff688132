public import VaultCrypto

/// The text files of identities, as `age-keygen` writes them.
public enum AgeIdentityFile {
  /// The largest accepted identity or recipients file.
  public static let maximumByteCount = 1 << 20

  /// Reads one identity per line; empty lines and lines that begin with `#` are skipped. LF and CRLF both end a line.
  ///
  /// - Returns: at least one identity, in the order of the file.
  /// - Throws: `.malformedIdentity`, `.unsupportedIdentity` (both with the line), `.tooLarge`, `.cryptoFailed`.
  public static func parse(_ file: RawSpan) throws(AgeError) -> [AgeIdentity] {
    var identities: [AgeIdentity] = []
    var lines = try KeyFileLines(of: file)
    while let range = lines.next(in: file) {
      identities.append(try AgeIdentity(parsing: file.extracting(range), line: lines.number))
    }
    guard !identities.isEmpty else { throw AgeError(.malformedIdentity, "the file has no identity") }
    return identities
  }

  /// The text of a new identity file: its creation time, its recipient, the identity.
  ///
  /// - Parameter created: the time, as `2026-11-21T01:40:28Z`; visible ASCII only.
  /// - Throws: `.cryptoFailed`; `.unsupportedIdentity` for a plugin's identity, whose file the plugin writes.
  public static func text(_ identity: AgeIdentity, created: String) throws(AgeError) -> SecretBytes {
    // A line feed would add lines to a file that holds a key.
    precondition(created.utf8.allSatisfy(\.isVisible), "the time is visible ASCII")
    let recipient = try identity.recipient
    let comments = [UInt8]("# created: \(created)\n# public key: \(recipient.text)\n".utf8)
    let secret = try identity.text()
    return try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: comments.count + secret.count + 1) { (output) throws(CryptoError) in
        output.copy(RawSpan(_elements: comments.span), at: 0)
        secret.withBytes { output.copy($0, at: comments.count) }
        output.storeBytes(of: .lineFeed, toByteOffset: comments.count + secret.count, as: UInt8.self)
      }
    }
  }
}

/// The text files of recipients, as `age -R` reads them.
public enum AgeRecipientsFile {
  /// Reads one recipient per line; empty lines and lines that begin with `#` are skipped. LF and CRLF both end a line.
  ///
  /// - Returns: at least one recipient, in the order of the file.
  /// - Throws: `.malformedRecipient`, `.unsupportedRecipient` (both with the line), `.tooLarge`.
  public static func parse(_ file: RawSpan) throws(AgeError) -> [AgeRecipient] {
    var recipients: [AgeRecipient] = []
    var lines = try KeyFileLines(of: file)
    while let range = lines.next(in: file) {
      recipients.append(try AgeRecipient(parsing: file.extracting(range), line: lines.number))
    }
    guard !recipients.isEmpty else { throw AgeError(.malformedRecipient, "the file has no recipient") }
    return recipients
  }
}

/// Iterates over the lines of a key file that hold a key, without copying them.
private struct KeyFileLines {
  /// The number of the last returned line, from 1.
  private(set) var number = 0
  private var start = 0

  init(of file: RawSpan) throws(AgeError) {
    guard file.byteCount <= AgeIdentityFile.maximumByteCount else {
      throw AgeError(.tooLarge, "the key file is larger than 1 MiB")
    }
  }

  /// The range of the next line that is neither empty nor a comment.
  mutating func next(in file: RawSpan) -> Range<Int>? {
    while start < file.byteCount {
      let lineStart = start
      var end = file.firstOffset(of: .lineFeed, from: start) ?? file.byteCount
      start = end + 1
      number += 1
      if end > lineStart, file[octet: end - 1] == .carriageReturn { end -= 1 }
      if end > lineStart, file[octet: lineStart] != UInt8(ascii: "#") { return lineStart..<end }
    }
    return nil
  }
}
