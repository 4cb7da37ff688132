internal import VaultDocument
internal import VaultRecords

/// The kind and the mappings that the user has given for a source without a meaning of its own.
struct FieldRules {
  private let kind: RecordKind?
  /// The kinds of entries that name their kind.
  let own: VaultKinds
  private let mapped: [String: LeafRule]
  private let shape: KindShape

  init(_ options: ImportOptions) throws(ExchangeError) {
    kind = options.kind
    own = VaultKinds(options)
    guard let kind = options.kind ?? KindCatalog.builtIn["login"] else {
      preconditionFailure("login is a kind of this program")
    }
    shape = KindShape(kind)
    mapped = try Self.rules(for: options.mappings, in: shape, of: kind) { $0 }
  }

  /// The rules of the mappings, by the keys of their sources.
  static func rules(
    for mappings: [FieldMapping], in shape: KindShape, of kind: RecordKind, by key: (String) -> String
  ) throws(ExchangeError) -> [String: LeafRule] {
    var rules: [String: LeafRule] = [:]
    var fields: Set<String> = []
    for mapping in mappings {
      guard let rule = rule(forPath: mapping.field, in: shape) else {
        throw ExchangeError(.invalidMapping, ofMapping: "the kind \(kind.name) has no field \"\(mapping.field)\"")
      }
      // Lists take several sources.
      guard fields.insert(mapping.field).inserted || ["tags", "urls"].contains(mapping.field) else {
        throw ExchangeError(.invalidMapping, ofMapping: "\(mapping.field) is mapped twice")
      }
      guard rules.updateValue(rule, forKey: key(mapping.source)) == nil else {
        throw ExchangeError(.invalidMapping, ofMapping: "\"\(mapping.source)\" is mapped twice")
      }
    }
    return rules
  }

  /// Whether common names have the meaning that they have for logins.
  var hasUsualNames: Bool { kind == nil || kind?.name == "login" }

  /// The rule that the user has given for a source; nil for an unmapped source.
  func rule(for source: String) -> LeafRule? { mapped[source] }

  /// The rule for a source named like a member of the kind; nil if there is no such member.
  ///
  /// A readable custom name counts only in a file of our own, or if the name is harmless, because many programs call
  /// everything `fields`.
  func rule(named source: String, isOurs: Bool) -> LeafRule? {
    Self.rule(named: source, isOurs: isOurs, in: shape)
  }

  static func rule(named source: String, isOurs: Bool, in shape: KindShape) -> LeafRule? {
    guard let path = try? MemberPath(parsing: source), let rule = rule(forPath: source, in: shape) else { return nil }
    guard case (.member("fields")?, .member(let name)?) = (path.components.first, path.components.last),
      path.components.count == 2, !isOurs || SecretName.isSecret(name), !harmless.contains(name.lowercased())
    else { return rule }
    return .secret(name)
  }

  /// Names of readable values that importers write, and that mean the same in any file.
  private static let harmless: Set<String> = [
    "created", "modified", "last_used", "accessed", "password changed", "password_changed", "archived", "deleted",
    ExternalID.fieldName, "type", "category",
  ]

  /// Whether the file contains only names of the chosen kind, apart from the name of the kind itself.
  func isOurs(_ names: some Sequence<String>) -> Bool { kind != nil && shape.hasAll(names) }

  /// The record, of the chosen kind or of the kind that fits the values.
  func record(_ builder: inout RecordBuilder, fallback: String) throws(ExchangeError) -> ImportedRecord {
    if let kind { return try builder.record(of: kind) }
    return try builder.record(kind: mapped.isEmpty ? fallback : "login")
  }

  /// The rule for a member path; nil if the kind has no such member.
  static func rule(forPath text: String, in shape: KindShape) -> LeafRule? {
    guard let path = try? MemberPath(parsing: text), case .member(let first)? = path.components.first else {
      return nil
    }
    switch (first, path.components.count, path.components.last) {
    case ("fields", 2, .member(let name)?): return .field(name)
    case ("secrets", 2, .member(let name)?), ("extra", 2, .member(let name)?): return .secret(name)
    case ("tags", 2, .index?), ("urls", 2, .index?):
      return LeafRule { builder, text, place in builder.put(text, .list(first), from: place) }
    case ("tags", 1, _): return .list("tags", separatedBy: ",")
    case ("urls", 1, _): return .url
    case ("notes", 1, _): return .notes
    default: return shape.hasMember(at: path) ? .member(text) : nil
    }
  }
}

extension LeafRule {
  /// The meaning of a common name, compared by letters and digits: `Display Name`, `display_name` and `displayName` are
  /// equal. Nil for any other name.
  static func usual(_ name: String) -> LeafRule? { usualByLetters[letters(of: name)] }

  private static func letters(of name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  private static let usualByLetters = Dictionary(
    usualNames.map { (letters(of: $0.key), $0.value) }, uniquingKeysWith: { first, _ in first })

  private static let usualNames: KeyValuePairs<String, LeafRule> = [
    "title": .title, "name": .title, "account": .title, "username": .username, "user name": .username,
    "user": .username, "login": .username, "login name": .username, "password": .password, "pass": .password,
    "pwd": .password, "url": .url, "website": .url, "web site": .url, "site": .url, "link": .url, "uri": .url,
    "notes": .notes, "note": .notes, "comments": .notes, "comment": .notes, "totp": .totp, "otp": .totp,
    "otpauth": .totp, "email": .field("email"), "e-mail": .field("email"), "folder": .folder(), "group": .folder(),
    "tags": .list("tags", separatedBy: ","), "favorite": .flag("favorite"), "type": .field("type"),
    "created": .field("created"), "modified": .field("modified"), "label": .otherTitle, "entry name": .otherTitle,
    "display name": .otherTitle, "item name": .otherTitle, "service": .otherTitle, "service name": .otherTitle,
    "service url": .url, "site url": .url, "login url": .url, "hostname": .url, "host name": .url, "domain": .url,
    "current password": .password, "login password": .password, "login username": .username, "user id": .username,
    "userid": .username, "two-factor secret": .totp, "two factor secret": .totp, "2fa secret": .totp,
    "totp secret": .totp, "otp secret": .totp, "card number": .card("number"), "cvv": .card("security_code"),
    "cvc": .card("security_code"), "name on card": .card("holder"), "cardholder": .card("holder"),
    "cardholder name": .card("holder"), "secret name": .otherTitle, "password name": .otherTitle,
    "entry title": .otherTitle, "record name": .otherTitle, "account name": .otherTitle, "totp key": .totp,
    "otp key": .totp, "2fa key": .totp, "authenticator key": .totp, "otp url": .totp, "totp url": .totp,
    "login totp": .totp, "secret url": .url, "password url": .url, "web address": .url, "website url": .url,
    "website address": .url, "user password": .password, "account password": .password,
    "user login": .username, "account username": .username,
  ]

  /// A name of the entry. If a title names the entry already, the value may be anything and is sealed.
  private static let otherTitle = LeafRule { builder, text, place in
    guard builder.text("title") != nil else { return title.apply(&builder, text, place) }
    secret(builder.ownName(.secret("label"), at: place)).apply(&builder, text, place)
  }
}
