/// An address with an authority, `SCHEME://[USER@]HOST[:PORT][/PATH]`, taken apart (RFC 3986, section 3).
package struct WebAddress: Equatable, Sendable {
  /// In lower case.
  package let scheme: String
  /// The text before the `@`, unchanged, including a password.
  package let user: String?
  /// In lower case; an IPv6 address with its brackets.
  package let host: String
  /// Nil for the default port of the scheme.
  package let port: Int?
  /// The parts of the path that are not empty, unchanged; query and fragment are left out.
  package let segments: [String]

  /// Nil if the text is not such an address.
  package init?(parsing text: String) {
    guard let mark = text.ranges(of: "://").first else { return nil }
    scheme = text[..<mark.lowerBound].lowercased()
    let rest = text[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    user = authority.lastIndex(of: "@").map { String(authority[..<$0]) }
    // A colon within brackets belongs to the address.
    let afterBracket = place.lastIndex(of: "]") ?? place.startIndex
    let colon = place[afterBracket...].lastIndex(of: ":")
    host = place[..<(colon ?? place.endIndex)].lowercased()
    let digits = colon.map { place[place.index(after: $0)...] } ?? ""
    guard !scheme.isEmpty, scheme.utf8.allSatisfy({ $0 > 0x20 }), !host.isEmpty, !host.contains(where: \.isWhitespace),
      digits.isEmpty || digits.utf8.count <= 5 && digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 })
    else { return nil }
    let number = Int(digits)
    port = number == Self.ports[scheme] ? nil : number
    segments = rest[authority.endIndex...].prefix { !"?#".contains($0) }.split(separator: "/").map(String.init)
  }

  private static let ports = ["http": 80, "https": 443]
}
