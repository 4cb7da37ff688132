package import VaultCrypto
package import VaultDocument

/// A secret from a file, descriptor or command, without the line end of a single line, which is LF or CRLF.
package struct SecretLine: Sendable {
  package let bytes: SecretBytes
  /// The file, option or variable of the secret.
  let name: String
  package let hidden: HiddenContent

  /// Removes a line end only if it is the only one and comes last.
  init(_ read: SecretBytes, from name: String) throws {
    self.name = name
    let (newline, hasReturn) = read.withBytes { bytes in
      let newline = (0..<bytes.byteCount).first { bytes.byte(at: $0) == UInt8(ascii: "\n") }
      return (newline, newline.map { $0 > 0 && bytes.byte(at: $0 - 1) == UInt8(ascii: "\r") } ?? false)
    }
    guard let newline, newline == read.count - 1 else {
      bytes = read
      hidden = HiddenContent(in: read)
      return
    }
    bytes = try read.slice(0..<(hasReturn ? newline - 1 : newline))
    hidden = HiddenContent(in: bytes).union(hasReturn ? .droppedReturn : [])
  }

  /// The passphrase of an existing key, unchanged. Its invisible characters become a hint if it opens nothing.
  package func passphrase() -> SecretBytes {
    HiddenContent.note(hidden, in: name)
    return bytes
  }

  /// A new passphrase, which the user must be able to type.
  package func newPassphrase(_ messages: Messages) throws -> SecretBytes {
    guard bytes.count > 0 else { throw refused("the new passphrase is empty", "nothing was changed") }
    if let fault = Self.fault(ofNewPassphrase: hidden) {
      throw refused("the new passphrase \(fault)", "\(hidden.mending); nothing was changed")
    }
    if let note = Self.note(ofNewPassphrase: hidden) { messages.note("the new passphrase \(note)") }
    return bytes
  }

  /// Why a passphrase cannot be typed; nil if it can.
  package static func fault(ofNewPassphrase hidden: HiddenContent) -> String? {
    let faults = hidden.intersection(.untypeable)
    return faults.isEmpty ? nil : "has \(faults.words) and could not be typed again"
  }

  /// A note about a passphrase that can be typed.
  package static func note(ofNewPassphrase hidden: HiddenContent) -> String? {
    let odd = hidden.intersection([.blankBefore, .blankBehind])
    return odd.isEmpty ? nil : "has \(odd.words), which is part of it"
  }

  private func refused(_ reason: String, _ hint: String) -> CommandError {
    CommandError(.inputRefused, "input_refused", subject: name, reason, hints: [hint])
  }

  /// The value of a sealed field. Invisible characters are noted.
  package func value(at path: MemberPath, _ messages: Messages) throws -> SecretBytes {
    guard hidden.isDisjoint(with: .noText), bytes.string != nil else {
      var error = CommandError(
        .inputRefused, "input_refused", subject: name,
        "is not UTF-8 text\(hidden.contains(.utf16) ? " but UTF-16" : ""), but \(path) must be text",
        hints: [
          hidden.contains(.utf16)
            ? "save the file as UTF-8; nothing was changed"
            : "`vault attach RECORD FILE` or a record of the kind `file` keeps bytes; nothing was changed"
        ])
      error.field = path.description
      throw error
    }
    if let words = hidden.wordsOfSecret { messages.note("\(path): the value from \(name) \(words)") }
    return bytes
  }
}

extension HiddenContent {
  /// The remark about a secret, as the end of a sentence; nil for none.
  package var wordsOfSecret: String? {
    let odd = intersection(contains(.secondLine) ? .oddInLines : .oddInLine)
    let kept = odd.isEmpty ? nil : "has \(odd.words), which is kept"
    let dropped = "ended with CRLF: the carriage return was dropped with the line end"
    let words = [kept, contains(.droppedReturn) ? dropped : nil].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", and ")
  }

  fileprivate var mending: String {
    if contains(.utf16) || contains(.byteOrderMark) { return "save the file as UTF-8 without a byte order mark" }
    if contains(.secondLine) || contains(.emptyLine) { return "give one line, with one line end or none" }
    if contains(.noText) { return "save the file as UTF-8" }
    return "remove that, or make a passphrase with `vault generate --words 6`"
  }
}

extension SecretBytes {
  /// The UTF-8 bytes of a string. The string itself stays in ordinary memory.
  package convenience init(utf8 text: String) throws(CryptoError) {
    var text = text
    text.makeContiguousUTF8()
    try unsafe self.init(copying: text.utf8Span.span.bytes)
  }
}
