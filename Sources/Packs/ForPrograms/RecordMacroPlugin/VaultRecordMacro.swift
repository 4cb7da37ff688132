#if Macros
  import SwiftDiagnostics
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros
  import VaultDocument

  /// `@VaultRecord`: the conformance, with coding and titles.
  package struct VaultRecordMacro: ExtensionMacro {
    package static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      var faults: [Diagnostic] = []
      let lines = lines(node, declaration) { faults.append($0) }
      guard faults.isEmpty else { throw DiagnosticsError(diagnostics: faults) }
      let conformance = protocols.isEmpty ? "" : ": VaultRecords.VaultRecord"
      let body = lines.map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
      return [try ExtensionDeclSyntax("extension \(type.trimmed)\(raw: conformance) {\n\(raw: body)\n}")]
    }

    private static func lines(
      _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, _ report: (Diagnostic) -> Void
    ) -> [String] {
      guard declaration.is(StructDeclSyntax.self) else {
        report(Misuse.notAStruct.at(node))
        return []
      }
      let properties = Property.all(of: declaration, report)
      check(node, declaration, properties, report)
      let record = JSONObjectShape(properties, style(node, report), report)
      let access = declaration.modifiers.lazy.map(\.name.text).first { ["public", "package"].contains($0) }
      let prefix = access.map { $0 + " " } ?? ""
      var lines: [String] = []
      if let kind = kind(node, report) {
        lines.append("\(prefix)static var kindName: Swift.String { \(CodingText.text(kind)) }")
      }
      let titles = record.titlePaths().map(CodingText.text).joined(separator: ", ")
      if !titles.isEmpty { lines.append("\(prefix)static var titlePaths: [Swift.String] { [\(titles)] }") }
      if !lines.isEmpty { lines.append("") }
      lines += function("\(prefix)init(from decoder: any Swift.Decoder)", CodingText.decoding(record)) + [""]
      lines += function("\(prefix)func encode(to encoder: any Swift.Encoder)", CodingText.encoding(record))
      return lines
    }

    private static func function(_ head: String, _ body: [String]) -> [String] {
      ["\(head) throws {"] + body.map { "  \($0)" } + ["}"]
    }

    private static func check(
      _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, _ properties: [Property],
      _ report: (Diagnostic) -> Void
    ) {
      if properties.isEmpty, !declaration.memberBlock.members.contains(where: { $0.decl.is(VariableDeclSyntax.self) }) {
        report(Misuse.noMembers.at(node))
      }
      for member in declaration.memberBlock.members {
        if let name = member.decl.codingName { report(Misuse.ownCoding(name).at(member.decl)) }
      }
      for property in properties {
        guard let mark = property.titleMark, let misuse = property.type.titleMisuse else { continue }
        report(misuse.at(mark))
      }
    }

    private static func kind(_ node: AttributeSyntax, _ report: (Diagnostic) -> Void) -> String? {
      guard let argument = node.labeledArguments.first(where: { $0.label == nil }),
        !argument.expression.is(NilLiteralExprSyntax.self)
      else { return nil }
      guard let kind = node.texts(report).first else { return nil }
      let isKind =
        (1...64).contains(kind.utf8.count) && kind.utf8.first.map(isLetter) == true
        && kind.utf8.allSatisfy { isLetter($0) || $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") }
      if !isKind { report(Misuse.notAKind.at(argument.expression)) }
      return kind
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

    private static func style(_ node: AttributeSyntax, _ report: (Diagnostic) -> Void) -> KeyStyle? {
      guard let argument = node.labeledArguments.first(where: { $0.label?.text == "keys" }),
        !argument.expression.is(NilLiteralExprSyntax.self)
      else { return nil }
      let name = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      guard let style = name.flatMap(KeyStyle.init(rawValue:)) else {
        report(Misuse.notAStyle.at(argument.expression))
        return nil
      }
      return style
    }
  }

  extension DeclSyntax {
    /// The member of the macro that this declaration replaces.
    fileprivate var codingName: String? {
      if let initializer = self.as(InitializerDeclSyntax.self) {
        let parameters = initializer.signature.parameterClause.parameters
        return parameters.count == 1 && parameters.first?.firstName.text == "from" ? "init(from:)" : nil
      }
      if let function = self.as(FunctionDeclSyntax.self), function.name.text == "encode" {
        let parameters = function.signature.parameterClause.parameters
        return parameters.count == 1 && parameters.first?.firstName.text == "to" ? "encode(to:)" : nil
      }
      return self.as(EnumDeclSyntax.self)?.name.text == "CodingKeys" ? "CodingKeys" : nil
    }
  }
#endif
