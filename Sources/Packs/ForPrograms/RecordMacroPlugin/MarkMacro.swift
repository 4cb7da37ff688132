#if Macros
  import SwiftDiagnostics
  package import SwiftSyntax
  package import SwiftSyntaxMacros

  /// `@Title`, `@Nested` and `@Key`. They expand to nothing, and ``VaultRecordMacro`` reads them.
  package struct MarkMacro: PeerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let owner = context.lexicalContext.first?.as(StructDeclSyntax.self)
      let variable = declaration.as(VariableDeclSyntax.self)
      let isGood =
        owner?.attributes.mark("VaultRecord") != nil && variable?.isOfInstances == true
        && variable?.bindings.allSatisfy(\.isStored) == true
      if !isGood { context.diagnose(Misuse.elsewhere(node.attributeName.trimmedDescription).at(node)) }
      return []
    }
  }
#endif
