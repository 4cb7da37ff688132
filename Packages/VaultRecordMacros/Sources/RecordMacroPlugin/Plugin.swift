import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct RecordMacroPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [VaultRecordMacro.self, MarkMacro.self]
}
