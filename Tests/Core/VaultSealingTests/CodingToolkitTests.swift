import FoundationEssentials
import Testing
import VaultDocument
import VaultSealing
import VaultFields

private struct Item: Codable, Equatable {
  var size: Int
  var note: EncryptedCodableString?
}

private enum Pet: VariantCases, Equatable {
  case dog(Item)
  case cat(String)

  static let discriminator: AnyCodingKey = "type"
  var variantName: String { if case .dog = self { "dog" } else { "cat" } }

  init?(variant name: String, from decoder: any Decoder) throws {
    switch name {
    case "dog": self = .dog(try Item(from: decoder))
    case "cat": self = .cat(try decoder.container(keyedBy: AnyCodingKey.self).decode(forKey: "name", default: "?"))
    default: return nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .dog(let item): try item.encode(to: encoder)
    case .cat(let name):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      try container.encode(name, forKey: "name")
    }
  }
}

@Suite("The coding toolkit")
struct CodingToolkitTests {
  private let marker = "marker-51c7"

  private struct Quote: Decodable {
    let close: Double
    let volume: Int

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: AnyCodingKey.self)
      close = try members.decode(fromText: Double.self, forKey: "4. close")
      volume = try members.decode(fromText: Int.self, forKey: "5. volume")
    }
  }

  @Test("numbers that stand as text are read, and a text that is none is named by its path alone")
  func textToNumber() throws {
    let good = Data(#"{"4. close":"86.4900","5. volume":"29140"}"#.utf8)
    let quote = try JSONDecoder().decode(Quote.self, from: good)
    #expect(quote.close == 86.49)
    #expect(quote.volume == 29_140)
    let bad = Data(#"{"4. close":"86.49","5. volume":"\#(marker)"}"#.utf8)
    let error = try #require(throws: DecodingError.self) { try JSONDecoder().decode(Quote.self, from: bad) }
    guard case .dataCorrupted(let context) = error else { throw error }
    #expect(context.codingPath.map(\.stringValue) == ["5. volume"])
    #expect(!"\(error)".contains(marker))
  }

  @Test(
    "a lossy array keeps index, path and reason of what it skipped, and no content", arguments: DocumentForm.allCases)
  func lossy(form: DocumentForm) throws {
    let context = try applicationContext()
    let json = #"{"items":[{"size":1},{"size":"\#(marker)"},{"no":1},"x",{"size":2,"note":"\#(marker)"},{"size":3}]}"#
    let bytes = try form.encode(JSONParser.parse(Array(json.utf8)))
    let array = try #require(try form.decode([String: LossyArray<Item>].self, from: bytes, with: context)["items"])
    #expect(array.elements.map(\.size) == [1, 3])
    #expect(array.skipped.map(\.index) == [1, 2, 3, 4])
    #expect(array.skipped.map(\.path.description) == ["items[1].size", "items[2].size", "items[3]", "items[4].note"])
    #expect(
      array.skipped.map(\.reason) == ["is of another type", "is required", "is of another type", "is not sealed"])
    #expect(!"\(array.skipped)".contains(marker))
  }

  @Test("a lossy array is encoded as its elements, and skips null")
  func lossyNull() throws {
    let array = try JSONDecoder().decode(LossyArray<Int>.self, from: Data("[1,null,2]".utf8))
    #expect(array.skipped.map(\.index) == [1])
    #expect(try JSONEncoder().encode(array) == Data("[1,2]".utf8))
  }

  @Test("a variant is read by its name; an unknown one keeps its content", arguments: DocumentForm.allCases)
  func variants(form: DocumentForm) throws {
    let context = try applicationContext()
    let tree = try JSONParser.parse(
      Array(#"[{"type":"cat"},{"type":"dog","size":3},{"type":"yak","a_b":[1,2.5,true,{"c":"es1:x"}]}]"#.utf8))
    let pets = try form.decode([Variant<Pet>].self, from: form.encode(tree), with: context)
    #expect(pets[0] == .known(.cat("?")))
    #expect(pets[1] == .known(.dog(Item(size: 3))))
    #expect(pets[2].known == nil)
    let again = try form.decode(JSONValue.self, from: form.encode(pets, with: context))
    #expect(again.array?[2] == tree.array?[2])
    #expect(try form.decode([Variant<Pet>].self, from: form.encode(pets, with: context), with: context) == pets)
  }

  @Test("an unknown variant keeps its names under key strategies, and one without a name is refused")
  func variantNames() throws {
    let text = #"[{"a_b":{"c_d":1},"type":"yak"}]"#
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .style(.camel)
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .style(.kebab)
    encoder.outputFormatting = .sortedKeys
    let pets = try decoder.decode([Variant<Pet>].self, from: Data(text.utf8))
    #expect(try encoder.encode(pets) == Data(text.utf8))
    #expect(throws: DecodingError.self) { try decoder.decode([Variant<Pet>].self, from: Data("[{}]".utf8)) }
  }

  @Test("key styles name the members of types both ways, and leave dictionaries alone", arguments: KeyStyle.allCases)
  func keyStyles(style: KeyStyle) throws {
    struct Shelf: Codable, Equatable { var homePhone: String, byName: [String: Int] }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .style(style)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .style(.camel)
    let shelf = Shelf(homePhone: "1", byName: ["two_words": 2])
    let json = try encoder.encode(shelf)
    let names = try JSONParser.parse([UInt8](json)).object?.names
    #expect(names == [style.name(for: "byName"), style.name(for: "homePhone")])
    #expect(try decoder.decode(Shelf.self, from: json) == shelf)
  }

  @Test("one date strategy reads several formats and writes one")
  func dates() throws {
    let day = try DateFormat(pattern: "dd/MM/yyyy")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .formats(.iso8601, .unixSeconds, day)
    let text = #"["1970-01-02T00:00:00.000Z","1970-01-02T01:00:00+01:00",86400,86400.0,"02/01/1970","86400"]"#
    let dates = try decoder.decode([Date].self, from: Data(text.utf8))
    #expect(dates == [Date](repeating: Date(timeIntervalSince1970: 86_400), count: 6))
    for (format, expected) in [
      (.iso8601, #""1970-01-02T00:00:00Z""#), (.unixSeconds, "86400"), (day, #""02\/01\/1970""#),
    ] {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .format(format)
      #expect(try encoder.encode(dates[0]) == Data(expected.utf8))
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .format(.unixSeconds)
    #expect(try encoder.encode(Date(timeIntervalSince1970: 0.5)) == Data("0.5".utf8))
  }

  @Test("numbers are dates of the first format of numbers, and are written as such")
  func numberedDates() throws {
    let date = Date(timeIntervalSince1970: 1_559_101_378.5)
    for (format, text) in [
      (DateFormat.unixSeconds, "1559101378.5"), (.referenceSeconds, "580794178.5"),
      (.unixMilliseconds, "1559101378500"),
    ] {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .formats(.iso8601, format)
      #expect(try decoder.decode([Date].self, from: Data("[\(text)]".utf8)) == [date])
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .format(format)
      #expect(try encoder.encode(date) == Data(text.utf8))
    }
  }

  @Test("a date that fits no format is refused without its text")
  func badDate() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .formats(.iso8601, .unixSeconds)
    do {
      _ = try decoder.decode([Date].self, from: Data(#"["\#(marker)"]"#.utf8))
      Issue.record("no date was read as one")
    } catch {
      #expect(!"\(error)".contains(marker))
      #expect(CodingFailure(error).description == "[0] is not a date in an expected format")
    }
  }

  @Test("userInfo passes context to what is decoded, and says when there is none")
  func userInfo() throws {
    struct Scaled: Decodable {
      static let factor = UserInfoKey<Int>("Tests.factor")
      let value: Int
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self) * decoder.value(of: Self.factor)
      }
    }
    let decoder = JSONDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(Scaled.self, from: Data("2".utf8)) }
    decoder.userInfo[Scaled.factor] = 21
    #expect(decoder.userInfo[Scaled.factor] == 21)
    #expect(try decoder.decode(Scaled.self, from: Data("2".utf8)).value == 42)
  }

  @Test("a chain of names leads into nested objects both ways")
  func nested() throws {
    struct Deep: Codable, Equatable {
      var value: Int, items: [Int]
      init(value: Int, items: [Int]) { (self.value, self.items) = (value, items) }
      init(from decoder: any Decoder) throws {
        let inner = try decoder.container(at: "a", "b")
        value = try inner.decode(forKey: "value", default: 7)
        items = try inner.mapItems(forKey: "items") {
          try $0.nestedContainer(keyedBy: AnyCodingKey.self).decode(Int.self, forKey: "n")
        }
        _ = try inner.nestedContainerIfPresent(forKey: "none")
      }
      func encode(to encoder: any Encoder) throws {
        var inner = encoder.container(at: "a", "b")
        try inner.encode(value, forKey: "value")
        try inner.encode(items.map { ["n": $0] }, forKey: "items")
      }
    }
    let deep = Deep(value: 1, items: [2, 3])
    for form in DocumentForm.allCases { #expect(try form.decode(Deep.self, from: form.encode(deep)) == deep) }
    for text in [#"{"a": {"b": {}}}"#, #"{"a": {"b": {"items": null}}}"#] {
      let decoded = try JSONDecoder().decode(Deep.self, from: Data(text.utf8))
      #expect(decoded == Deep(value: 7, items: []), "\(text)")
    }
    let empty = #"{"a":{"b":{"none":null}}}"#
    #expect(try JSONDecoder().decode(Deep.self, from: Data(empty.utf8)) == Deep(value: 7, items: []))
  }

  @Test("an error of a form holds no value, though an encoder's own holds all of it", arguments: DocumentForm.allCases)
  func errors(form: DocumentForm) throws {
    struct Person: Codable {
      var name: String
      var secret: EncryptedCodableString
    }
    do {
      _ = try form.encode(Person(name: marker, secret: .init(marker)))
      Issue.record("a secret was written without a context")
    } catch {
      #expect(error.sealingError?.code == .noContext)
      #expect(!"\(error) \(String(reflecting: error))".contains(marker))
    }
  }

  @Test("a number beyond 64 bits is refused by other encoders, not rounded")
  func bigNumbers() throws {
    let tree = try JSONParser.parse(Array("[18446744073709551616]".utf8))
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(tree) }
    let fits = try JSONParser.parse(Array("[18446744073709551615,-9223372036854775808,0.1]".utf8))
    #expect(try DocumentForm.json.decode(JSONValue.self, from: DocumentForm.json.encode(fits)) == fits)
  }
}
