import Foundation
import VaultAge
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultFields
import VaultKit
import VaultRecords
import VaultSealing

// Declarations for the snippets of the documents, which do not show them. Scripts/snippets puts each snippet into a
// function of its own beside this file.

struct Account: Codable {
  var user: String
  var token: EncryptedCodableString
}

func given<Value>(_: Value.Type = Value.self) -> Value { fatalError("snippets are compiled, and not run") }

var account: Account { given() }
var context: SealingContext { given() }
var customer: Customer { given() }
var customers: [Customer] { given() }
var email: EncryptedCodableString { given() }
var id: RecordID { given() }
var ids: [RecordID] { given() }
var identity: AgeIdentity { given() }
var key: SecretBytes { given() }
var newKey: SecretBytes { given() }
var oldKey: SecretBytes { given() }
var provider: any DataKeyProvider { given() }
var reference: SecretReference { given() }
var stored: TypedRecord<Customer> { given() }
var token: String { given() }
var values: [SecretReference: DeliveredValue] { given() }
var vault: Vault { given() }
var wrappedKeys: [[UInt8]] { given() }
