// The types that a program needs for a vault every day, under one import. The libraries have the rest, and each can be
// imported alone.

// An open vault and its records.
@_exported public import class VaultKit.Vault
@_exported public import enum VaultTrust.VaultKey
@_exported public import struct VaultTrust.NewSlot
@_exported public import struct VaultTrust.Slot
@_exported public import struct VaultCare.SlotRenewal
@_exported public import struct VaultKit.AttachmentSource
@_exported public import struct VaultKit.KnownVaults
@_exported public import struct VaultKit.LockedVault
@_exported public import struct VaultTrust.VaultPlace
@_exported public import struct VaultKit.TypedRecord
@_exported public import struct VaultKit.StoredRecord
@_exported public import struct VaultKit.RecordSummary
@_exported public import struct VaultKit.RecordQuery
@_exported public import struct VaultKit.RecordSequence
@_exported public import struct VaultKit.TrashedRecord
@_exported public import struct VaultKit.RecordInput
@_exported public import struct VaultKit.BulkAddResult
@_exported public import enum VaultKit.RefusalPolicy
@_exported public import class VaultKit.VaultTransaction
@_exported public import class VaultTrust.VaultObserver
@_exported public import struct VaultTrust.VaultEvent
@_exported public import struct VaultTrust.VaultError
@_exported public import enum VaultKit.StateNote

// Types of records, and the built-in kinds.
@_exported public import protocol VaultRecords.VaultRecord
@_exported public import protocol VaultRecords.DescribedRecord
@_exported public import class VaultRecords.Member
@_exported public import struct VaultRecords.MemberSchema
@_exported public import struct VaultRecords.ValueSchema
@_exported public import class VaultRecords.RecordKind
@_exported public import class VaultRecords.KindCatalog
@_exported public import struct VaultRecords.Migration
@_exported public import typealias VaultRecords.RecordError
@_exported public import struct VaultRecords.Customer
@_exported public import struct VaultRecords.Login
@_exported public import struct VaultRecords.APIKey
@_exported public import struct VaultRecords.SSHKey
@_exported public import struct VaultRecords.PaymentCard
@_exported public import struct VaultRecords.SecureNote
@_exported public import struct VaultRecords.Database
@_exported public import struct VaultRecords.CustomRecord
@_exported public import struct VaultRecords.FileRecord

// Fields that any encoder seals.
@_exported public import struct VaultSealing.EncryptedCodableString
@_exported public import struct VaultSealing.Sealed
@_exported public import class VaultSealing.SealingContext
@_exported public import typealias VaultSealing.SealingError
@_exported public import enum VaultSealing.DocumentForm

// Dates, names and lists of other formats, in types of a program.
@_exported public import struct VaultFields.DateFormat
@_exported public import struct VaultFields.LossyArray

// Keys.
@_exported public import struct VaultAge.AgeIdentity
@_exported public import struct VaultAge.AgeRecipient
@_exported public import enum VaultAge.AgeCredential
@_exported public import enum VaultAge.AgeIdentityFile
@_exported public import enum VaultAge.AgeRecipientsFile
@_exported public import typealias VaultAge.AgeError

@_exported public import class VaultCrypto.SecretBytes

// Names, values and times of a document.
@_exported public import struct VaultDocument.Identifier
@_exported public import typealias VaultDocument.RecordID
@_exported public import enum VaultDocument.JSONValue
@_exported public import struct VaultDocument.JSONObject
@_exported public import struct VaultDocument.JSONNumber
@_exported public import struct VaultDocument.MemberPath
@_exported public import struct VaultDocument.AnyCodingKey
@_exported public import enum VaultDocument.KeyStyle
@_exported public import struct VaultDocument.Timestamp

// One vault as one file, and back.
@_exported public import enum VaultBackup.Backup
@_exported public import enum VaultBackup.BackupKey
@_exported public import struct VaultBackup.BackupDirectory
@_exported public import class VaultBackup.BackupFile
@_exported public import class VaultBackup.BackupContents
@_exported public import struct VaultBackup.CreatedBackup
@_exported public import struct VaultBackup.BackupName
@_exported public import struct VaultBackup.RestoreOptions
@_exported public import class VaultBackup.StagedRestore
@_exported public import struct VaultBackup.RestoredVault
@_exported public import struct VaultBackup.RetentionPolicy

// `KnownVaults` remembers the vaults of a set by their names.
@_exported public import VaultSets

// Records from files of other tools.
@_exported public import enum VaultExchange.ImportFormats
@_exported public import protocol VaultExchange.Importer
@_exported public import class VaultExchange.ImportSource
@_exported public import struct VaultExchange.ImportOptions
@_exported public import enum VaultExchange.ImportedItem
@_exported public import struct VaultExchange.ImportedItems
@_exported public import struct VaultExchange.ImportedRecord
@_exported public import struct VaultExchange.ExchangeError
