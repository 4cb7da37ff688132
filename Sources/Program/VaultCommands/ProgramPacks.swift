import VaultCLI
import VaultDaily

#if PACK_AGENT
  import VaultAgentCommands
#endif
#if PACK_ATTACHMENTS
  import VaultAttachmentsCommands
#endif
#if PACK_BACKUP
  import VaultBackupCommands
#endif
#if PACK_CARE
  import VaultCareCommands
#endif
#if PACK_CLIPBOARD
  import VaultClipboardCommands
#endif
#if PACK_COMPLETION
  import VaultCompletionCommands
#endif
#if PACK_DELIVERY
  import VaultDeliveryCommands
#endif
#if PACK_DEPOSIT
  import VaultDepositCommands
#endif
#if PACK_EDIT
  import VaultEditCommands
#endif
#if PACK_EXCHANGE
  import VaultExchangeCommands
#endif
#if PACK_GIT
  import VaultGitCommands
#endif
#if PACK_KEYS
  import VaultKeysCommands
#endif
#if PACK_KINDS
  import VaultKindsCommands
#endif
#if PACK_PICKER
  import VaultPickerCommands
#endif
#if PACK_POSTGRES
  import VaultPostgresCommands
#endif
#if PACK_SETS
  import VaultSetsCommands
#endif
#if PACK_TRASH
  import VaultTrashCommands
#endif

extension Pack {
  /// The packs of the program, as Package.swift selects them.
  static let ofProgram: [Pack] = {
    var packs: [Pack] = [.daily]
    #if PACK_EDIT
      packs.append(.edit)
    #endif
    #if PACK_TRASH
      packs.append(.trash)
    #endif
    #if PACK_EXCHANGE
      packs.append(.exchange)
    #endif
    #if PACK_GIT
      packs.append(.git)
    #endif
    #if PACK_BACKUP
      packs.append(.backup)
    #endif
    #if PACK_DELIVERY
      packs.append(.delivery)
    #endif
    #if PACK_CARE
      packs.append(.care)
    #endif
    #if PACK_SETS
      packs.append(.sets)
    #endif
    #if PACK_KEYS
      packs.append(.keys)
    #endif
    #if PACK_DEPOSIT
      packs.append(.deposit)
    #endif
    #if PACK_KINDS
      packs.append(.kinds)
    #endif
    #if PACK_ATTACHMENTS
      packs.append(.attachments)
    #endif
    #if PACK_CLIPBOARD
      packs.append(.clipboard)
    #endif
    #if PACK_COMPLETION
      packs.append(.completion)
    #endif
    #if PACK_PICKER
      packs.append(.picker)
    #endif
    #if PACK_AGENT
      packs.append(.agent)
    #endif
    #if PACK_POSTGRES
      packs.append(.postgres)
    #endif
    return packs
  }()
}
