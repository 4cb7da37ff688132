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
      case .notAStruct: "@VaultRecord is for structs"
      case .noMembers: "a record has members: there is no stored property here"
      case .ownCoding(let name): "@VaultRecord writes `\(name)`: take one of both away"
      case .notAKind:
        "the name of a kind has small letters, digits and hyphens, a letter first, and 64 characters at most"
      case .notALiteral: "this has to be a text in quotes, without interpolation"
      case .notAStyle: "this has to be .snake, .camel or .kebab"
      case .noType(let name): "the type of `\(name)` has to be written: a macro does not see what is inferred"
      case .constant(let name): "`\(name)` is a constant with a value and could not be read: make it `var`, or `static`"
      case .lazy(let name): "`\(name)` is lazy and could not be written: make it a plain property"
      case .sealedTitle: "a title is readable by everybody who has the file, and this is a secret"
      case .noTitle(let type): "a title is a text, and this is \(type)"
      case .reserved: "`$vault` belongs to the vault"
      case .emptyName: "a name in JSON is not empty"
      case .twice(let name): "there are two members `\(name)` in one object: give one another name with @Key"
      case .elsewhere(let mark): "@\(mark) is for the stored properties of a struct with @VaultRecord"
      }
    }

    package var diagnosticID: MessageID { MessageID(domain: "VaultRecordMacros", id: message) }
    package var severity: DiagnosticSeverity { .error }

    func at(_ node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: Syntax(node), message: self) }
  }
#endif
