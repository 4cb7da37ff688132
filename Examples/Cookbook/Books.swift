import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing
import VaultFields

/// A book of a library whose data has names in kebab case and small files in base64.
///
/// The type says nothing of either: a key strategy joins the names, and JSON writes `Data` as base64.
struct Book: ExampleRecord {
  var bookTitle: String
  var authorNames: [String]
  var publishedOn: Date
  var coverImage: Data
  /// The key to the file of an electronic book; sealed as bytes.
  var readerKey: Sealed<Data>?

  static var kindName: String { "book" }
  static var title: String { "bookTitle" }
  static var secrets: [String] { ["readerKey"] }
}

/// The delivery of the library, with the key of a book still in clear, in base64 like the cover.
struct BookDelivery: Decodable {
  var book: Book

  private enum CodingKeys: CodingKey { case readerKey }

  init(from decoder: any Decoder) throws {
    let delivery = try decoder.container(keyedBy: CodingKeys.self)
    // Clear text that a `Sealed` value takes is JSON; here it is base64 as it stands, so it is sealed by hand.
    let clear = try delivery.decodeIfPresent(Data.self, forKey: .readerKey)
    book = try Book(unsealed: decoder)
    book.readerKey = clear.map { Sealed($0) }
  }
}

extension Book {
  fileprivate enum CodingKeys: CodingKey { case bookTitle, authorNames, publishedOn, coverImage, readerKey }

  fileprivate init(unsealed decoder: any Decoder) throws {
    let book = try decoder.container(keyedBy: CodingKeys.self)
    bookTitle = try book.decode(String.self, forKey: .bookTitle)
    authorNames = try book.decode(forKey: .authorNames, default: [])
    publishedOn = try book.decode(Date.self, forKey: .publishedOn)
    coverImage = try book.decode(Data.self, forKey: .coverImage)
  }
}

@main
struct Books {
  static func main() async {
    await Example.run("Books", types: [Book.self]) { example in
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .style(.camel)
      decoder.dateDecodingStrategy = .formats(.day)
      let books = try example.files().flatMap { try decoder.decode([BookDelivery].self, from: $0) }.map(\.book)
      for book in books {
        let names = try example.roundTrip(book, keys: .kebab)
        try example.check(names.contains("book-title") && !names.contains("bookTitle"), "names are not in kebab case")
        try example.roundTrip(book)
        let key = try book.readerKey?.reveal().base64EncodedString()
        try await example.store(book, secret: key ?? "no key, so nothing can be found")
      }
      let bytes = books.map(\.coverImage.count).reduce(0, +)
      return
        "\(books.count) books with \(bytes) bytes of covers and \(books.compactMap(\.readerKey).count) sealed keys, "
        + "in kebab case, in every form and in a vault"
    }
  }
}
