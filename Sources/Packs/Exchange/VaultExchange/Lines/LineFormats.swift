internal import VaultDocument

extension LineImporter {
  // MARK: netrc

  static let netrc = LineImporter(
    format: ImportFormat(
      "netrc", title: "The .netrc of curl, git and ftp", versions: "machine, default, login, password, account, macdef",
      keeps: "each machine as a login, its account and macros as secrets"),
    names: [".netrc", "_netrc", "netrc"],
    matches: { NetrcText.begins($0) }, entries: { NetrcText.entries(of: $0) })

  // MARK: pgpass

  static let pgpass = LineImporter(
    format: ImportFormat(
      "pgpass", title: "The .pgpass of PostgreSQL", versions: "host:port:database:user:password",
      keeps: "each line as a record of the kind database"),
    names: [".pgpass", "pgpass.conf", "pgpass"], matches: { _ in false },
    entries: { text in
      text.lines.enumerated().compactMap { index, line in
        line.isEmpty || line.begins(with: "#") ? nil : pgpassEntry(line, index + 1)
      }
    })

  private static func pgpassEntry(_ line: Substring, _ number: Int) -> LineEntry {
    var (parts, current, isEscaped) = ([String](), [UInt8](), false)
    for byte in line.utf8 {
      // Further colons belong to the password.
      let isEnd = byte == UInt8(ascii: ":") && !isEscaped && parts.count < 4
      let isMark = byte == UInt8(ascii: "\\") && !isEscaped
      if isEnd {
        parts.append(String(decoding: current, as: UTF8.self))
        current = []
      } else if !isMark {
        current.append(byte)
      }
      isEscaped = isMark
    }
    parts.append(String(decoding: current, as: UTF8.self))
    guard parts.count == 5 else { return .faulty(number, "the line must have five parts, separated by colons") }
    var entry = LineEntry(line: number, kind: "database", known: [(.member("engine"), "postgresql")])
    entry.add("host", text: parts[0], rule: .member("host"))
    for (index, name) in ["port", "database", "user"].enumerated() {
      entry.add(name, text: parts[index + 1], rule: .unlessAny(.member(name)))
    }
    entry.add("password", text: parts[4], rule: .password)
    let user = parts[3] == "*" ? "" : parts[3] + "@"
    entry.known.append((.member("title"), user + parts[0] + (parts[2] == "*" ? "" : "/" + parts[2])))
    return entry
  }

  // MARK: git

  static let gitCredentials = LineImporter(
    format: ImportFormat(
      "git-credentials", title: "The .git-credentials of git", versions: "what `git credential-store` writes",
      keeps: "each address as a login"),
    names: [".git-credentials", "git-credentials"],
    matches: { text in
      let lines = text.lines.filter { !$0.trimmingSpaces.isEmpty }
      return !lines.isEmpty && lines.prefix(20).allSatisfy { gitParts($0) != nil }
    },
    entries: { text in
      text.lines.enumerated().compactMap { index, line in
        guard !line.trimmingSpaces.isEmpty else { return nil }
        guard let parts = gitParts(line) else {
          return .faulty(index + 1, "the line is not an address with a user name")
        }
        var entry = LineEntry(line: index + 1)
        entry.known = [
          (.member("title"), PercentEncoding.text(of: parts.place) ?? String(parts.place)),
          (.member("username"), parts.user),
          (.member("password"), parts.password),
        ]
        entry.add("", text: String(line), rule: .gitAddress)
        return entry
      }
    })

  /// Splits `https://USER:PASSWORD@HOST/PATH`, which is percent-encoded.
  fileprivate static func gitParts(
    _ line: Substring
  ) -> (scheme: Substring, place: Substring, user: String, password: String)? {
    guard let pair = line.trimmingSpaces.pair(separatedBy: "://"), !pair.before.isEmpty,
      pair.before.utf8.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 == UInt8(ascii: "+") }),
      let sides = pair.behind.pair(separatedBy: "@"), !sides.behind.isEmpty, !sides.before.holds("/"),
      let names = sides.before.pair(separatedBy: ":"), let user = PercentEncoding.text(of: names.before),
      let password = PercentEncoding.text(of: names.behind)
    else { return nil }
    return (pair.before, sides.behind, user, password)
  }

  // MARK: Sections

  static let aws = LineImporter(
    format: ImportFormat(
      "aws-credentials", title: "The credentials file of AWS", versions: "profiles with aws_access_key_id",
      keeps: "each profile as a record of the kind api-key; session tokens sealed"),
    names: [],
    matches: { text in
      SectionText.sections(of: text, .python).contains { $0.values.contains { isAWS($0.name) } }
    },
    entries: { text in SectionText.sections(of: text, .python).map(profile) })

  @Sendable private static func isAWS(_ name: String) -> Bool {
    ["aws_access_key_id", "aws_secret_access_key"].contains(name.lowercased())
  }

  @Sendable private static func profile(_ section: SectionText.Section) -> LineEntry {
    let name = section.name.begins(with: "profile ") ? String(section.name.dropFirst(8)) : section.name
    let rules: [String: LeafRule] = [
      "aws_access_key_id": .member("key_id"), "aws_secret_access_key": .member("secret"),
      "aws_session_token": .secret("session_token"), "region": .field("region"), "output": .setting,
    ]
    var entry = section.entry("api-key", title: name.isEmpty ? "default" : name) { rules[$0] ?? .secret($0) }
    entry.known.append((.member("issuer"), "AWS"))
    return entry
  }

  static let pypirc = LineImporter(
    format: ImportFormat(
      "pypirc", title: "The .pypirc of Python's packagers", versions: "sections with username and password",
      keeps: "each server as a login; the list of servers is left out"),
    names: [".pypirc", "pypirc"],
    matches: { text in
      SectionText.sections(of: text, .python).contains { $0.name == "distutils" || $0.name == "pypi" }
    },
    entries: { text in
      let rules: [String: LeafRule] = [
        "username": .username, "password": .password, "repository": .url, "index-servers": .setting,
      ]
      return SectionText.sections(of: text, .python).map { section in
        var entry = section.entry("login", title: section.name) { rules[$0] ?? .secret($0) }
        if section.name == "distutils" { (entry.fault, entry.isSetting) = (LineEntry.setting, true) }
        return entry
      }
    })

  // MARK: npm

  static let npmrc = LineImporter(
    format: ImportFormat(
      "npmrc", title: "The .npmrc of npm", versions: "tokens and passwords of registries",
      keeps: "a token as a record of the kind api-key, a user name with its password as a login; settings are left out"),
    names: [".npmrc", "npmrc"],
    matches: { text in
      SectionText.sections(of: text, .npm).contains { section in
        section.values.contains { $0.name.begins(with: "//") && $0.name.holds(":_") }
      }
    },
    entries: { NpmText.entries(of: $0) })
}

extension LeafRule {
  /// Stores the address of a server, without its credentials.
  fileprivate static let gitAddress = LeafRule { builder, text, place in
    guard let parts = LineImporter.gitParts(text[...]) else { return secret("url").apply(&builder, text, place) }
    builder.add("\(parts.scheme)://\(parts.place)", .list("urls"), as: "url")
    builder.note(place, .mapped(to: "."))
  }
}

/// Registries and their credentials.
private enum NpmText {
  static func entries(of text: String) -> [LineEntry] {
    var (entries, order): ([String: LineEntry], [String]) = ([:], [])
    var others: [LineEntry] = []
    for section in SectionText.sections(of: text, .npm) {
      others += section.faults.map { .faulty($0, "the line has no equals sign") }
      for value in section.values {
        let (place, name) = split(value.name)
        guard let rule = rules[name] else {
          others.append(LineEntry(line: value.line, fault: LineEntry.setting, isSetting: true))
          continue
        }
        guard let text = plain(value.text) else {
          others.append(LineEntry(line: value.line, fault: "the value is a variable, whose content is not in the file"))
          continue
        }
        if entries[place] == nil {
          order.append(place)
          entries[place] = LineEntry(line: value.line, known: [(.member("title"), place.isEmpty ? "npm" : place)])
          if !place.isEmpty { entries[place]?.known.append((.list("urls"), "https://\(place)")) }
        }
        let isToken = name == "_authToken"
        if isToken {
          entries[place]?.kind = "api-key"
          entries[place]?.known.append((.member("issuer"), "npm"))
        }
        entries[place]?.add(name, text: text, rule: rule, at: value.line)
      }
    }
    return order.compactMap { entries[$0] } + others
  }

  private static let rules: [String: LeafRule] = [
    "_authToken": .member("secret"), "_password": .encodedPassword, "_auth": .basic, "username": .username,
    "email": .field("email"),
  ]

  /// Splits `//registry.example/path/:_authToken` into the registry and the name.
  private static func split(_ key: String) -> (place: String, name: String) {
    guard key.begins(with: "//"), let colon = key.lastIndex(of: ":") else { return ("", key) }
    let place = key[..<colon].dropFirst(2)
    return (String(place.ends(with: "/") ? place.dropLast() : place), String(key[key.index(after: colon)...]))
  }

  /// A value as npm reads it: JSON in quotes, or text up to a comment, in which `\` escapes the comment sign. Nil if
  /// the value refers to a variable.
  private static func plain(_ text: String) -> String? {
    let isQuoted = ["\"", "'"].contains { text.utf8.count > 1 && text.begins(with: $0) && text.ends(with: $0) }
    let inner = text.begins(with: "'") ? String(Substring(text.utf8.dropFirst().dropLast())) : text
    let json = isQuoted ? (try? JSONReading.value(of: Array(inner.utf8)))?.leafText : nil
    return withoutVariables(isQuoted ? json ?? inner : withoutComment(text))
  }

  private static func withoutComment(_ text: String) -> String {
    var (result, isEscaped): ([UInt8], Bool) = ([], false)
    for byte in text.utf8 {
      let isMark = "\\;#".utf8.contains(byte)
      if isEscaped, !isMark { result.append(UInt8(ascii: "\\")) }
      if !isEscaped, isMark {
        guard byte == UInt8(ascii: "\\") else { break }
        isEscaped = true
        continue
      }
      isEscaped = false
      result.append(byte)
    }
    if isEscaped { result.append(UInt8(ascii: "\\")) }
    return String(String(decoding: result, as: UTF8.self).trimmingSpaces)
  }

  /// The text without backslashes before `${NAME}`, which npm removes. Nil if `${NAME}` refers to a variable.
  private static func withoutVariables(_ text: String) -> String? {
    var (result, rest) = ("", text[...])
    while let pair = rest.pair(separatedBy: "${") {
      rest = pair.behind
      let isName = rest.pair(separatedBy: "}").map { !$0.before.isEmpty && !$0.before.holds("{") } ?? false
      guard !isName || pair.before.ends(with: "\\") else { return nil }
      result += (isName ? Substring(pair.before.utf8.dropLast()) : pair.before) + "${"
    }
    return result + rest
  }
}

extension LeafRule {
  fileprivate static let encodedPassword = LeafRule { builder, text, place in
    let plain = (try? Base64.decode(text)).flatMap { String(validating: $0, as: UTF8.self) }
    builder.put(plain ?? text, .member("password"), from: place, converted: plain != nil)
  }

  /// Reads a user name and a password in base64.
  fileprivate static let basic = LeafRule { builder, text, place in
    let plain = (try? Base64.decode(text)).flatMap { String(validating: $0, as: UTF8.self) }
    guard let pair = plain?.pair(separatedBy: ":") else { return secret("_auth").apply(&builder, text, place) }
    builder.add(String(pair.before), .member("username"), as: "username")
    builder.add(String(pair.behind), .member("password"), as: "password")
    builder.note(place, .mapped(to: "password"))
  }
}
