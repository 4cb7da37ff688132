internal import VaultAge
internal import VaultCrypto

/// The folder of passage: each entry is a file that is sealed with age.
struct PassageImporter: Importer {
  let format = ImportFormat(
    "passage", title: "passage, a folder of age files", versions: "1.x",
    keeps:
      "the first line as the password, lines `name: value` as members and secrets, other lines as notes, folders as "
      + "tags")

  private static let suffix = ".age"

  func detects(_ sample: ImportSample) -> Bool { sample.paths.contains { $0.hasSuffix(Self.suffix) } }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    guard let files = source.files, files.contains(where: { $0.path.hasSuffix(Self.suffix) }) else {
      throw ExchangeError(.malformed, "is not a folder of age files")
    }
    guard !options.identities.isEmpty else {
      throw ExchangeError.identityMissing
    }
    let credentials = options.identities.map { AgeCredential.identity($0) }
    try Self.requireKey(for: files, among: credentials)
    var rest = files[...]
    return ImportedItems { () throws(ExchangeError) in
      guard let file = rest.popFirst() else { return nil }
      return try item(of: file, credentials)
    }
  }

  /// Refuses a folder if no key opens any file: then the key is wrong, not the files.
  private static func requireKey(
    for files: [ImportFile], among credentials: [AgeCredential]
  ) throws(ExchangeError) {
    var isLocked = false
    for file in files where file.path.hasSuffix(suffix) && file.refusal == nil {
      let bytes = try file.read()
      do throws(AgeError) {
        _ = try AgeFile.open(RawSpan(_elements: bytes.span), with: credentials, encoding: .detected)
        return
      } catch {
        guard error.code == .noMatchingIdentity else { return }
        isLocked = true
      }
    }
    if isLocked { throw ExchangeError.identityDiffers }
  }

  private func item(of file: ImportFile, _ credentials: [AgeCredential]) throws(ExchangeError) -> ImportedItem {
    if let refusal = file.refusal { return Self.refused(file, refusal) }
    guard file.path.hasSuffix(Self.suffix) else { return Self.refused(file, "the file is not an age file") }
    let bytes = try file.read()
    let secret: SecretBytes
    do throws(AgeError) {
      secret = try AgeFile.open(RawSpan(_elements: bytes.span), with: credentials, encoding: .detected)
    } catch {
      return Self.refused(file, Self.reason(error))
    }
    guard let text = Self.text(secret) else { return Self.refused(file, "the file does not contain text") }
    return .record(try EntryText.record(text, at: file.path, of: format.name))
  }

  private static func text(_ secret: SecretBytes) -> String? {
    secret.withBytes { bytes in
      do {
        return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: bytes)))
      } catch {
        return nil
      }
    }
  }

  private static func reason(_ error: AgeError) -> String {
    switch error.code {
    case .noMatchingIdentity: "the file is encrypted to keys that were not given"
    case .tooLarge: "the file is larger than an entry can be"
    default: "the file is not an age file, or it is damaged"
    }
  }

  private static func refused(_ file: ImportFile, _ reason: String) -> ImportedItem {
    let place = SourcePlace(path: file.path)
    return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
  }
}
