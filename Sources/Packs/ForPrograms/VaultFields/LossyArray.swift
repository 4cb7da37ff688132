public import VaultDocument
internal import VaultSealing

/// An array whose unreadable items are skipped, with the place and reason of each.
public struct LossyArray<Element> {
  /// A skipped item, without its content.
  public struct Skipped: Hashable, Sendable {
    /// Its place in the array, from 0.
    public let index: Int
    /// The path from the top of the document to the refused value.
    public let path: MemberPath
    /// A fixed phrase.
    public let reason: String
  }

  /// The items that could be read, in the order of the array.
  public var elements: [Element]
  /// In the order of the array; empty if the array was not decoded.
  public let skipped: [Skipped]

  /// An array with nothing skipped.
  public init(_ elements: [Element]) {
    self.elements = elements
    skipped = []
  }
}

extension LossyArray: Decodable where Element: Decodable {
  /// - Throws: `DecodingError` if there is no array at all.
  public init(from decoder: any Decoder) throws {
    var items = try decoder.unkeyedContainer()
    var elements: [Element] = []
    var skipped: [Skipped] = []
    while !items.isAtEnd {
      let index = items.currentIndex
      do {
        elements.append(try items.decode(Element.self))
      } catch {
        let failure = CodingFailure(error, at: decoder.codingPath + [AnyCodingKey(index)])
        skipped.append(Skipped(index: index, path: failure.path, reason: failure.reason))
        // Some decoders do not move past an unreadable item; this skips it.
        if items.currentIndex == index { _ = try items.decode(AnyItem.self) }
      }
    }
    self.elements = elements
    self.skipped = skipped
  }
}

/// Accepts any item without reading it.
private struct AnyItem: Decodable {
  init(from decoder: any Decoder) {}
}

extension LossyArray: Encodable where Element: Encodable {
  /// Encodes the elements without the skipped items.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension LossyArray: Sendable where Element: Sendable {}
extension LossyArray: Equatable where Element: Equatable {}
