internal import VaultDocument
internal import VaultRecords

/// Addresses of one-time codes, one on each line, as many apps export them. Also the addresses in QR codes of Google
/// Authenticator, each with several accounts.
struct OtpauthImporter: Importer {
  let format = ImportFormat(
    "otpauth", title: "Lists of otpauth: addresses, Google Authenticator's migration",
    versions: "otpauth://, otpauth-migration://; one a line, # begins a comment",
    keeps: "each account as a login with `totp`, issuer and account as title and user name")

  private static let migration = "otpauth-migration://"

  func detects(_ sample: ImportSample) -> Bool {
    var decoder = TextDecoder()
    let text = String(decoding: decoder.decode(sample.head) + decoder.decode([]), as: UTF8.self)
    return text.lines.first { Self.isContent($0) }?.trimmingSpaces.lowercased().begins(with: "otpauth") ?? false
  }

  private static func isContent(_ line: Substring) -> Bool {
    let text = line.trimmingSpaces
    return !text.isEmpty && !text.begins(with: "#")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var rest = try LineText.lines(of: source, options).enumerated().filter { Self.isContent($0.element) }[...]
    var waiting: [ImportedItem] = []
    return ImportedItems { () throws(ExchangeError) in
      while waiting.isEmpty, let (index, line) = rest.popFirst() {
        waiting = try items(String(line.trimmingSpaces), at: SourcePlace(line: index + 1))
      }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  private func items(_ line: String, at place: SourcePlace) throws(ExchangeError) -> [ImportedItem] {
    let begin = line.prefix(Self.migration.count).lowercased()
    if begin == Self.migration { return try GoogleMigration.items(line, at: place, of: format) }
    guard begin.begins(with: "otpauth://"), !line.utf8.contains(0) else {
      return [
        .refused(
          place, reason: "the line is not an otpauth: address",
          lines: [LedgerLine(place, .refused("the line is not an otpauth: address"))])
      ]
    }
    var builder = RecordBuilder(format: format.name, place: place, kind: "login")
    builder.take(line, from: place, by: .codeAddress)
    builder.addCode()
    return [.record(try builder.record())]
  }
}

/// The accounts in an `otpauth-migration:` address: a Protocol Buffers message in base64.
private enum GoogleMigration {
  static func items(
    _ address: String, at place: SourcePlace, of format: ImportFormat
  ) throws(ExchangeError) -> [ImportedItem] {
    let data = address.pair(separatedBy: "data=").map { $0.behind.parts(separatedBy: "&")[0] } ?? ""
    // An unescaped plus belongs to base64 and is never a space.
    let text = PercentEncoding.text(of: data) ?? ""
    guard let bytes = try? Base64.decode(text), let message = try? ProtobufMessage(bytes) else {
      let reason = "the line has no accounts, or it is damaged"
      return [.refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])]
    }
    let accounts = message.fields.filter { $0.number == 1 }.map(\.value)
    var items: [ImportedItem] = []
    for (index, account) in accounts.enumerated() {
      items.append(try item(account, at: place.at("accounts[\(index)]"), of: format))
    }
    return items
  }

  private static let rules: [Int: (name: String, rule: LeafRule)] = [
    2: ("name", .account), 3: ("issuer", .code("issuer")),
    4: ("algorithm", .code("algorithm", ["0": "SHA1", "1": "SHA1", "2": "SHA256", "3": "SHA512", "4": "MD5"])),
    5: ("digits", .code("digits", ["0": "6", "1": "6", "2": "8"])),
    6: ("type", .code("type", ["0": "totp", "1": "hotp", "2": "totp"])), 7: ("counter", .code("counter")),
    8: ("id", .identifier),
  ]

  private static func item(
    _ value: ProtobufMessage.Value, at place: SourcePlace, of format: ImportFormat
  ) throws(ExchangeError) -> ImportedItem {
    guard case .bytes(let bytes) = value, let message = try? ProtobufMessage(bytes) else {
      let reason = "the account is damaged"
      return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
    }
    var builder = RecordBuilder(format: format.name, place: place, kind: "login")
    for (number, value) in message.fields {
      let own = rules[number]
      let place = place.below(own?.name ?? (number == 1 ? "secret" : "field \(number)"))
      switch value {
      case .bytes(let key) where number == 1: builder.take(Base32.encode(key), from: place, by: .code("secret"))
      case .bytes(let bytes):
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
          builder.note(place, .refused("the value is not text"))
          continue
        }
        builder.take(text, from: place, by: own?.rule ?? .secret)
      case .number(let number): builder.take(String(number), from: place, by: own?.rule ?? .secret)
      }
    }
    builder.addCode()
    return .record(try builder.record())
  }
}

extension LeafRule {
  /// The account, without the issuer that may precede it.
  fileprivate static let account = LeafRule { builder, text, place in
    let pair = text.pair(separatedBy: ":")
    if let pair, builder.parts["issuer"] == nil { builder.parts["issuer"] = String(pair.before) }
    code("account").apply(&builder, String((pair?.behind ?? text[...]).trimmingSpaces), place)
  }
}

/// The fields of a Protocol Buffers message, in order.
private struct ProtobufMessage {
  enum Value {
    case number(UInt64)
    case bytes([UInt8])
  }

  private(set) var fields: [(number: Int, value: Value)] = []

  init(_ bytes: [UInt8]) throws(ExchangeError) {
    var cursor = ByteCursor(bytes)
    while !cursor.isAtEnd {
      let key = try Self.number(&cursor)
      guard let number = Int(exactly: key >> 3) else { throw Self.damaged }
      switch key & 7 {
      case 0: fields.append((number, .number(try Self.number(&cursor))))
      case 1: fields.append((number, .number(try cursor.integer(8))))
      case 2:
        guard let count = Int(exactly: try Self.number(&cursor)) else { throw Self.damaged }
        fields.append((number, .bytes(try cursor.take(count))))
      case 5: fields.append((number, .number(try cursor.integer(4))))
      default: throw Self.damaged
      }
    }
  }

  private static func number(_ cursor: inout ByteCursor) throws(ExchangeError) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while shift < 64 {
      let byte = try cursor.take(1)[0]
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw damaged
  }

  private static var damaged: ExchangeError { ExchangeError(.malformed, "is damaged") }
}
