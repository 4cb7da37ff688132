internal import VaultDocument

package struct PostgresHost: Hashable, Sendable {
  /// A name or IP address in lower case, IPv6 without brackets; for a socket its folder, or `@` and an abstract name.
  package let name: String
  /// The port; 5432 by default.
  package let port: Int

  /// Whether nobody between here and the server could listen: a socket, a loopback address, or `localhost`.
  ///
  /// Other names, such as `127.example`, may lead anywhere.
  package var isLocal: Bool { isSocket || name == "localhost" || name == "::1" || Self.isLoopback(name) }

  /// Whether it is a socket of this machine, by libpq's rule.
  var isSocket: Bool { name.hasPrefix("/") || name.hasPrefix("@") }

  /// 127.0.0.0/8 as four numbers; programs disagree about other spellings.
  private static func isLoopback(_ name: String) -> Bool {
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127"
      && numbers.allSatisfy { text in UInt8(text).map { String($0) == text } ?? false }
  }

  /// An IP address to which a connection was made.
  init(literal: String) { (name, port) = (literal, 5432) }

  /// The hosts of an address.
  ///
  /// - Parameters:
  ///   - text: `HOST[:PORT][,HOST[:PORT]]…` in the address.
  ///   - setting: hosts that replace those, without ports and separated by commas.
  static func list(
    _ text: Substring, instead setting: String?
  ) throws(TextFault) -> [PostgresHost] {
    let written = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      part throws(TextFault) in try PostgresHost(part)
    }
    guard let setting else { return written }
    guard written.count == 1 else {
      throw TextFault("has several hosts, and others again in host=")
    }
    return try setting.split(separator: ",", omittingEmptySubsequences: false).map {
      part throws(TextFault) in try PostgresHost(name: String(part), port: written[0].port)
    }
  }

  /// - Parameter part: `HOST[:PORT]` in an address; IPv6 in brackets.
  private init(_ part: Substring) throws(TextFault) {
    let bracket = part.first == "[" ? part.lastIndex(of: "]") : nil
    let name = part[..<(bracket.map { part.index(after: $0) } ?? part.firstIndex(of: ":") ?? part.endIndex)]
    let rest = part[name.endIndex...]
    let literal = bracket == nil ? name : name.dropFirst().dropLast()
    let isBracketed = bracket != nil
    guard let decoded = PercentEncoding.text(of: literal), !isBracketed || decoded.contains(":"),
      rest.isEmpty || rest.first == ":", let port = Self.port(rest.dropFirst())
    else {
      throw TextFault("has a host or a port that cannot be read; write IPv6 addresses in brackets")
    }
    try self.init(name: decoded, port: port)
  }

  private init(name: String, port: Int) throws(TextFault) {
    let isSocket = name.hasPrefix("/") || name.hasPrefix("@")
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !name.contains(","),
      isSocket || Self.isNameOrLiteral(name)
    else {
      throw TextFault("has an empty host, or a host that is not a name")
    }
    (self.name, self.port) = (isSocket ? name : name.lowercased(), port)
  }

  /// Only IPv6 has colons, and only its zone has a percent sign.
  private static func isNameOrLiteral(_ name: String) -> Bool {
    guard name.contains(":") else { return !name.contains { "/?#@[]%=&\\\"'".contains($0) } }
    return name.prefix { $0 != "%" }.utf8.allSatisfy {
      $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || Hex.value(ofDigit: $0) != nil
    }
  }

  /// Nil if the text is not a port; the default port if it is empty.
  private static func port(_ text: Substring) -> Int? {
    if text.isEmpty { return 5432 }
    guard text.utf8.count <= 5, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return Int(text).flatMap { (1...65535).contains($0) ? $0 : nil }
  }
}
