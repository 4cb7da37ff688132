internal import VaultDocument
internal import VaultCrypto
internal import VaultRecords

/// A folder such as `~/.ssh`: each private key with its public half.
struct SSHKeyFolderImporter: Importer {
  let format = ImportFormat(
    "ssh-keys", title: "A folder of keys for the Secure Shell",
    versions: "OpenSSH and PEM, with a passphrase or without",
    keeps: "each private key with its public one as a record of the kind ssh-key; other files are refused")

  private static let maximumKeyByteCount = 256 << 10

  func detects(_ sample: ImportSample) -> Bool {
    let paths = Set(sample.paths)
    return sample.paths.contains { path in
      let name = path.split(separator: "/").last ?? ""
      return name.hasPrefix("id_") || path.hasSuffix(".pub") && paths.contains(String(path.dropLast(4)))
    }
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    guard let files = source.files else { throw ExchangeError(.malformed, "is not a folder of keys") }
    let publics = Dictionary(
      files.filter { $0.path.hasSuffix(".pub") }.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var used: Set<String> = []
    var (items, others): ([ImportedItem], [ImportFile]) = ([], [])
    for file in files where publics[file.path] == nil {
      guard let text = try Self.text(of: file), Self.isPrivateKey(text) else {
        others.append(file)
        continue
      }
      let other = publics["\(file.path).pub"]
      let line = try other.flatMap { file throws(ExchangeError) in try Self.text(of: file) }?.trimmingSpaces
      if line != nil { used.insert("\(file.path).pub") }
      items.append(try item(file.path, text: text, line: line.map(String.init)))
    }
    others += files.filter { publics[$0.path] != nil && !used.contains($0.path) }
    return ImportedItems(
      items
        + others.map { file in
          let reason = file.refusal ?? "the file is neither a private key nor the public half of one in this folder"
          let place = SourcePlace(path: file.path)
          return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
        })
  }

  private static func text(of file: ImportFile) throws(ExchangeError) -> String? {
    guard file.refusal == nil else { return nil }
    let bytes = try file.read()
    guard bytes.count <= maximumKeyByteCount, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isPrivateKey(_ text: String) -> Bool {
    text.trimmingSpaces.begins(with: "-----BEGIN ") && text.holds("PRIVATE KEY-----")
  }

  private func item(_ path: String, text: String, line: String?) throws(ExchangeError) -> ImportedItem {
    let place = SourcePlace(path: path)
    var builder = RecordBuilder(format: format.name, place: place, kind: "ssh-key")
    builder.toolID = path
    let title = path.split(separator: "/").last.map(String.init) ?? path
    builder.add(title, .member("title"), as: "title")
    builder.take(text, from: place, by: .member("private_key"))
    if let line, !line.isEmpty {
      builder.take(line, from: SourcePlace(path: "\(path).pub"), by: .member("public_key"))
      return .record(try builder.record())
    }
    // The public half that the private file holds in clear.
    let own = try inCrypto { () throws(CryptoError) in
      let bytes = Array(text.utf8)
      return try SSHKey.publicKey(ofPrivate: try SecretBytes(copying: RawSpan(_elements: bytes.span)))
    }
    if let own { builder.add(own, .member("public_key"), as: "public_key") }
    return .record(try builder.record())
  }
}
