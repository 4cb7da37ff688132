public import VaultDocument
internal import VaultSealing

/// An array that is read as far as it goes: what is no element is skipped, and it is known where and why.
public struct LossyArray<Element> {
  /// An item that was skipped; nothing of its content.
  public struct Skipped: Hashable, Sendable {
    /// Its place in the array, from 0.
    public let index: Int
    /// The way from the top of the document to what was refused.
    public let path: MemberPath
    /// A fixed phrase.
    public let reason: String
  }

  /// The items that could be read, in the order of the array.
  public var elements: [Element]
  /// In the order of the array; empty for an array that was not read.
  public let skipped: [Skipped]

  /// An array with nothing skipped.
  public init(_ elements: [Element]) {
    self.elements = elements
    skipped = []
  }
}

extension LossyArray: Decodable where Element: Decodable {
  /// - Throws: `DecodingError` where there is no array at all.
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
        // Some decoders stay at an item that could not be read; this takes it, whatever it is.
        if items.currentIndex == index { _ = try items.decode(AnyItem.self) }
      }
    }
    self.elements = elements
    self.skipped = skipped
  }
}

/// Takes any item, and looks at none.
private struct AnyItem: Decodable {
  init(from decoder: any Decoder) {}
}

extension LossyArray: Encodable where Element: Encodable {
  /// The elements alone: what was skipped is gone.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension LossyArray: Sendable where Element: Sendable {}
extension LossyArray: Equatable where Element: Equatable {}
