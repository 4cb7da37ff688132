internal import VaultDocument
internal import VaultSealing

/// The sealed places of a description, and nothing else of it, because every record that is read is checked against
/// them.
final class SealMap: Sendable {
  enum Form: Sendable {
    case sealed(isText: Bool)
    /// Members that are sealed or contain a sealed value.
    case object([(name: String, map: SealMap)])
    /// An object with any names: its described members (nil if readable), and the rule for all others.
    case map([(name: String, map: SealMap?)], others: SealMap)
    case list(SealMap)
  }
  let form: Form

  /// Nil if nothing is sealed.
  init?(of value: ValueSchema) {
    guard !value.isSealed else {
      form = .sealed(isText: value.isText)
      return
    }
    switch value.form {
    case .object(let rule):
      let members = rule.members.map { (name: $0.name, map: SealMap(of: $0.value)) }
      let sealed = members.compactMap { member in member.map.map { (name: member.name, map: $0) } }
      if let others = rule.others.flatMap(SealMap.init(of:)) {
        form = .map(members, others: others)
      } else if !sealed.isEmpty {
        form = .object(sealed)
      } else {
        return nil
      }
    case .list(let rule):
      guard let items = SealMap(of: rule.items) else { return nil }
      form = .list(items)
    default: return nil
    }
  }

  /// The sealed places at a path and below it; nil if there are none of these.
  func part(at path: MemberPath) -> SealMap? {
    var map = self
    for component in path.components {
      guard let next = map.child(component) else { return nil }
      map = next
    }
    return map
  }

  /// Whether the token at a path holds JSON rather than text.
  func holdsJSON(at path: MemberPath) -> Bool {
    if case .sealed(let isText)? = part(at: path)?.form { !isText } else { false }
  }

  func child(_ component: MemberPath.Component) -> SealMap? {
    switch (form, component) {
    case (.object(let members), .member(let name)):
      members.first { $0.name.utf8.elementsEqual(name.utf8) }?.map
    case (.map(let members, let others), .member(let name)): Self.member(name, members: members, others: others)
    case (.list(let items), .index): items
    default: nil
    }
  }

  private static func member(
    _ name: String, members: [(name: String, map: SealMap?)], others: SealMap
  ) -> SealMap? {
    guard let described = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return others }
    return described.map
  }

  /// The steps, last one first, to the first place with clear text instead of a token.
  func clearText(in value: JSONValue) -> [MemberPath.Component]? {
    switch (form, value) {
    case (.sealed, .null): return nil
    case (.sealed, .string(let text)): return SealedToken.hasTokenShape(text) ? nil : []
    case (.sealed, _): return []
    case (.object(let members), .object(let object)):
      for member in members {
        guard let value = object[member.name], let found = member.map.clearText(in: value) else { continue }
        return found + [.member(member.name)]
      }
    case (.map(let members, let others), .object(let object)):
      for (name, value) in object {
        guard let found = Self.member(name, members: members, others: others)?.clearText(in: value) else { continue }
        return found + [.member(name)]
      }
    case (.list(let items), .array(let values)):
      for (index, value) in values.enumerated() {
        if let found = items.clearText(in: value) { return found + [.index(index)] }
      }
    default: break
    }
    return nil
  }

  /// The tree with each sealed value replaced by its text. Other values than text stay in sealed places.
  func opened(
    _ value: JSONValue, at path: MemberPath, in context: SealingContext
  ) throws(RecordError) -> JSONValue {
    switch (form, value) {
    case (.sealed(let isText), .string(let text)):
      do throws(SealingError) {
        let clear = try EncryptedCodableString(reading: text, in: context).reveal()
        return isText ? .string(clear) : (try? JSONParser.parse(Array(clear.utf8))) ?? .string(clear)
      } catch {
        throw RecordError(.sealing, error.reason, path: path.description, underlying: error)
      }
    case (.object, .object(let object)), (.map, .object(let object)):
      var opened = object
      for (name, value) in object {
        guard let part = child(.member(name)) else { continue }
        opened[name] = try part.opened(value, at: path.appending(name), in: context)
      }
      return .object(opened)
    case (.list(let items), .array(let values)):
      var opened: [JSONValue] = []
      for (index, value) in values.enumerated() {
        opened.append(try items.opened(value, at: path.appending(index), in: context))
      }
      return .array(opened)
    default: return value
    }
  }

  /// The results of `look` for the strings outside of sealed places, each with the steps to it, last one first.
  static func strings<Found>(
    in value: JSONValue, besides map: SealMap?, _ look: (String) -> Found?
  ) -> [(steps: [MemberPath.Component], found: Found)] {
    if case .sealed? = map?.form { return [] }
    var all: [(steps: [MemberPath.Component], found: Found)] = []
    func take(_ value: JSONValue, _ step: MemberPath.Component) {
      for (steps, found) in strings(in: value, besides: map?.child(step), look) { all.append((steps + [step], found)) }
    }
    switch value {
    case .string(let text): if let found = look(text) { all.append(([], found)) }
    case .array(let items): for (index, item) in items.enumerated() { take(item, .index(index)) }
    case .object(let object): for (name, value) in object { take(value, .member(name)) }
    case .null, .bool, .number: break
    }
    return all
  }
}
