import VaultCLI
import VaultDaily

#if PACK_AGENT
  import VaultAgentCommands
#endif

#if PACK_BACKUP
  import VaultBackupCommands
#endif

#if PACK_CARE
  import VaultCareCommands
#endif

#if PACK_DELIVERY
  import VaultDeliveryCommands
#endif

#if PACK_EXCHANGE
  import VaultExchangeCommands
#endif

#if PACK_GIT
  import VaultGitCommands
#endif

#if PACK_POSTGRES
  import VaultPostgresCommands
#endif

#if PACK_SETS
  import VaultSetsCommands
#endif

extension Pack {
  /// The packs of the program, as Package.swift selects them.
  static var ofProgram: [Pack] {
    var packs: [Pack] = [.daily]
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
    #if PACK_AGENT
      packs.append(.agent)
    #endif
    #if PACK_POSTGRES
      packs.append(.postgres)
    #endif
    return packs
  }
}
