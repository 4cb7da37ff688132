internal import VaultRecords

/// Decides whether the first row of an unknown table is its header.
///
/// Column names become names of secrets, which are readable without a key. So a row is a header only if its cells look
/// like names and the rows below do not contradict it.
struct TableHeader {
  private let names: [String]
  /// The columns that the user has mapped, in lower case. A user who maps columns has seen a header.
  private let mapped: Set<String>

  init(_ cells: [String], mapped: Set<String> = []) {
    names = cells.map { $0.trimmingSpaces.lowercased() }
    self.mapped = mapped
  }

  /// - Parameters:
  ///   - isKnown: whether the importer knows a name, given in lower case.
  ///   - rows: some of the rows below.
  func isHeader(above rows: some Sequence<CSVRow>, isKnown: (String) -> Bool) -> Bool {
    if !mapped.isEmpty, mapped.isSubset(of: names) { return true }
    let filled = names.filter { !$0.isEmpty }
    let known = names.indices.filter { isKnown(names[$0]) }
    guard !known.isEmpty, !filled.contains(where: { !isKnown($0) && Self.isValue($0) }) else { return false }
    let nameCount = filled.count { isKnown($0) || Self.hasUsualWord($0) }
    guard nameCount * 2 >= filled.count else { return false }
    // A password may be the word "password", if nothing else is doubtful.
    return nameCount == filled.count
      || !rows.contains { row in repeats(known, in: row.cells.map { $0.trimmingSpaces.lowercased() }) }
  }

  /// Whether a row repeats a known name in the same column, or two of them anywhere. Then the names are values.
  private func repeats(_ known: [Int], in cells: [String]) -> Bool {
    if known.contains(where: { $0 < cells.count && cells[$0] == names[$0] }) { return true }
    let cells = Set(cells)
    return Set(known.map { names[$0] }).count(where: cells.contains) >= 2
  }

  /// Whether a text looks like a value rather than a name.
  static func isValue(_ text: String) -> Bool {
    if text.utf8.count > 64 || text.contains("://") || SecretAddress(in: text) != nil { return true }
    let scalars = text.unicodeScalars
    if scalars.contains(where: { $0.value < 0x20 || "!$%^*~<>\\@".unicodeScalars.contains($0) }) { return true }
    let digits = scalars.count { ("0"..."9").contains($0) }
    if digits >= 4 || digits > 0 && !scalars.contains(where: \.properties.isAlphabetic) { return true }
    return hasInnerDigit(text)
  }

  /// Whether a digit is between letters, as in `s3cret`. Well-known names with digits do not count.
  private static func hasInnerDigit(_ text: String) -> Bool {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { word in
      let scalars = Array(word.unicodeScalars)
      return !wordsWithDigits.contains(String(word))
        && scalars.indices.dropFirst().dropLast().contains { index in
          ("0"..."9").contains(scalars[index]) && scalars[index - 1].properties.isAlphabetic
            && scalars[index + 1].properties.isAlphabetic
        }
    }
  }

  private static let wordsWithDigits: Set<String> = [
    "oauth2", "ipv4", "ipv6", "md5", "sha1", "sha2", "base32", "base64", "s3", "ec2", "x509", "utf8", "p12", "b2b",
    "k8s", "i18n", "web2", "2fa",
  ]

  private static func hasUsualWord(_ name: String) -> Bool {
    SecretName.isSecret(name)
      || name.split { !$0.isLetter && !$0.isNumber }.contains { usualWords.contains(String($0.filter(\.isLetter))) }
  }

  private static let usualWords: Set<String> = [
    "account", "address", "age", "algorithm", "api", "app", "application", "bank", "birthday", "brand", "bucket",
    "cardholder", "category", "city", "client", "code", "codes", "column", "comment", "comments", "company", "contact",
    "country", "created", "custom", "customer", "data", "database", "date", "day", "description", "device", "digits",
    "display", "domain", "email", "endpoint", "engine", "entry", "env", "environment", "expiration", "expires",
    "expiry", "favorite", "favourite", "field", "file", "first", "flag", "folder", "group", "hidden", "history",
    "holder", "host", "hostname", "hotp", "icon", "id", "identifier", "identity", "image", "index", "info", "interval",
    "ip", "issuer", "item", "kind", "label", "last", "license", "line", "link", "location", "login", "mail", "method",
    "mobile", "modified", "month", "name", "nickname", "no", "note", "notes", "number", "office", "order", "org",
    "organization", "owner", "path", "period", "person", "phone", "place", "policy", "port", "postal", "product",
    "project", "protocol", "provider", "question", "recovery", "region", "remark", "role", "routing", "scope", "score",
    "section", "server", "service", "shop", "site", "ssid", "state", "status", "store", "street", "strength", "surname",
    "system", "tag", "tags", "team", "tenant", "text", "thumbnail", "time", "title", "type", "updated", "uri", "url",
    "urls", "usage", "used", "user", "username", "uuid", "value", "vault", "version", "web", "website", "year", "zip",
  ]
}
