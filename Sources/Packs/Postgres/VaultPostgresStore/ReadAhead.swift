internal import Synchronization
internal import VaultDocument
internal import VaultStorage

/// Documents that were read before they were requested, each for one request.
final class ReadAhead: Sendable {
  /// How old they may be for a command that holds no lock.
  static let time = Duration.seconds(3)

  private struct Content {
    var documents: [StoreLocation: Result<[UInt8]?, StoreError>] = [:]
    var stamps: FolderStamps?
    var few: (any RecordStore)?
    /// Lists the ids of records, for one pass over the folders.
    var listing: RecordPrefetch?
    /// When they are too old for a request.
    var end = ContinuousClock.now
  }

  private let content = Mutex(Content())

  /// Keeps documents for a while, in place of all earlier ones.
  func replace(
    _ documents: [StoreLocation: Result<[UInt8]?, StoreError>], stamps: FolderStamps? = nil,
    few: (any RecordStore)? = nil, for time: Duration
  ) {
    content.withLock { $0 = Content(documents: documents, stamps: stamps, few: few, end: .now + time) }
  }

  func add(_ location: StoreLocation, _ document: Result<[UInt8]?, StoreError>, for time: Duration) {
    content.withLock { content in
      if content.end <= .now { content = Content() }
      content.documents[location] = document
      content.end = .now + time
    }
  }

  func clear() { content.withLock { $0 = Content() } }

  func document(at location: StoreLocation) -> Result<[UInt8]?, StoreError>? {
    content.withLock { $0.end > .now ? $0.documents.removeValue(forKey: location) : nil }
  }

  /// The list of ids that one pass over the folders shares; nil for the first folder, which may be the only one.
  func listing() -> RecordPrefetch? {
    content.withLock { content in
      if content.end > .now, let listing = content.listing { return listing }
      let isPass = content.end > .now
      content = Content(listing: isPass ? RecordPrefetch() : nil, end: .now + Self.time)
      return content.listing
    }
  }

  func stamps() -> FolderStamps? {
    content.withLock { content in
      defer { content.stamps = nil }
      return content.end > .now ? content.stamps : nil
    }
  }

  /// A small vault is read several times in one command: counted, and then searched.
  func few() -> (any RecordStore)? { content.withLock { $0.end > .now ? $0.few : nil } }
}

/// The answer of the first round trip.
struct OpeningAnswer {
  /// The size of a document up to which it comes at once, and the largest number of them.
  private static let (byteLimit, countLimit) = (64 << 10, 64)

  private(set) var vault: Identifier?
  private(set) var layout = 0
  private(set) var documents: [StoreLocation: Result<[UInt8]?, StoreError>] = [:]
  private(set) var stamps = FolderStamps()
  private(set) var few = FewRecords()
  /// The most bytes of records that come at once.
  private static let fewByteLimit = 512 << 10

  /// The statements for the header with its slots, for the folders of records, and for the records of a small vault.
  /// Their value is the vault's name.
  static func statements(_ schema: PostgresSchema) -> [String] {
    let vault = "(SELECT n.vault FROM \(schema.vaults) AS n WHERE n.name = $1)"
    return [
      """
      SELECT d.place, d.id, d.bytes FROM \(schema.documents) AS d
      WHERE d.vault = \(vault) AND d.live = 0
        AND d.place IN (\(StoreLocation.Place.header), \(StoreLocation.Place.slot)) AND d.part = 0
        AND d.size <= \(byteLimit) AND octet_length(d.bytes) = d.size
      LIMIT \(countLimit)
      """,
      FolderStamps.statement(schema, "v.name = $1"), FewRecords.statement(schema, of: vault, upTo: fewByteLimit),
    ]
  }

  mutating func take(_ row: SQLRow, _ step: Int) throws(ServerFault) {
    switch step {
    case 0: (vault, layout) = (try row.id(0), try row.integer(1))
    case 1:
      guard let location = StoreLocation(place: try row.place(0), id: try row.id(1)),
        documents.count < Self.countLimit
      else { throw .malformed }
      let bytes = try row.bytes(2)
      guard bytes.count <= Self.byteLimit else { throw .tooMuch }
      documents[location] = .success(bytes)
    case 2: try stamps.take(row)
    default: try few.take(row)
    }
  }
}
