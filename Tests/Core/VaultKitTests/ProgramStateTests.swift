import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport

@Suite("What a program remembers of a vault") struct ProgramStateTests {
  @Test("an older record in the place of a newer one is refused to a program that says nothing of state")
  func rollback() async throws {
    let folder = TemporaryFolder()
    let state = KnownVaults(directory: folder.path + "/state")
    let identity = try AgeIdentity.generate()
    let place = folder.path + "/v"
    FileTree.makeFolder(place)
    let options = Vault.Options(state: state)
    let vault = try await Vault.create(at: place, slots: [NewSlot(.recipient(identity.recipient))], options: options)
    let id = try await vault.add(SecureNote(title: "a", text: "old"))
    let file = place + "/records/\(id.text.prefix(2))/\(id.text).json"
    let old = try #require(FileTree.contents(of: file))
    try await vault.update(id, as: SecureNote.self) { $0.text = "new" }
    FileTree.write(old, to: file)
    let again = try await Vault.open(at: place, unlockingWith: .identity(identity), options: options)
    let error = await #expect(throws: VaultError.self) { try await again.record(id, as: SecureNote.self).value }
    #expect(error?.code == .rolledBack)
  }

  @Test("the state is the user's own, unless a program says another")
  func standard() throws {
    #expect(Vault.Options(state: nil).state == nil)
    let standard = try #require(Vault.Options().state ?? KnownVaults.ofUser)
    #expect(standard.directory.hasSuffix("/cvault"), "\(standard.directory)")
  }

  @Test("an identity file is read straight into secure memory, of any size up to 1 MiB")
  func identities() throws {
    let folder = TemporaryFolder()
    let identity = try AgeIdentity.generate()
    let path = folder.path + "/id.txt"
    let text = try AgeIdentityFile.text(identity, created: "2026-01-01T00:00:00Z").withBytes { bytes in
      (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
    for padding in [0, 4000, 70_000] {
      FileTree.write(Array(repeating: UInt8(ascii: "\n"), count: padding) + text, to: path)
      let texts = try AgeIdentityFile.read(at: path).map { try $0.recipient.text }
      #expect(try texts == [identity.recipient.text], "\(padding)")
    }
    for (bytes, code) in [([], .inputRefused), (Array("nothing".utf8), .inputRefused)] as [([UInt8], VaultError.Code)] {
      FileTree.write(bytes, to: path)
      let error = #expect(throws: VaultError.self) { try AgeIdentityFile.read(at: path) }
      #expect(error?.code == code)
    }
    FileTree.write(Array(repeating: UInt8(ascii: "\n"), count: 3 << 20), to: path)
    let large = #expect(throws: VaultError.self) { try AgeIdentityFile.read(at: path) }
    #expect(large?.code == .inputRefused || large?.code == .ioFailed)
    let missing = #expect(throws: VaultError.self) { try AgeIdentityFile.read(at: folder.path + "/none") }
    #expect(missing?.code == .ioFailed)
    #expect(missing?.file == folder.path + "/none")
  }

  @Test("a sealed identity file needs its passphrase, and another file ignores one")
  func sealedIdentities() throws {
    let folder = TemporaryFolder()
    let identity = try AgeIdentity.generate()
    let text = try AgeIdentityFile.text(identity, created: "2026-01-01T00:00:00Z")
    let words = try secret("right")
    let sealed = try text.withBytes { text throws(AgeError) in
      try words.withBytes { words throws(AgeError) in try AgeFile.seal(text, passphrase: words, workFactor: 10) }
    }
    let path = folder.path + "/id.age"
    for file in [sealed, AgeArmor.encode(RawSpan(_elements: sealed.span))] {
      FileTree.write(file, to: path)
      #expect(try AgeIdentityFile.read(at: path, passphrase: words).map { try $0.recipient } == [identity.recipient])
      let refused = #expect(throws: VaultError.self) {
        try AgeIdentityFile.read(at: path, passphrase: secret("wrong"))
      }
      #expect(refused?.code == .wrongPassphrase)
      #expect(refused?.file == path)
      let closed = #expect(throws: VaultError.self) { try AgeIdentityFile.read(at: path) }
      #expect(closed?.code == .inputRefused)
    }
    let plain = text.withBytes { bytes in
      (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
    FileTree.write(plain, to: path)
    #expect(try AgeIdentityFile.read(at: path, passphrase: words).count == 1)
  }
}
