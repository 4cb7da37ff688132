import FoundationEssentials
import Testing
import VaultCrypto
import VaultDocument
import VaultSealing

private struct Account: Codable, Equatable {
  var name: String
  var secret: EncryptedCodableString
  var spare: EncryptedCodableString?
}

private let marker = "marker-7f3a-secret"

/// A context outside a vault with a fresh key.
func applicationContext(_ bound: String...) throws -> SealingContext {
  try SealingContext(applicationKey: .random(count: 32), bound: bound.isEmpty ? ["tests"] : bound)
}

@Suite("A sealed string in a Codable type")
struct SealedFieldTests {
  @Test("goes through JSON and property lists and comes back with the same bytes", arguments: sampleTexts)
  func roundTrip(text: String) throws {
    let context = try applicationContext()
    let account = Account(name: "Ada", secret: .init(text), spare: nil)
    let json = try JSONEncoder.sealing(with: context).encode(account)
    #expect(try JSONDecoder.opening(with: context).decode(Account.self, from: json) == account)

    for format in [PropertyListSerializationFormat.xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format.foundation
      encoder.userInfo[.sealingContext] = context
      let list = try encoder.encode(account)
      let decoder = PropertyListDecoder()
      decoder.userInfo[.sealingContext] = context
      let decoded = try decoder.decode(Account.self, from: list)
      #expect(try Array(decoded.secret.reveal().utf8) == Array(text.utf8))
    }
  }

  @Test("is one token in the encoded form, and its text is nowhere in it")
  func encodedForm() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(["secret": EncryptedCodableString(marker)])
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.hasPrefix("{\n  \"secret\" : \"es1:"))
    #expect(!text.contains(marker))
  }

  @Test("throws without a context, both ways")
  func noContext() throws {
    let account = Account(name: "Ada", secret: "x", spare: nil)
    #expect { try JSONEncoder().encode(account) } throws: { $0.sealingError?.code == .noContext }
    let sealed = try JSONEncoder.sealing(with: applicationContext()).encode(account)
    #expect { try JSONDecoder().decode(Account.self, from: sealed) } throws: { $0.sealingError?.code == .noContext }
  }

  @Test("uses the task's context only where userInfo has none, and refuses two different ones")
  func taskContext() throws {
    let task = try applicationContext()
    let account = Account(name: "Ada", secret: "x", spare: nil)
    try SealingContext.$current.withValue(task) {
      let json = try JSONEncoder().encode(account)
      #expect(try JSONDecoder().decode(Account.self, from: json) == account)
      let other = JSONEncoder.sealing(with: try applicationContext())
      #expect { try other.encode(account) } throws: { $0.sealingError?.code == .conflictingContexts }
      _ = try JSONEncoder.sealing(with: task).encode(account)
    }
  }

  @Test("writes an unchanged value back as the whole token, a changed one with a new nonce")
  func tokenReuse() throws {
    let context = try applicationContext()
    let first = try tokens(of: Account(name: "Ada", secret: "one", spare: "two"), context)
    var account = try JSONDecoder.opening(with: context).decode(Account.self, from: first.json)
    account.name = "Ada Lovelace"
    account.spare = "three"
    let second = try tokens(of: account, context)
    #expect(second.secret == first.secret)
    #expect(second.spare != first.spare)
    account.spare = "two"
    #expect(try tokens(of: account, context).spare != first.spare)
  }

  @Test("is sealed afresh under another key or binding")
  func otherContext() throws {
    let key = try SecretBytes.random(count: 32)
    let one = try SealingContext(applicationKey: key, bound: ["one"])
    let two = try SealingContext(applicationKey: key, bound: ["two"])
    let first = try tokens(of: Account(name: "Ada", secret: "x", spare: nil), one)
    let account = try JSONDecoder.opening(with: one).decode(Account.self, from: first.json)
    let second = try tokens(of: account, two)
    #expect(second.secret != first.secret)
    #expect { try JSONDecoder.opening(with: one).decode(Account.self, from: second.json) } throws: {
      $0.sealingError?.code == .foreignToken
    }
  }

  @Test("refuses clear text, except where the reading mode takes it")
  func clearText() throws {
    let context = try applicationContext()
    let clear = Data(#"{"name":"Ada","secret":"es1:looks:like:a-token"}"#.utf8)
    let plain = Data(#"{"name":"Ada","secret":"clear"}"#.utf8)
    #expect { try JSONDecoder.opening(with: context).decode(Account.self, from: plain) } throws: {
      $0.sealingError?.code == .clearText
    }
    let migrating = JSONDecoder.opening(with: context.reading(.tokensOrClearText))
    #expect(try migrating.decode(Account.self, from: plain).secret == "clear")
    #expect { try migrating.decode(Account.self, from: clear) } throws: { $0.sealingError?.code == .malformedToken }
    let importing = JSONDecoder.opening(with: context.reading(.clearText))
    #expect(try importing.decode(Account.self, from: clear).secret == "es1:looks:like:a-token")
  }

  @Test("stays unopened in the locked context, and cannot be saved from it")
  func locked() throws {
    let context = try applicationContext()
    let json = try JSONEncoder.sealing(with: context).encode(Account(name: "Ada", secret: "x", spare: nil))
    let account = try JSONDecoder.opening(with: .locked).decode(Account.self, from: json)
    #expect(!account.secret.isOpen)
    #expect(throws: SealingError(.notOpened, "")) { try account.secret.reveal() }
    #expect { try JSONEncoder.sealing(with: .locked).encode(account) } throws: {
      $0.sealingError?.code == .lockedContext
    }
    #expect { try JSONEncoder.sealing(with: context).encode(account) } throws: { $0.sealingError?.code == .notOpened }
  }

  @Test("compares as bytes: composed and decomposed letters differ")
  func bytewise() {
    #expect(EncryptedCodableString("\u{E9}") != EncryptedCodableString("e\u{301}"))
    #expect(EncryptedCodableString("\u{E9}") == EncryptedCodableString("\u{E9}"))
  }

  @Test("prints a placeholder through every way of printing")
  func printing() {
    let account = Account(name: "Ada", secret: .init(marker), spare: .init(marker))
    var dumped = ""
    dump(account, to: &dumped)
    dump(account.secret, to: &dumped)
    dump(Sealed(marker), to: &dumped)
    let printed = [
      "\(account)", "\(account.secret)", String(describing: account.secret), String(reflecting: account),
      String(reflecting: account.secret), "\(Mirror(reflecting: account.secret).children.map { $0 })", dumped,
      "\(Sealed([marker]))", String(reflecting: Sealed([marker])), "\(String(describing: account.spare))",
    ]
    for text in printed { #expect(!text.contains(marker)) }
    #expect("\(account.secret)" == "••••••••")
  }

  @Test("a failing expectation shows no secret")
  func failingExpectation() {
    let secret = EncryptedCodableString(marker)
    withKnownIssue {
      #expect(secret == "another")
    } matching: { issue in
      !"\(issue)".contains(marker) && !String(reflecting: issue).contains(marker)
    }
  }

  @Test("no error of an encoder or decoder holds the secret")
  func errors() throws {
    let account = Account(name: "Ada", secret: .init(marker), spare: nil)
    do {
      _ = try JSONEncoder().encode(account)
      Issue.record("encoding without a context must throw")
    } catch {
      var dumped = "\(error) \(String(reflecting: error))"
      dump(error, to: &dumped)
      #expect(!dumped.contains(marker))
    }
  }

  private func tokens(
    of account: Account, _ context: SealingContext
  ) throws -> (json: Data, secret: String?, spare: String?) {
    let json = try JSONEncoder.sealing(with: context).encode(account)
    guard case .object(let members) = try JSONParser.parse([UInt8](json)) else { return (json, nil, nil) }
    func token(_ name: String) -> String? {
      guard case .string(let text)? = members[name] else { return nil }
      return text
    }
    return (json, token("secret"), token("spare"))
  }
}

let sampleTexts = [
  "", "x", "es1:looks:like:a-token", " leading and trailing space ", "line one\nline two\t\u{1F}", "pâté-Ångström-😀-é",
  "e\u{301}", "\u{FEFF}bom", "nul \u{0} inside", String(repeating: "0123456789", count: 7000),
]

enum PropertyListSerializationFormat {
  case xml, binary

  var foundation: PropertyListDecoder.PropertyListFormat {
    switch self {
    case .xml: .xml
    case .binary: .binary
    }
  }
}
