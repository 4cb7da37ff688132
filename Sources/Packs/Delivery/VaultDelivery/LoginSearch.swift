internal import VaultDocument
package import VaultKit
internal import VaultRecords

/// What a program wants to sign in to.
package struct LoginPlace: Sendable {
  let address: WebAddress
  let username: String?
  /// Whether the path is to be compared: some programs never send one.
  let hasPath: Bool

  /// - Parameters:
  ///   - address: with a scheme.
  ///   - username: nil where the program does not say.
  /// - Returns: nil for a text that is not an address, and for a path that a server may take for another one.
  package init?(_ address: String, username: String? = nil, hasPath: Bool = true) {
    guard let address = WebAddress(parsing: address), !address.segments.contains(where: Self.mayLeave) else {
      return nil
    }
    (self.address, self.username, self.hasPath) = (address, username, hasPath)
  }

  /// Whether a server may take a part of a path for another place than it names. Decoded as often as possible, such a
  /// part holds a segment of dots alone (RFC 3986, section 5.2.4), a control character, or bytes that are not UTF-8.
  private static func mayLeave(_ segment: String) -> Bool {
    var (segment, encoded) = (segment, "")
    while segment != encoded {
      guard let decoded = PercentEncoding.text(of: segment) else { return true }
      (segment, encoded) = (decoded, segment)
    }
    guard segment.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return true }
    // Servers of Windows separate by backslashes, and some cut a part at a semicolon.
    return segment.split(whereSeparator: { "/\\".contains($0) }).contains { part in
      let name = part.prefix { $0 != ";" }
      return !name.isEmpty && name.allSatisfy { $0 == "." }
    }
  }

  /// How many parts of the path an address of a record has, if it is for this place: scheme, host and port are equal,
  /// and its path is a beginning of this one's. No other host is ever meant, of the same domain or not. Where no path
  /// is to be compared all are equally good.
  func fit(of text: String) -> Int? {
    guard let other = WebAddress(parsing: text), other.scheme == address.scheme, other.host == address.host,
      other.port == address.port, !hasPath || address.segments.starts(with: other.segments)
    else { return nil }
    return hasPath ? other.segments.count : 0
  }
}

extension LockedVault {
  /// The logins for a place, without a key: those with the longest path that fits.
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

  /// Whether a record that was verified is for this place: what was searched was not.
  package func isFor(_ record: OpenRecord) -> Bool { fit(of: record.fields, record.fields["username"]?.string) != nil }
}
