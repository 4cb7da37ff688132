/// The bytes of a file to import, read piece by piece.
public final class ImportSource {
  /// The name of the file, without folders; empty for standard input.
  public let name: String
  private let pull: () throws(ExchangeError) -> [UInt8]
  private var head: [UInt8] = []

  /// - Parameter pull: gives the next piece, an empty one at the end.
  public init(name: String, pull: @escaping () throws(ExchangeError) -> [UInt8]) {
    self.name = name
    self.pull = pull
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
    return ImportSample(name: name, head: head, isWhole: isWhole)
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

  public init(name: String, head: [UInt8], isWhole: Bool) {
    self.name = name
    self.head = head
    self.isWhole = isWhole
  }
}
