import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage

private struct BadName: VaultRecord {
  static let kindName = "Bad Name!"
  static let titlePaths = ["a"]
  static let content = [MemberSchema("a", .text)]
  var a: String
}

private struct NoSchema: VaultRecord {
  static let kindName = "no-schema"
  static let schema = 0
  static let titlePaths = ["a"]
  static let content = [MemberSchema("a", .text)]
  var a: String
}

private struct BadTitle: VaultRecord {
  static let kindName = "bad-title"
  static let titlePaths = ["a..b"]
  static let content = [MemberSchema("a", .text)]
  var a: String
}

private struct Note: VaultRecord {
  static let kindName = "note"
  static let titlePaths = ["a"]
  static let content = [MemberSchema("a", .text)]
  var a: String
}

private struct OtherNote: VaultRecord {
  static let kindName = "note"
  static let titlePaths = ["b"]
  static let content = [MemberSchema("b", .text)]
  var b: String
}

private struct OtherLogin: VaultRecord {
  static let kindName = "login"
  static let titlePaths = ["b"]
  static let content = [MemberSchema("b", .text)]
  var b: String
}

@Suite("Types whose records could not be read again")
struct UnreadableTypeTests {
  private func vault(_ types: [any VaultRecord.Type] = []) async throws -> Vault {
    var options = Vault.Options(state: nil)
    options.types = types
    let slot = NewSlot(.recipient(try AgeIdentity.generate().recipient))
    return try await Vault.create(in: MemoryStore(), slots: [slot], options: options)
  }

  private func refusal(_ record: some VaultRecord, _ vault: Vault) async -> String? {
    do throws(VaultError) {
      try await vault.add(record)
      return nil
    } catch {
      return error.code == .inputRefused ? error.description : "\(error.code)"
    }
  }

  @Test("are refused when they are to be stored, naming the type and what is wrong, and nothing is")
  func add() async throws {
    let vault = try await vault([Note.self])
    let id = try await vault.add(Note(a: "good"))
    let expected: [(String?, String)] = [
      (await refusal(BadName(a: "precious"), vault), "kindName is not valid for BadName: use at most 64"),
      (await refusal(NoSchema(a: "precious"), vault), "schema must be 1 or more for NoSchema"),
      (await refusal(BadTitle(a: "precious"), vault), "titlePaths is not valid for BadTitle: `a..b` is not a path"),
      (
        await refusal(OtherNote(b: "precious"), vault),
        "OtherNote has the kind name `note`, which is already the name of Note"
      ),
      (
        await refusal(OtherLogin(b: "precious"), vault),
        "OtherLogin has the kind name `login`, which is already the name of Login"
      ),
    ]
    for (refusal, text) in expected { #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "stored")") }
    #expect(try await vault.records(of: Note.self).map(\.a) == ["good"])
    #expect(try await vault.listed().records.map(\.name) == ["good"])
    try await vault.remove([id])
    #expect(try await vault.verify().isGood)
  }

  @Test("nor is a type stored that the vault was not opened with: it would be listed without a name")
  func unknownType() async throws {
    let vault = try await vault()
    #expect(await refusal(Note(a: "x"), vault) == "Note is a type that the vault was not opened with")
    #expect(try vault.locked.recordCount() == 0)
  }

  @Test(
    "cannot be named when a vault is made or opened",
    arguments: [[BadName.self], [NoSchema.self], [BadTitle.self], [Note.self, OtherNote.self], [OtherLogin.self]]
      as [[any VaultRecord.Type]])
  func open(_ types: [any VaultRecord.Type]) async throws {
    await #expect(throws: VaultError(.inputRefused, "")) { try await vault(types) }
    let (_, identity, store) = try await memoryVault()
    #expect(throws: VaultError(.inputRefused, "")) { try LockedVault(store: store, types: types) }
    var options = Vault.Options(state: nil)
    options.types = types
    let opening = options
    await #expect(throws: VaultError(.inputRefused, "")) {
      try await LockedVault(store: store).unlock(with: .identity(identity), options: opening)
    }
  }

  @Test("the same type twice is no mistake")
  func twice() async throws {
    let vault = try await vault([Note.self, Note.self])
    #expect(await refusal(Note(a: "x"), vault) == nil)
  }
}
