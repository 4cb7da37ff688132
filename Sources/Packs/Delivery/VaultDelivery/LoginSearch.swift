internal import VaultDocument
package import VaultKit
internal import VaultRecords

/// The target of a login.
package struct LoginPlace: Sendable {
  let address: WebAddress
  let username: String?
  /// Whether the path is compared. Some programs never send a path.
  let hasPath: Bool

  /// Makes a place; nil if the text is not an address, or if a server may read the path differently.
  ///
  /// - Parameters:
  ///   - address: with a scheme.
  ///   - username: nil if the program does not give one.
  package init?(_ address: String, username: String? = nil, hasPath: Bool = true) {
    guard let address = WebAddress(parsing: address), !address.segments.contains(where: Self.mayLeave) else {
      return nil
    }
    (self.address, self.username, self.hasPath) = (address, username, hasPath)
  }

  /// Whether a server may read a part of a path as another place. After repeated decoding, such a part contains a
  /// segment of only dots (RFC 3986, section 5.2.4), a control character, or bytes that are not UTF-8.
  private static func mayLeave(_ segment: String) -> Bool {
    var (segment, encoded) = (segment, "")
    while segment != encoded {
      guard let decoded = PercentEncoding.text(of: segment) else { return true }
      (segment, encoded) = (decoded, segment)
    }
    guard segment.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return true }
    // Servers on Windows separate by backslashes, and some cut a part at a semicolon.
    return segment.split(whereSeparator: { "/\\".contains($0) }).contains { part in
      let name = part.prefix { $0 != ";" }
      return !name.isEmpty && name.allSatisfy { $0 == "." }
    }
  }

  /// How many parts of the path an address of a record has, if it matches this place; nil otherwise.
  ///
  /// Scheme, host and port must be equal, and the address's path must be the beginning of this path. Another host never
  /// matches, even of the same domain. If paths are not compared, all matches are equally good.
  func fit(of text: String) -> Int? {
    guard let other = WebAddress(parsing: text), other.scheme == address.scheme, other.host == address.host,
      other.port == address.port, !hasPath || address.segments.starts(with: other.segments)
    else { return nil }
    return hasPath ? other.segments.count : 0
  }
}

extension LockedVault {
  /// The logins for a place, found without a key: those with the longest matching path.
  package func logins(for place: LoginPlace) async throws(VaultError) -> [StoredRecord] {
    var query = RecordQuery()
    query.kind = Login.kindName
    query.texts = [place.address.host]
    var best: (fit: Int, records: [StoredRecord]) = (0, [])
    for row in try await listed(query).records {
      let record = try record(row.id)
      guard let fit = place.fit(of: record.fields, record.fields["username"]?.string) else { continue }
      if fit > best.fit { best = (fit, []) }
      if fit == best.fit { best.records.append(record) }
    }
    return best.records
  }
}

extension LoginPlace {
  fileprivate func fit(of fields: JSONObject, _ own: String?) -> Int? {
    guard username == nil || own == username, case .array(let urls)? = fields["urls"] else { return nil }
    return urls.compactMap { $0.string.flatMap(fit) }.max()
  }

  /// Whether a verified record matches this place. The search used unverified records.
  package func isFor(_ record: OpenRecord) -> Bool { fit(of: record.fields, record.fields["username"]?.string) != nil }
}
