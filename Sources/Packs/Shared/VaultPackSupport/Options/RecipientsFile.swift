package import VaultAge
import VaultCLI
import VaultCrypto
import VaultKit
import VaultTerminal

package enum RecipientsFile {
  package static func read(_ path: String) throws -> [AgeRecipient] {
    let file = try NamedFile.reading(path)
    let bytes = try SecretInput.bytes(from: file.descriptor, named: path, as: "a list of recipients")
    let recipients: [AgeRecipient]
    do throws(AgeError) {
      recipients = try bytes.withBytes { bytes throws(AgeError) in try AgeRecipientsFile.parse(bytes) }
    } catch {
      let isSSHKey = bytes.string.map(AgeRecipient.isSSHKey) ?? false
      var refused = CommandError(error, subject: path).hinting(
        isSSHKey ? AgeRecipient.whyNoSSHKey : "the file must have one age1… recipient on each line")
      if error.code == .malformedRecipient { refused.reason += ", so this is not an age recipient" }
      (refused.status, refused.code, refused.file) = (.inputRefused, "input_refused", path)
      throw refused
    }
    try AgeRecipient.checkLibrary(for: recipients, of: path)
    return recipients
  }
}
