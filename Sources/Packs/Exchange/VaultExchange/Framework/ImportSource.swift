/// The bytes of a file to import, read piece by piece.
public final class ImportSource {
  /// The name of the file, without folders; empty for standard input.
  public let name: String
  /// What tells the file from others of its name, such as its path; nil where nothing does, as for standard input.
  public let identity: String?
  /// What is in the folder that is imported, in the order of the paths; nil for a file.
  public let files: [ImportFile]?
  private let pull: () throws(ExchangeError) -> [UInt8]
  private var head: [UInt8] = []

  /// - Parameter pull: gives the next piece, an empty one at the end.
  public init(name: String, identity: String? = nil, pull: @escaping () throws(ExchangeError) -> [UInt8]) {
    self.name = name
    self.identity = identity
    self.pull = pull
    files = nil
  }

  /// A folder, of which importers open the files that they know.
  public init(name: String, identity: String? = nil, files: [ImportFile]) {
    self.name = name
    self.identity = identity
    self.files = files.sorted { $0.path < $1.path }
    pull = { () throws(ExchangeError) in [] }
  }

  /// A source of bytes that are at hand.
  public convenience init(name: String, bytes: [UInt8]) {
    var rest = bytes
    self.init(name: name) {
      defer { rest = [] }
      return rest
    }
  }

  /// The next piece; empty at the end, and only there.
  ///
  /// - Throws: what the closure throws, `.reading`.
  public func read() throws(ExchangeError) -> [UInt8] {
    guard head.isEmpty else {
      defer { head = [] }
      return head
    }
    return try pull()
  }

  /// All of it, for formats that cannot be read in pieces.
  ///
  /// - Throws: ``ExchangeError`` `.tooLarge`, and what the closure throws.
  public func readAll(limit: Int = 512 << 20) throws(ExchangeError) -> [UInt8] {
    var bytes = try read()
    var piece = bytes
    while !piece.isEmpty {
      guard bytes.count <= limit else { throw ExchangeError(.tooLarge, "is larger than this format may be") }
      piece = try read()
      bytes += piece
    }
    return bytes
  }

  /// How the source begins; it is read again afterwards.
  ///
  /// - Throws: what the closure throws.
  public func sample() throws(ExchangeError) -> ImportSample {
    var isWhole = false
    while head.count < ImportSample.byteCount, !isWhole {
      let piece = try pull()
      isWhole = piece.isEmpty
      head += piece
    }
    return ImportSample(name: name, head: head, isWhole: isWhole, paths: files?.map(\.path) ?? [])
  }
}

/// A file in a folder that is imported.
public struct ImportFile {
  /// Its path in the folder, with `/` between the parts.
  public let path: String
  /// Why it is not opened, such as for a link; nil for a plain file.
  public let refusal: String?
  /// The bytes of the file.
  public let read: () throws(ExchangeError) -> [UInt8]

  /// A file whose bytes are read when they are asked for.
  public init(path: String, refusal: String? = nil, read: @escaping () throws(ExchangeError) -> [UInt8]) {
    self.path = path
    self.refusal = refusal
    self.read = read
  }
}

/// The name and the first bytes of a file, by which its format is told.
public struct ImportSample: Sendable {
  /// How much of a file is looked at.
  public static let byteCount = 64 << 10

  /// The name of the file, without folders; empty for standard input.
  public let name: String
  /// The first bytes, at least ``byteCount`` unless the file is shorter.
  public let head: [UInt8]
  /// Whether ``head`` is the whole file.
  public let isWhole: Bool
  /// The paths of the files, for a folder.
  public let paths: [String]
  /// What the beginning is as JSON: the one for all that ask.
  let outline: JSONOutline

  /// The beginning of a source, which is looked at as JSON once.
  public init(name: String, head: [UInt8], isWhole: Bool, paths: [String] = []) {
    self.paths = paths
    self.name = name
    self.head = head
    self.isWhole = isWhole
    outline = JSONOutline(head)
  }
}
