import FoundationEssentials
import Synchronization
import Testing
import VaultCrypto
import VaultDocument
import VaultFields
import VaultSealing

private struct Row: Codable, Equatable {
  var id: Int
  var email: EncryptedCodableString
  var phone: EncryptedCodableString?
}

/// A row whose values are bound to it and to their columns.
private struct BoundRow: Codable, Equatable {
  enum CodingKeys: CodingKey { case id, email, phone }

  var id: Int
  var email: EncryptedCodableString
  var phone: EncryptedCodableString?

  init(id: Int, email: EncryptedCodableString, phone: EncryptedCodableString?) {
    (self.id, self.email, self.phone) = (id, email, phone)
  }

  init(from decoder: any Decoder) throws {
    let columns = try decoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(decoder)
    id = try columns.decode(Int.self, forKey: .id)
    email = try columns.decode(
      EncryptedCodableString.self, forKey: .email, in: context.bound(to: "\(id)", "email"))
    phone = try columns.decodeIfPresent(
      EncryptedCodableString.self, forKey: .phone, in: context.bound(to: "\(id)", "phone"))
  }

  func encode(to encoder: any Encoder) throws {
    var columns = encoder.container(keyedBy: CodingKeys.self)
    let context = try SealingContext.of(encoder)
    try columns.encode(id, forKey: .id)
    try columns.encode(email, forKey: .email, in: context.bound(to: "\(id)", "email"))
    if let phone { try columns.encode(phone, forKey: .phone, in: context.bound(to: "\(id)", "phone")) }
  }
}

private func tokens(_ value: some Encodable, _ context: SealingContext) throws -> [String: String] {
  guard case .object(let members) = try TreeEncoder(sealingWith: context).encode(value) else { return [:] }
  return Dictionary(uniqueKeysWithValues: members.compactMap { name, value in value.string.map { (name, $0) } })
}

@Suite("Keys of an application") struct ApplicationKeyTests {
  private let old: SecretBytes
  private let new: SecretBytes
  private let row = Row(id: 7, email: "ada@example.com", phone: "+1 212-555-0001")

  init() throws { (old, new) = (try .random(count: 32), try .random(count: 32)) }

  @Test("the first seals, and each opens what it has sealed")
  func several() throws {
    let before = try SealingContext(keys: [old], bound: ["t"])
    let both = try SealingContext(keys: [new, old], bound: ["t"])
    let json = try JSONEncoder.sealing(with: before).encode(row)
    let read = try JSONDecoder.opening(with: both).decode(Row.self, from: json)
    #expect(read == row)
    let again = try JSONEncoder.sealing(with: both).encode(read)
    let after = try SealingContext(keys: [new], bound: ["t"])
    #expect(try JSONDecoder.opening(with: after).decode(Row.self, from: again) == row)
    #expect { try JSONDecoder.opening(with: after).decode(Row.self, from: json) } throws: {
      $0.sealingError?.code == .foreignToken
    }
  }

  @Test("a token is resealed under the first, with its sealing time, and one that is there stays")
  func resealing() throws {
    let time = try Timestamp(parsing: "2026-11-21T01:40:28Z")
    let before = try SealingContext(keys: [old], bound: ["t"]).sealing(at: time)
    let both = try SealingContext(keys: [new, old], bound: ["t"])
    let token = try #require(try tokens(row, before)["email"])
    #expect(try before.isCurrent(token))
    #expect(try !both.isCurrent(token))
    let resealed = try both.resealed(token)
    #expect(try both.isCurrent(resealed))
    #expect(try both.resealed(resealed) == resealed)
    #expect(try SealedToken(parsing: resealed).sealedAt == time)
    let after = try SealingContext(keys: [new], bound: ["t"])
    #expect(try EncryptedCodableString(reading: resealed, in: after) == row.email)
    #expect(throws: SealingError(.foreignToken, "")) { try after.resealed(token) }
    #expect(throws: SealingError(.authenticationFailed, "")) { try both.resealed(token.replacingLast()) }
    #expect(throws: SealingError(.wrongContext, "")) { try SealingContext.locked.isCurrent(token) }
  }

  @Test("what is bound to a row and a column opens nowhere else")
  func bound() throws {
    let context = try SealingContext(keys: [new, old], bound: ["t"])
    let one = BoundRow(id: 1, email: "ada@example.com", phone: "ada@example.com")
    let json = try JSONEncoder.sealing(with: context).encode(one)
    #expect(try JSONDecoder.opening(with: context).decode(BoundRow.self, from: json) == one)
    var members = try tokens(one, context)
    let (email, phone) = (try #require(members["email"]), try #require(members["phone"]))
    (members["email"], members["phone"]) = (phone, email)
    for (id, email, phone) in [(2, email, phone), (1, phone, email)] {
      let swapped = #"{"id":\#(id),"email":"\#(email)","phone":"\#(phone)"}"#
      #expect { try JSONDecoder.opening(with: context).decode(BoundRow.self, from: Data(swapped.utf8)) } throws: {
        $0.sealingError?.code == .authenticationFailed
      }
    }
    // Nor without a place, nor does one without a place open in one.
    #expect(throws: SealingError(.authenticationFailed, "")) { try EncryptedCodableString(reading: email, in: context) }
    let free = try #require(try tokens(row, context)["email"])
    #expect(throws: SealingError(.authenticationFailed, "")) {
      try EncryptedCodableString(reading: free, in: context.bound(to: "7", "email"))
    }
    #expect(throws: SealingError(.authenticationFailed, "")) {
      try EncryptedCodableString(reading: email, in: context.bound(to: "1email"))
    }
  }

  @Test("a value that moves to another row is sealed afresh there")
  func moved() throws {
    let context = try SealingContext(keys: [new], bound: ["t"])
    var one = BoundRow(id: 1, email: "ada@example.com", phone: nil)
    let first = try tokens(one, context)
    one = try JSONDecoder.opening(with: context).decode(
      BoundRow.self, from: JSONEncoder.sealing(with: context).encode(one))
    one.id = 2
    let second = try JSONEncoder.sealing(with: context).encode(one)
    #expect(try JSONDecoder.opening(with: context).decode(BoundRow.self, from: second) == one)
    #expect(try tokens(one, context)["email"] != first["email"])
  }

  @Test("with values that are opened on demand nothing is decrypted before it is asked for", arguments: [true, false])
  func onDemand(isBound: Bool) throws {
    let context = try SealingContext(keys: [new, old], bound: ["t"])
    let place = isBound ? try context.bound(to: "7") : context
    let token = try #require(try tokens(row, place)["email"])
    let value = try EncryptedCodableString(reading: token, in: place.openingOnDemand())
    #expect(value.isOpen)
    #expect(value == row.email)
    #expect(try tokens(Row(id: 7, email: value), place)["email"] == token)
    #expect(try tokens(Row(id: 7, email: value), context.bound(to: "8"))["email"] != token)
    let damaged = try EncryptedCodableString(reading: token.replacingLast(), in: place.openingOnDemand())
    #expect(!damaged.isOpen)
    #expect(throws: SealingError(.authenticationFailed, "")) { try damaged.reveal() }
    let other = try SealingContext(keys: [.random(count: 32)], bound: ["t"]).openingOnDemand()
    #expect(throws: SealingError(.foreignToken, "")) { try EncryptedCodableString(reading: token, in: other) }
  }

  @Test("no key, a key of another size or no bound string is refused")
  func refused() throws {
    for (keys, bound) in [([], ["t"]), ([try SecretBytes.random(count: 16)], ["t"]), ([new], [])] {
      #expect(throws: SealingError(.wrongByteCount, "")) { try SealingContext(keys: keys, bound: bound) }
    }
  }
}

@Suite("Search tags") struct SearchTagTests {
  private let context: SealingContext

  init() throws { context = try SealingContext(keys: [.random(count: 32), .random(count: 32)], bound: ["t"]) }

  @Test("equal values have equal tags, and others, other columns and other keys have others")
  func equality() throws {
    let tag = try context.searchTag(of: "ada@example.com", for: "email", bits: 64)
    #expect(try context.searchTag(of: "ada@example.com", for: "email", bits: 64) == tag)
    #expect(try context.searchTag(of: "bob@example.com", for: "email", bits: 64) != tag)
    #expect(try context.searchTag(of: "ada@example.com", for: "mail", bits: 64) != tag)
    let tags = try context.searchTags(of: "ada@example.com", for: "email", bits: 64)
    try #require(tags.count == 2)
    #expect(tags[0] == tag)
    #expect(tags[1] != tag)
  }

  @Test(
    "a tag has as many bits as were asked for, and is the beginning of a longer one", arguments: [1, 7, 8, 20, 63, 256])
  func bits(_ count: Int) throws {
    let tag = try context.searchTag(of: "x", for: "c", bits: count)
    let longest = try context.searchTag(of: "x", for: "c", bits: 256)
    #expect(tag.bytes.count == (count + 7) / 8)
    #expect(tag.bytes.dropLast() == longest.bytes[..<(tag.bytes.count - 1)])
    #expect(tag.text.count == tag.bytes.count * 2)
    #expect((tag.number == nil) == (count >= 64))
    if let number = tag.number { #expect(number >= 0 && number < (Int64.max >> (63 - count)) &+ 1 || count == 63) }
  }

  @Test("other numbers of bits, and contexts without application keys, are refused")
  func refused() throws {
    for bits in [0, 257] {
      #expect(throws: SealingError(.wrongByteCount, "")) { try context.searchTag(of: "x", for: "c", bits: bits) }
    }
    #expect(throws: SealingError(.wrongContext, "")) {
      try SealingContext.locked.searchTag(of: "x", for: "c", bits: 8)
    }
  }
}

@Suite("Keys that somebody else has wrapped") struct DataKeyTests {
  /// Counts its calls, and fails on request.
  private final class Provider: DataKeyProvider {
    private let keys = Mutex<[[UInt8]: SecretBytes]>([:])
    let asked = Mutex(0)
    let fails = Mutex(false)

    func wrap(_ key: SecretBytes) async throws -> [UInt8] {
      keys.withLock { keys in
        let name = Array("key \(keys.count)".utf8)
        keys[name] = key
        return name
      }
    }

    func unwrap(_ wrapped: [UInt8]) async throws -> SecretBytes {
      asked.withLock { $0 += 1 }
      guard !fails.withLock({ $0 }), let key = keys.withLock({ $0[wrapped] }) else { throw CancellationError() }
      return key
    }
  }

  @Test("each is asked for once, the newest seals, and one that was removed opens no more")
  func rotation() async throws {
    let provider = Provider()
    let first = try await DataKeys(provider: provider).addKey()
    let keys = DataKeys([first], provider: provider)
    async let one = keys.context(bound: ["t"])
    async let two = keys.context(bound: ["u"])
    let (before, _) = try await (one, two)
    #expect(provider.asked.withLock { $0 } == 1)
    let token = try before.resealedSample()
    _ = try await keys.addKey()
    let after = try await keys.context(bound: ["t"])
    #expect(try !after.isCurrent(token))
    #expect(try after.isCurrent(after.resealed(token)))
    await keys.remove(first)
    let last = try await keys.context(bound: ["t"])
    #expect(throws: SealingError(.foreignToken, "")) { try last.isCurrent(token) }
    #expect(provider.asked.withLock { $0 } == 1)
  }

  @Test("what a provider refuses is asked for again the next time")
  func failure() async throws {
    let provider = Provider()
    let wrapped = try await DataKeys(provider: provider).addKey()
    let keys = DataKeys([wrapped], provider: provider)
    provider.fails.withLock { $0 = true }
    await #expect(throws: CancellationError.self) { try await keys.context(bound: ["t"]) }
    provider.fails.withLock { $0 = false }
    _ = try await keys.context(bound: ["t"])
    await #expect(throws: SealingError(.wrongByteCount, "")) {
      try await DataKeys(provider: provider).context(bound: ["t"])
    }
  }
}

extension SealingContext {
  fileprivate func resealedSample() throws -> String {
    try #require(try tokens(Row(id: 1, email: "ada@example.com"), self)["email"])
  }
}

extension String {
  /// A token with another tag.
  fileprivate func replacingLast() -> String {
    let index = self.index(endIndex, offsetBy: -6)
    return replacingCharacters(in: index...index, with: self[index] == "A" ? "B" : "A")
  }

  private func replacingCharacters(in range: ClosedRange<Index>, with text: String) -> String {
    var copy = self
    copy.replaceSubrange(range, with: text)
    return copy
  }
}
