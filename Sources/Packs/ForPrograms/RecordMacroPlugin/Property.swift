#if Macros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax

  struct Property {
    let name: TokenSyntax
    let type: TypeSyntax
    /// The type inside the optional; nil if the property is not optional.
    let wrapped: TypeSyntax?
    /// The default if the JSON lacks the property.
    let initial: ExprSyntax?
    /// The JSON name of `@Key`.
    let key: String?
    /// The enclosing objects in the JSON, the outermost first.
    let path: [String]
    let titleMark: AttributeSyntax?

    /// Whether every record has it.
    var isRequired: Bool { wrapped == nil && initial == nil }

    /// The stored properties of a type, in order. Faults go to `report`.
    static func all(of declaration: some DeclGroupSyntax, _ report: (Diagnostic) -> Void) -> [Property] {
      declaration.memberBlock.members.flatMap { member -> [Property] in
        guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isOfInstances else { return [] }
        return variable.bindings.filter(\.isStored).compactMap { Property($0, of: variable, report) }
      }
    }

    private init?(_ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, _ report: (Diagnostic) -> Void) {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
      name = pattern.identifier
      let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
      if isConstant, binding.initializer != nil {
        report(Misuse.constant(name.text).at(binding))
        return nil
      }
      if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
        report(Misuse.lazy(name.text).at(binding))
        return nil
      }
      guard let type = binding.typeAnnotation?.type.trimmed else {
        report(Misuse.noType(name.text).at(binding))
        return nil
      }
      self.type = type
      wrapped = type.wrapped
      // As in Codable, an optional without a default is nil if the JSON lacks it.
      initial = wrapped == nil ? binding.initializer?.value.trimmed : nil
      key = variable.attributes.mark("Key")?.texts(report).first
      path = variable.attributes.mark("Nested")?.texts(report) ?? []
      titleMark = variable.attributes.mark("Title")
    }
  }

  extension VariableDeclSyntax {
    /// Whether the property belongs to instances rather than to the type.
    var isOfInstances: Bool {
      !modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }
  }

  extension PatternBindingSyntax {
    /// Whether the property is stored, so that it has at most observers.
    var isStored: Bool {
      guard let block = accessorBlock else { return true }
      guard case .accessors(let accessors) = block.accessors else { return false }
      return accessors.allSatisfy {
        [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
      }
    }
  }

  extension AttributeListSyntax {
    /// The attribute of this name, with or without a module name.
    func mark(_ name: String) -> AttributeSyntax? {
      lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.attributeName.lastName == name }
    }
  }

  extension AttributeSyntax {
    var labeledArguments: [LabeledExprSyntax] {
      guard case .argumentList(let list)? = arguments else { return [] }
      return Array(list)
    }

    /// The unlabelled arguments, which must be string literals.
    func texts(_ report: (Diagnostic) -> Void) -> [String] {
      labeledArguments.filter { $0.label == nil }.compactMap { argument in
        guard let text = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
          report(Misuse.notALiteral.at(argument.expression))
          return nil
        }
        if text.isEmpty { report(Misuse.emptyName.at(argument.expression)) }
        return text
      }
    }
  }

  extension TypeSyntax {
    /// The last part of a name: `Sealed` of `VaultSealing.Sealed<Int>`.
    var lastName: String? {
      if let name = self.as(IdentifierTypeSyntax.self) { return name.name.text }
      return self.as(MemberTypeSyntax.self)?.name.text
    }

    private var genericArguments: GenericArgumentListSyntax? {
      (self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
        ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause)?.arguments
    }

    /// The type inside the optional; nil if this type is not optional.
    var wrapped: TypeSyntax? {
      if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
      if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
      guard lastName == "Optional", let argument = genericArguments?.first?.argument else { return nil }
      if case .type(let type) = argument { return type.trimmed }
      return nil
    }

    /// Why a property of this type cannot be a title; nil if it can, as far as is known.
    var titleMisuse: Misuse? {
      let type = wrapped ?? self
      if type.is(ArrayTypeSyntax.self) { return .noTitle("a list") }
      if type.is(DictionaryTypeSyntax.self) { return .noTitle("a map") }
      switch type.lastName {
      case "EncryptedCodableString", "Sealed": return .sealedTitle
      case "Bool", "Int", "Double", "Float", "Decimal", "Date", "Data", "Array", "Set", "Dictionary":
        return .noTitle("of type \(type.trimmedDescription)")
      default: return nil
      }
    }
  }
#endif
