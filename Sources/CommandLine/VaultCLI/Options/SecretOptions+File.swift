package import VaultDocument
import VaultRecords
import VaultTerminal

extension SecretOptions {
  /// Takes the first word of `add file` as a file: its content, its name, and the type of the name. Nothing is read
  /// yet. The words stay unchanged if an option already gives the content.
  ///
  /// - Parameter isBehindSecrets: whether a word belongs to an option for secrets.
  package mutating func takeFile(
    from words: inout [String], naming given: inout [(path: MemberPath, value: String)],
    unless isBehindSecrets: (String) -> Bool
  ) throws {
    let content = FileRecord.byteCounts[0].of
    let sources = secret + secretFile.map { String($0.prefix { $0 != "=" }) } + secretStdin + generate
    guard let path = words.first, !path.contains("="), !isBehindSecrets(path), !sources.contains(content) else {
      return
    }
    words.removeFirst()
    if path == "-" { secretStdin.append(content) } else { secretFile.append("\(content)=\(path)") }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let named = words.map { String($0.prefix { $0 != "=" }) } + given.map(\.path.description)
    if !named.contains("name") {
      guard path != "-" else {
        throw CommandError.usage(
          "add file", "the content of standard input has no name", "give it a name with name=NAME")
      }
      given.append((MemberPath([.member("name")]), name))
    }
    if !named.contains("media_type"), let type = MediaType.of(name) {
      given.append((MemberPath([.member("media_type")]), type))
    }
  }
}

extension RecordKind {
  /// Whether this is the built-in kind for files.
  package var isOfFiles: Bool { if case .type = origin { name == FileRecord.kindName } else { false } }
}

/// File types by the ends of names (IANA, Media Types).
enum MediaType {
  private static let types = [
    "cer": "application/pkix-cert", "conf": "text/plain", "crl": "application/pkix-crl",
    "crt": "application/x-x509-ca-cert",
    "csr": "application/pkcs10", "csv": "text/csv", "der": "application/x-x509-ca-cert", "gif": "image/gif",
    "gpg": "application/pgp-encrypted", "gz": "application/gzip", "heic": "image/heic", "html": "text/html",
    "ics": "text/calendar", "jks": "application/x-java-keystore", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "kdbx": "application/x-keepass2", "md": "text/markdown", "p12": "application/x-pkcs12",
    "p7b": "application/x-pkcs7-certificates", "p7m": "application/pkcs7-mime", "pdf": "application/pdf",
    "pem": "application/x-pem-file", "pfx": "application/x-pkcs12", "png": "image/png", "svg": "image/svg+xml",
    "tar": "application/x-tar", "tiff": "image/tiff", "toml": "application/toml", "txt": "text/plain",
    "vcf": "text/vcard", "webp": "image/webp", "xml": "application/xml", "yaml": "application/yaml",
    "yml": "application/yaml", "zip": "application/zip",
  ]

  static func of(_ name: String) -> String? {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    return types[name[name.index(after: dot)...].lowercased()]
  }
}
