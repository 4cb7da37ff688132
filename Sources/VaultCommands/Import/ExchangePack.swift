extension Pack {
  /// Records from other tools, and for them.
  static let exchange = Pack(
    commands: [ImportCommand.self, ExportCommand.self])
}
