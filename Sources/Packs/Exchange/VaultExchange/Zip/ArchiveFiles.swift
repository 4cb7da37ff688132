internal import VaultDocument

/// The files of an archive that belong to its entries, with their outcomes.
struct ArchiveFiles {
  private let archive: ZipArchive
  /// The files that hold the entries themselves.
  private let own: Set<String>
  private var outcomes: [String: LedgerLine.Outcome] = [:]

  init(_ archive: ZipArchive, without own: Set<String>) {
    self.archive = archive
    self.own = own
  }

  /// Attaches the files whose names begin with `begin` to a record.
  ///
  /// - Parameters:
  ///   - name: the name of the attachment; nil for the rest of the file name.
  ///   - onlyFirst: whether further files of such names belong to something else.
  mutating func attach(
    _ begin: String, as name: String? = nil, onlyFirst: Bool = false, to builder: inout RecordBuilder
  ) throws(ExchangeError) {
    for entry in archive.names.filter({ $0.begins(with: begin) }).prefix(onlyFirst ? 1 : .max) {
      guard let bytes = try archive.file(entry) else { continue }
      let own = name ?? String(Substring(entry.utf8.dropFirst(begin.utf8.count)))
      let text = Base64.encode(bytes)
      guard text.utf8.count <= ValueLimit.byteCount else {
        outcomes[entry] = builder.attach(text, as: own)
        continue
      }
      outcomes[entry] = bytes.isEmpty ? .empty : .mapped(to: "secrets")
      builder.add(text, .secret("attachment \(own)"), as: own)
    }
  }

  /// A line for each file except those with the entries.
  var lines: [LedgerLine] {
    archive.names.filter { !own.contains($0) }.map { name in
      LedgerLine(SourcePlace(path: name), outcomes[name] ?? .refused("no item has this file"))
    }
  }
}
