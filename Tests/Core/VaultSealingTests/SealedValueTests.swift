import FoundationEssentials
import Testing
import VaultDocument
import VaultSealing

private struct Settings: Codable, Equatable, Sendable {
  var retries: Int
  var since: Date
  var inner: EncryptedCodableString
}

private struct Holder: Codable, Equatable {
  var settings: Sealed<Settings>
}

@Suite("A sealed value of any type")
struct SealedValueTests {
  private let settings = Settings(retries: 3, since: Date(timeIntervalSince1970: 1_600_000_000.25), inner: "deep")

  @Test("comes back equal, with sealed strings inside it")
  func roundTrip() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(Holder(settings: Sealed(settings)))
    #expect(!String(decoding: json, as: UTF8.self).contains("retries"))
    let holder = try JSONDecoder.opening(with: context).decode(Holder.self, from: json)
    #expect(try holder.settings.reveal() == settings)
  }

  @Test("keeps its token while it is unchanged, and only then")
  func tokenReuse() throws {
    let context = try applicationContext()
    let encoder = JSONEncoder.sealing(with: context)
    let json = try encoder.encode(Holder(settings: Sealed(settings)))
    var holder = try JSONDecoder.opening(with: context).decode(Holder.self, from: json)
    #expect(try encoder.encode(holder) == json)
    var changed = try holder.settings.reveal()
    changed.retries = 4
    holder.settings = Sealed(changed)
    #expect(try encoder.encode(holder) != json)
  }

  @Test("stays unopened in the locked context")
  func locked() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(["a": Sealed(1)])
    let value = try #require(try JSONDecoder.opening(with: .locked).decode([String: Sealed<Int>].self, from: json)["a"])
    #expect(throws: SealingError(.notOpened, "")) { try value.reveal() }
  }

  @Test("refuses a token that holds something else")
  func wrongContent() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(["a": EncryptedCodableString("no JSON")])
    #expect { try JSONDecoder.opening(with: context).decode([String: Sealed<Int>].self, from: json) } throws: {
      $0.sealingError?.code == .malformedPlaintext
    }
  }
}
