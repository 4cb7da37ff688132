import VaultCrypto
import VaultDocument
import VaultRecords
import VaultSealing
import VaultTerminal

/// A file of a vault as lines to compare: one for each member, without sealed values.
///
/// The lines depend only on the file's content, because git uses temporary file names.
struct MaskedText {
  let lines: [String]

  /// Bytes that are not a document are shown unchanged, because their parts cannot be told apart.
  init(_ bytes: [UInt8]) {
    guard let document = try? JSONParser.parse(bytes), document.object != nil else {
      lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .map { Printable.text(String($0)) }
      return
    }
    let kind = (try? RecordEnvelope(of: document)).flatMap { KindCatalog.builtIn[$0.kind] }
    lines = document.leaves().map { path, value in
      Printable.text("\(Self.place(path)): ")
        + Self.text(value, at: path, isSealedByKind: kind?.isSealed(path) ?? false)
    }
  }

  private static let former = MemberPath.root.appending(RecordEnvelope.memberName).appending(FormerValues.memberName)

  /// The path without the number of a former value, so that a new one changes no line of the others.
  private static func place(_ path: MemberPath) -> MemberPath {
    path.components.starts(with: former.components) ? MemberPath(path.components.dropLast()) : path
  }

  private static let marked = ["key", "mac"].map { MemberPath.root.appending(RecordEnvelope.memberName).appending($0) }

  private static func text(_ value: JSONValue, at path: MemberPath, isSealedByKind: Bool) -> String {
    if let text = value.string, SealedToken.hasTokenShape(text) {
      let sealed = (try? SealedToken(parsing: text)).map { " sealed \($0.sealedAt.text)" } ?? " damaged"
      return Printable.mask + sealed + " " + mark(text)
    }
    if isSealedByKind { return Printable.mask + " NOT SEALED" }
    guard let text = value.string else {
      return Printable.text(String(decoding: (try? value.compactBytes()) ?? [], as: UTF8.self))
    }
    // Nobody compares MACs and tokens by eye, and each change of a record changes one.
    if Self.marked.contains(path) { return mark(text) }
    return Printable.text(text)
  }

  /// 24 bits of SHA-256 over a public text, so that a change within a second stays visible.
  private static func mark(_ text: String) -> String { "#" + hash(text, byteCount: 3) }

  /// The first bytes of SHA-256 over a text, as hex digits.
  static func hash(_ text: String, byteCount: Int) -> String {
    let bytes = Array(text.utf8)
    guard let hash = try? unsafe SHA256.hash(bytes.span.bytes) else { return "" }
    return Hex.encode(Array(hash.prefix(byteCount)))
  }
}
