import Foundation
import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("What programs show of errors")
struct LocalizedErrorTests {
  @Test("the localized description of every error is its own one line, and what every program can do its suggestion")
  func descriptions() throws {
    let errors: [any Error & CustomStringConvertible] = [
      VaultError(.diskFull, "there is no space", file: "vault.json"), StoreError(.missing, reason: "is not there"),
      RecordError(.wrongType, "must be text", path: "name"), CodingFailure(RecordError(.wrongType, "x")),
    ]
    for error in errors { #expect(error.localizedDescription == error.description) }
    let document = #expect(throws: DocumentError.self) { try JSONParser.parse(Array("{".utf8)) }
    #expect(document?.localizedDescription == document?.description)
    let error: any LocalizedError = VaultError(.lockedByOther, "is locked", remedies: ["wait", .repair, "or do not"])
    #expect(error.recoverySuggestion == "wait\nor do not")
    #expect((VaultError(.cancelled, "x") as any LocalizedError).recoverySuggestion == nil)
  }

  @Test("a vault that is not there is told with its path, also where the path is empty")
  func noVault() async throws {
    let folder = TemporaryFolder()
    let identity = try AgeIdentity.generate()
    for (path, code) in [
      ("", VaultError.Code.notAVault), (folder.path + "/none", .ioFailed), (folder.path, .notAVault),
    ] {
      do throws(VaultError) {
        _ = try await Vault.open(at: path, unlockingWith: .identity(identity), options: Vault.Options(state: nil))
        Issue.record("a vault was opened where there is none")
      } catch {
        #expect(error.code == code, "\(error)")
        #expect(error.description.hasPrefix(path), "\(error)")
        #expect(!error.description.hasPrefix(":"), "\(error)")
      }
    }
  }
}
