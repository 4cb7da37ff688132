extension Pack {
  /// Vaults in a database.
  static let postgres = Pack(
    commands: [StoreCommand.self])
}
