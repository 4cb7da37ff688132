/// A value with one form in our own documents: those of `--json`, the messages of the agent, and small files.
package protocol DocumentValue {
  /// The value as JSON.
  var document: JSONValue { get }
}

/// A value that can also be read from our own documents.
package protocol DocumentReadable: DocumentValue {
  /// Nil if the JSON does not have the form.
  init?(document: JSONValue)
}

extension JSONValue {
  /// An object; the names are written in source code and differ.
  package static func members(_ members: KeyValuePairs<String, any DocumentValue>) -> JSONValue {
    .object(JSONObject(members: members))
  }
}

extension JSONObject {
  /// The members of one of our own documents.
  package init(members: KeyValuePairs<String, any DocumentValue>) {
    self.init()
    for (name, value) in members { self[name] = value.document }
  }

  /// The members of one of our own documents, without those that are null.
  package init(present members: KeyValuePairs<String, any DocumentValue>) {
    self.init()
    for (name, value) in members {
      let document = value.document
      if !document.isNull { self[name] = document }
    }
  }

  /// The member of that name; nil if it is missing or does not have the form.
  package func read<Value: DocumentReadable>(_ name: String) -> Value? { self[name].flatMap(Value.init(document:)) }

  /// Reads a member that may be missing, but must not be null. The outer nil is a refusal, the inner a missing
  /// member.
  package func readIfPresent<Value: DocumentReadable>(_ name: String) -> Value?? {
    guard let value = self[name] else { return .some(nil) }
    guard let read = Value(document: value) else { return nil }
    return .some(read)
  }
}

extension JSONValue: DocumentReadable {
  package var document: JSONValue { self }
  package init?(document: JSONValue) { self = document }
}

extension JSONObject: DocumentReadable {
  package var document: JSONValue { .object(self) }
  package init?(document: JSONValue) {
    guard let object = document.object else { return nil }
    self = object
  }
}

extension String: DocumentReadable {
  package var document: JSONValue { .string(self) }
  package init?(document: JSONValue) {
    guard let text = document.string else { return nil }
    self = text
  }
}

extension Bool: DocumentReadable {
  package var document: JSONValue { .bool(self) }
  package init?(document: JSONValue) {
    guard let flag = document.bool else { return nil }
    self = flag
  }
}

extension Int: DocumentReadable {
  package var document: JSONValue { .number(JSONNumber(self)) }
  package init?(document: JSONValue) {
    guard let number = document.int else { return nil }
    self = number
  }
}

extension Timestamp: DocumentReadable {
  package var document: JSONValue { .string(text) }
  package init?(document: JSONValue) {
    guard let text = document.string, let time = try? Timestamp(parsing: text) else { return nil }
    self = time
  }
}

extension Identifier: DocumentReadable {
  package var document: JSONValue { .string(text) }
  package init?(document: JSONValue) {
    guard let id = document.string.flatMap(Identifier.init(parsing:)) else { return nil }
    self = id
  }
}

extension Array: DocumentValue where Element: DocumentValue {
  package var document: JSONValue { .array(map(\.document)) }
}

extension Array: DocumentReadable where Element: DocumentReadable {
  package init?(document: JSONValue) {
    guard let items = document.array else { return nil }
    self = items.compactMap(Element.init(document:))
    guard count == items.count else { return nil }
  }
}

extension Optional: DocumentValue where Wrapped: DocumentValue {
  package var document: JSONValue { self?.document ?? .null }
}

extension Optional: DocumentReadable where Wrapped: DocumentReadable {
  package init?(document: JSONValue) {
    self = Wrapped(document: document)
    guard self != nil || document.isNull else { return nil }
  }
}

extension RawRepresentable where RawValue == String, Self: DocumentReadable {
  package var document: JSONValue { .string(rawValue) }
  package init?(document: JSONValue) {
    guard let value = document.string.flatMap(Self.init(rawValue:)) else { return nil }
    self = value
  }
}
