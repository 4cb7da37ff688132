/// The bytes of a file to import, read in pieces.
public final class ImportSource {
  /// The name of the file, without folders; empty for standard input.
  public let name: String
  /// An identity of the file among others of its name, such as its path; nil for standard input.
  public let identity: String?
  /// The files of an imported folder, in the order of their paths; nil for a single file.
  public let files: [ImportFile]?
  private let pull: () throws(ExchangeError) -> [UInt8]
  private var head: [UInt8] = []

  /// Makes a source that reads from a closure.
  ///
  /// - Parameter pull: returns the next piece, and an empty one at the end.
  public init(name: String, identity: String? = nil, pull: @escaping () throws(ExchangeError) -> [UInt8]) {
    self.name = name
    self.identity = identity
    self.pull = pull
    files = nil
  }

  /// Makes a source of a folder. Importers open the files that they know.
  public init(name: String, identity: String? = nil, files: [ImportFile]) {
    self.name = name
    self.identity = identity
    self.files = files.sorted { $0.path < $1.path }
    pull = { () throws(ExchangeError) in [] }
  }

  /// Makes a source of bytes in memory.
  public convenience init(name: String, bytes: [UInt8]) {
    var rest = bytes
    self.init(name: name) {
      defer { rest = [] }
      return rest
    }
  }

  /// The next piece. Only the end is an empty piece.
  ///
  /// - Throws: errors of the closure, `.reading`.
  public func read() throws(ExchangeError) -> [UInt8] {
    guard head.isEmpty else {
      defer { head = [] }
      return head
    }
    return try pull()
  }

  /// All bytes, for formats that cannot be read in pieces.
  ///
  /// - Throws: ``ExchangeError`` `.tooLarge`, and errors of the closure.
  public func readAll(limit: Int = 512 << 20) throws(ExchangeError) -> [UInt8] {
    var bytes = try read()
    var piece = bytes
    while !piece.isEmpty {
      guard bytes.count <= limit else {
        throw ExchangeError(.tooLarge, "the file is larger than the limit of its format")
      }
      piece = try read()
      bytes += piece
    }
    return bytes
  }

  /// The beginning of the source. A later ``read()`` returns these bytes again.
  ///
  /// - Throws: errors of the closure.
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

/// A file in an imported folder.
public struct ImportFile {
  /// The path in the folder, with `/` between the parts.
  public let path: String
  /// Why the file is not opened, such as for a link; nil for a plain file.
  public let refusal: String?
  /// The bytes of the file.
  public let read: () throws(ExchangeError) -> [UInt8]

  /// A file whose bytes are read on demand.
  public init(path: String, refusal: String? = nil, read: @escaping () throws(ExchangeError) -> [UInt8]) {
    self.path = path
    self.refusal = refusal
    self.read = read
  }
}

/// The name and the first bytes of a file, which tell its format.
public struct ImportSample: Sendable {
  /// How many bytes are used to detect the format.
  public static let byteCount = 64 << 10

  /// The name of the file, without folders; empty for standard input.
  public let name: String
  /// The first bytes: at least ``byteCount``, or the whole file.
  public let head: [UInt8]
  /// Whether ``head`` is the whole file.
  public let isWhole: Bool
  /// The paths of the files in a folder.
  public let paths: [String]
  /// The beginning as JSON, parsed once for all importers.
  let outline: JSONOutline

  /// Makes a sample. Its bytes are parsed as JSON once.
  public init(name: String, head: [UInt8], isWhole: Bool, paths: [String] = []) {
    self.paths = paths
    self.name = name
    self.head = head
    self.isWhole = isWhole
    outline = JSONOutline(head)
  }
}
