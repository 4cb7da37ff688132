import ArgumentParser
import VaultTerminal

/// The options that commands share.
struct CommonOptions: ParsableArguments {
  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup(title: "All commands") var global: GlobalOptions
}
