internal import VaultDocument
internal import VaultSealing

/// Makes the file of a checkpoint and what its MAC and its hash cover, piece by piece: no tree of it is ever made.
struct CheckpointWriter {
  let checkpoint: Checkpoint

  /// Entries in one piece.
  private static let pieceEntryCount = 512

  /// The bytes of the file, pretty-printed as every file of a vault is.
  func text() -> [UInt8] {
    var text: [UInt8] = []
    // The longest line of an entry has some 110 bytes.
    text.reserveCapacity(512 + checkpoint.entries.count * 112)
    text +=
      """
      {
        "created_at" : "\(checkpoint.createdAtText)",
        "format" : \(Checkpoint.format),
        "header" : "\(Hex.encode(checkpoint.headerHash))",
        "mac" : "\(Base64.encode(checkpoint.mac))",
        "previous" : \(checkpoint.previous.map { "\"\(Hex.encode($0))\"" } ?? "null"),
        "records" : {

      """.utf8
    // An object without members prints as in Foundation: a line between its braces.
    if checkpoint.entries.isEmpty { text.append(UInt8(ascii: "\n")) }
    for (index, entry) in checkpoint.entries.enumerated() {
      text += index == 0 ? "    \"".utf8 : ",\n    \"".utf8
      text += entry.id.text.utf8
      text += "\" : [\n      ".utf8
      text += String(entry.revision).utf8
      text += ",\n      \"".utf8
      text += Base64.encode(entry.mac).utf8
      text += "\"\n    ]".utf8
    }
    if !checkpoint.entries.isEmpty { text.append(UInt8(ascii: "\n")) }
    text +=
      """
        },
        "root" : "\(checkpoint.rootID.description)",
        "sequence" : \(checkpoint.sequence)
      }

      """.utf8
    return text
  }

  /// How many bytes the canonical encoding without the MAC has.
  var treeByteCount: Int {
    let entries = checkpoint.entries.reduce(0) { $0 + Self.treeByteCount(of: $1) }
    return head(withMAC: false).count + entries + tail.count
  }

  /// The canonical encoding (format 1, section 2) in pieces.
  func tree(withMAC: Bool) -> some Sequence<[UInt8]> {
    let (entries, count) = (checkpoint.entries, checkpoint.entries.count)
    let (head, tail) = (head(withMAC: withMAC), tail)
    return stride(from: 0, to: max(count, 1), by: Self.pieceEntryCount).lazy.map { start in
      let end = min(start + Self.pieceEntryCount, count)
      var piece = start == 0 ? head : []
      for entry in entries[start..<end] { Self.appendTree(of: entry, to: &piece) }
      return end == count ? piece + tail : piece
    }
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

  private static func appendTree(of entry: Checkpoint.Entry, to tree: inout [UInt8]) {
    tree.appendPrefixed(entry.id.text.utf8Span.span)
    tree.append(0x05)
    tree.appendCount(2)
    tree.append(0x03)
    tree.appendPrefixed(String(entry.revision).utf8Span.span)
    tree.append(0x04)
    tree.appendPrefixed(Base64.encode(entry.mac).utf8Span.span)
  }

  /// LP of an id; the array's tag and count; a number's tag and LP; a string's tag and LP of a MAC.
  private static func treeByteCount(of entry: Checkpoint.Entry) -> Int {
    4 + 36 + 5 + 5 + String(entry.revision).utf8.count + 5 + Base64.encodedCount(of: RecordMAC.byteCount)
  }
}
