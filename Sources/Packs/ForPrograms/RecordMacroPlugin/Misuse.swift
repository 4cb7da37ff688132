#if Macros
  package import SwiftDiagnostics
  import SwiftSyntax

  package enum Misuse: DiagnosticMessage {
    case notAStruct
    case noMembers
    case ownCoding(String)
    case notAKind
    case notALiteral
    case notAStyle
    case noType(String)
    case constant(String)
    case lazy(String)
    case sealedTitle
    case noTitle(String)
    case reserved
    case emptyName
    case twice(String)
    case elsewhere(String)

    package var message: String {
      switch self {
      case .notAStruct: "@VaultRecord can be used only on a struct"
      case .noMembers: "a record needs at least one stored property"
      case .ownCoding(let name): "@VaultRecord also writes `\(name)`: remove one of the two"
      case .notAKind:
        "the name of a kind must begin with a small letter, and have only small letters, digits and hyphens, at most 64 in all"
      case .notALiteral: "this must be a string literal without interpolation"
      case .notAStyle: "this must be .snake, .camel or .kebab"
      case .noType(let name): "the type of `\(name)` must be written, because a macro does not see inferred types"
      case .constant(let name):
        "`\(name)` is a constant with a value, which cannot be decoded: make it `var` or `static`"
      case .lazy(let name): "`\(name)` is lazy, and cannot be encoded: make it a plain property"
      case .sealedTitle: "everybody who has the file can read a title, so a secret cannot be one"
      case .noTitle(let type): "a title must be text, and this is \(type)"
      case .reserved: "the name `$vault` is reserved for the vault"
      case .emptyName: "a name in JSON must not be empty"
      case .twice(let name): "one object has two members `\(name)`: rename one of them with @Key"
      case .elsewhere(let mark): "@\(mark) can be used only on stored properties of a struct with @VaultRecord"
      }
    }

    package var diagnosticID: MessageID { MessageID(domain: "VaultRecordMacros", id: message) }
    package var severity: DiagnosticSeverity { .error }

    func at(_ node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: Syntax(node), message: self) }
  }
#endif
