#if Macros
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  @main
  struct RecordMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [VaultRecordMacro.self, MarkMacro.self]
  }
#else
  /// Without the trait `Macros` there is no swift-syntax, and nothing to expand.
  @main
  struct RecordMacroPlugin {
    static func main() {}
  }
#endif
