package import VaultCrypto
internal import VaultDocument
public import VaultSealing

/// A small file, such as a certificate, a key store or a scan; its size is derived.
public struct FileRecord: DescribedRecord, Equatable {
  /// Its name, without folders.
  public var name: String
  /// The media type, such as `application/pdf`.
  public var mediaType: String?
  /// In bytes; derived from the content.
  public var size: Int?
  /// Secret: the bytes, as base64.
  public var content: EncryptedCodableString
  /// Words to find it by.
  public var tags: [String]

  /// A file whose content is already base64; ``init(name:mediaType:bytes:tags:)`` takes bytes.
  public init(
    name: String, mediaType: String? = nil, size: Int? = nil, content: EncryptedCodableString, tags: [String] = []
  ) {
    self.name = name
    self.mediaType = mediaType
    self.size = size
    self.content = content
    self.tags = tags
  }

  /// A file with these bytes.
  ///
  /// - Throws: `CryptoError` if locked memory has no room for the bytes and their base64.
  public init(name: String, mediaType: String? = nil, bytes: RawSpan, tags: [String] = []) throws {
    let content = try EncryptedCodableString(utf8: SecretBytes(base64Of: bytes))
    self.init(name: name, mediaType: mediaType, size: bytes.byteCount, content: content, tags: tags)
  }
}

extension FileRecord {
  public static var kindName: String { "file" }
  public static var summary: String { "A small file: the content is sealed; name, media type and size are readable." }
  public static var titlePaths: [String] { ["name"] }
  public static let blank = FileRecord(name: "", content: "")
  public static var byteCounts: [(of: String, at: String)] { [(of: "content", at: "size")] }
  public static let members: [Member<FileRecord>] = [
    Member("name", \.name, "Name", as: .name),
    Member("media_type", \.mediaType, "Media type"),
    Member("size", \.size, "Size in bytes, derived when empty", as: .count),
    Member("content", \.content, "Content", as: .bytes),
    .tags(\.tags),
  ]
}

extension ValueSchema {
  fileprivate static var count: ValueSchema {
    var rule = NumberRule()
    rule.minimum = JSONNumber(0)
    return ValueSchema(.integer(rule))
  }
}

extension SecretBytes {
  package convenience init(base64Of bytes: RawSpan) throws(CryptoError) {
    try self.init(byteCount: Base64.encodedCount(of: bytes.byteCount)) { output in
      Base64.append(Span(_bytes: bytes), to: &output)
    }
  }

  /// The bytes of padded base64; nil if the text is not canonical base64.
  package static func decoding(base64 text: RawSpan) throws(CryptoError) -> SecretBytes? {
    let text = Span<UInt8>(_bytes: text)
    guard text.count.isMultiple(of: 4) else { return nil }
    var isBase64 = true
    let bytes = try SecretBytes(byteCount: Base64.decodedCount(of: text)) { output in
      isBase64 = Base64.append(decoding: text, to: &output)
    }
    return isBase64 ? bytes : nil
  }
}
