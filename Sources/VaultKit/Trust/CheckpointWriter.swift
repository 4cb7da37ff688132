internal import VaultDocument
internal import VaultSealing

/// Makes the file of a checkpoint and what its MAC and its hash cover, piece by piece: no tree of it is ever made.
struct CheckpointWriter {
  let checkpoint: Checkpoint

  /// Gives the bytes of the file, pretty-printed as every file of a vault is, to `body`.
  func forEachTextPiece(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try body(textHead)
    var isFirst = true
    try checkpoint.entries.forEachPiece { entries throws(VaultError) in
      var text: [UInt8] = []
      // The longest line of an entry has some 110 bytes.
      text.reserveCapacity(entries.count * 112)
      for entry in entries {
        text += isFirst ? "    \"".utf8 : ",\n    \"".utf8
        isFirst = false
        entry.id.appendText(to: &text)
        text += "\" : [\n      ".utf8
        text += String(entry.revision).utf8
        text += ",\n      \"".utf8
        text += Base64.encode(entry.mac).utf8
        text += "\"\n    ]".utf8
      }
      try body(text)
    }
    try body(textEnd)
  }

  /// How many bytes the file has.
  func textByteCount() throws(VaultError) -> Int {
    // What stands before, in and after an entry, and the comma and the line feed between two.
    let fixed = 5 + 36 + 12 + 9 + 7 + 2 + Base64.encodedCount(of: RecordMAC.byteCount)
    var count = textHead.count + textEnd.count
    try checkpoint.entries.forEachPiece { entries in
      for entry in entries { count += fixed + String(entry.revision).utf8.count }
    }
    return checkpoint.entries.isEmpty ? count : count - 2
  }

  private var textHead: [UInt8] {
    Array(
      """
      {
        "created_at" : "\(checkpoint.createdAtText)",
        "format" : \(Checkpoint.format),
        "header" : "\(Hex.encode(checkpoint.headerHash))",
        "mac" : "\(Base64.encode(checkpoint.mac))",
        "previous" : \(checkpoint.previous.map { "\"\(Hex.encode($0))\"" } ?? "null"),
        "records" : {

      """.utf8)
  }

  /// An object without members prints as in Foundation: a line between its braces.
  private var textEnd: [UInt8] {
    Array(
      """

        },
        "root" : "\(checkpoint.rootID.description)",
        "sequence" : \(checkpoint.sequence)
      }

      """.utf8)
  }

  /// How many bytes the canonical encoding without the MAC has.
  func treeByteCount() throws(VaultError) -> Int {
    var count = head(withMAC: false).count + tail.count
    try checkpoint.entries.forEachPiece { entries in for entry in entries { count += Self.treeByteCount(of: entry) } }
    return count
  }

  /// Gives the canonical encoding (format 1, section 1.2, Trees) to `body` in pieces.
  func forEachTreePiece(
    withMAC: Bool, _ body: ([UInt8]) throws(VaultError) -> Void
  ) throws(VaultError) {
    try body(head(withMAC: withMAC))
    try checkpoint.entries.forEachPiece { entries throws(VaultError) in
      var piece: [UInt8] = []
      piece.reserveCapacity(entries.count * 108)
      for entry in entries { Self.appendTree(of: entry, to: &piece) }
      try body(piece)
    }
    try body(tail)
  }

  private func head(withMAC: Bool) -> [UInt8] {
    var members = JSONObject()
    members["created_at"] = .string(checkpoint.createdAtText)
    members["format"] = .number(JSONNumber(Checkpoint.format))
    members["header"] = .string(Hex.encode(checkpoint.headerHash))
    if withMAC { members["mac"] = .string(Base64.encode(checkpoint.mac)) }
    members["previous"] = checkpoint.previous.map { .string(Hex.encode($0)) } ?? .null
    var head: [UInt8] = [0x06]
    // The list and what comes after it are members, too.
    head.appendCount(members.count + 3)
    for (name, value) in members {
      head.appendPrefixed(name.utf8Span.span)
      value.appendCanonical(to: &head)
    }
    head.appendPrefixed("records".utf8Span.span)
    head.append(0x06)
    head.appendCount(checkpoint.entries.count)
    return head
  }

  private var tail: [UInt8] {
    var tail: [UInt8] = []
    tail.appendPrefixed("root".utf8Span.span)
    JSONValue.string(checkpoint.rootID.description).appendCanonical(to: &tail)
    tail.appendPrefixed("sequence".utf8Span.span)
    JSONValue.number(JSONNumber(checkpoint.sequence)).appendCanonical(to: &tail)
    return tail
  }

  private static func appendTree(of entry: RecordVersion, to tree: inout [UInt8]) {
    tree.appendPrefixed(entry.id.text.utf8Span.span)
    tree.append(0x05)
    tree.appendCount(2)
    tree.append(0x03)
    tree.appendPrefixed(String(entry.revision).utf8Span.span)
    tree.append(0x04)
    tree.appendPrefixed(Base64.encode(entry.mac).utf8Span.span)
  }

  /// LP of an id; the array's tag and count; a number's tag and LP; a string's tag and LP of a MAC.
  private static func treeByteCount(of entry: RecordVersion) -> Int {
    4 + 36 + 5 + 5 + String(entry.revision).utf8.count + 5 + Base64.encodedCount(of: RecordMAC.byteCount)
  }
}
