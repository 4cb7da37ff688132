package import VaultCLI

extension Pack {
  /// Deposits: records and values from people without a key, which a key holder accepts or drops.
  package static let deposit = Pack(
    commands: ["deposit": { DepositCommand.self }, "inbox": { InboxCommand.self }]
  ) { $0.reorders = DepositCommand.inOrder }
}
