#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import VaultDocument

  /// An object of the JSON: properties of the struct, and inner objects.
  final class JSONObjectShape {
    enum Member {
      case property(Property, key: String)
      case object(JSONObjectShape)
    }

    /// The name in the outer object; empty for the whole record.
    let name: String
    private(set) var members: [Member] = []
    private var keys: Set<String> = []

    private init(_ name: String) { self.name = name }

    /// The whole record.
    ///
    /// - Parameter style: the style of names without `@Key`.
    init(_ properties: [Property], _ style: KeyStyle?, _ report: (Diagnostic) -> Void) {
      name = ""
      for property in properties {
        let plain = property.name.text.filter { $0 != "`" }
        let key = property.key ?? style?.name(for: plain) ?? plain
        var object = self
        for name in property.path { object = object.object(name, for: property, report) }
        object.take(key, for: property, report)
        object.members.append(.property(property, key: key))
        if let first = property.path.first ?? Optional(key), first == "$vault" {
          report(Misuse.reserved.at(property.name))
        }
      }
    }

    /// The inner object of a name, which is made if needed.
    private func object(_ name: String, for property: Property, _ report: (Diagnostic) -> Void) -> JSONObjectShape {
      for case .object(let object) in members where object.name == name { return object }
      take(name, for: property, report)
      let object = JSONObjectShape(name)
      members.append(.object(object))
      return object
    }

    private func take(_ key: String, for property: Property, _ report: (Diagnostic) -> Void) {
      if !keys.insert(key).inserted { report(Misuse.twice(key).at(property.name)) }
    }

    /// All properties in it, at any depth.
    var properties: [Property] {
      members.flatMap { member in
        switch member {
        case .property(let property, _): [property]
        case .object(let object): object.properties
        }
      }
    }

    /// Whether every record has it.
    var isRequired: Bool { properties.contains(where: \.isRequired) }

    /// The paths of the title properties, as `MemberPath` writes them.
    func titlePaths(below path: MemberPath = .root) -> [String] {
      members.flatMap { member -> [String] in
        switch member {
        case .property(let property, let key): property.titleMark == nil ? [] : [path.appending(key).description]
        case .object(let object): object.titlePaths(below: path.appending(object.name))
        }
      }
    }
  }
#endif
