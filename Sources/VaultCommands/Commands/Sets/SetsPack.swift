extension Pack {
  /// Several vaults under names.
  static let sets = Pack(
    commands: [MoveCommand.self, VaultsCommand.self])
}
