package import ArgumentParser
package import VaultTerminal

package struct CommonOptions: ParsableArguments {
  @OptionGroup(title: "Vault") package var vault: VaultOptions
  @OptionGroup(title: "Key") package var unlocking: UnlockOptions
  @OptionGroup(title: "All commands") package var global: GlobalOptions

  package init() {}
}
