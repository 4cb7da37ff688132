#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// The Swift text of `init(from:)` and `encode(to:)` of a record, line by line.
  struct CodingText {
    private static let keys = "keyedBy: VaultDocument.AnyCodingKey.self"
    private(set) var lines: [String] = []
    private var objectCount = 0

    static func decoding(_ record: JSONObjectShape) -> [String] {
      var text = CodingText()
      text.lines.append("let record = try VaultDocument.SpelledMembers(decoder)")
      text.read(record, from: "record", isOptional: false)
      return text.lines
    }

    static func encoding(_ record: JSONObjectShape) -> [String] {
      var text = CodingText()
      text.lines.append("var record = encoder.container(\(keys))")
      text.write(record, to: "record", indentation: "")
      return text.lines
    }

    /// - Parameter isOptional: whether the container is nil if the JSON lacks the object.
    private mutating func read(_ object: JSONObjectShape, from container: String, isOptional: Bool) {
      let mark = isOptional ? "?" : ""
      for member in object.members {
        switch member {
        case .object(let inner):
          let name = nextName()
          let function = inner.isRequired ? "nested" : "nestedIfPresent"
          lines.append("let \(name) = try \(container)\(mark).\(function)(forKey: \(Self.text(inner.name)))")
          read(inner, from: name, isOptional: !inner.isRequired)
        case .property(let property, let key):
          let place = "self.\(property.name.text) = try \(container)\(mark)"
          let key = "forKey: \(Self.text(key))"
          if let wrapped = property.wrapped {
            lines.append("\(place).decodeIfPresent(\(wrapped).self, \(key))")
          } else if let initial = property.initial {
            lines.append("\(place).decodeIfPresent(\(property.type).self, \(key)) ?? \(initial)")
          } else {
            lines.append("\(place).decode(\(property.type).self, \(key))")
          }
        }
      }
    }

    private mutating func write(_ object: JSONObjectShape, to container: String, indentation: String) {
      for member in object.members {
        switch member {
        case .object(let inner):
          let name = nextName()
          let condition = Self.condition(inner)
          let inside = indentation + (condition == nil ? "" : "  ")
          if let condition { lines.append("\(indentation)if \(condition) {") }
          lines.append(
            "\(inside)var \(name) = \(container).nestedContainer(\(Self.keys), forKey: \(Self.text(inner.name)))")
          write(inner, to: name, indentation: inside)
          if condition != nil { lines.append("\(indentation)}") }
        case .property(let property, let key):
          let function = property.wrapped == nil ? "encode" : "encodeIfPresent"
          lines.append(
            "\(indentation)try \(container).\(function)(self.\(property.name.text), forKey: \(Self.text(key)))")
        }
      }
    }

    /// The condition to write an object; nil for always.
    private static func condition(_ object: JSONObjectShape) -> String? {
      let properties = object.properties
      guard properties.allSatisfy({ $0.wrapped != nil }) else { return nil }
      return properties.map { "self.\($0.name.text) != nil" }.joined(separator: " || ")
    }

    private mutating func nextName() -> String {
      objectCount += 1
      return "object\(objectCount)"
    }

    static func text(_ text: String) -> String { StringLiteralExprSyntax(content: text).description }
  }
#endif
