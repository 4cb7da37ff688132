package import VaultDocument

extension RecordKind {
  /// The members with the byte counts that are derived from sealed members. A wrong count in the input is refused, but
  /// one from before the change is replaced.
  ///
  /// - Parameters:
  ///   - before: the members before a change; nil for a new record.
  ///   - byteCount: the number of bytes in a sealed member, in clear or as a token; nil if unknown.
  package func counted(
    _ members: JSONObject, before: JSONObject?, _ byteCount: (JSONValue) throws(RecordError) -> Int?
  ) throws(RecordError) -> JSONObject {
    guard let type, !type.byteCounts.isEmpty else { return members }
    var members = members
    for (path, place) in type.byteCounts {
      let given = members[place]
      // An unchanged value is not opened.
      guard let value = members[path], value != before?[path] || given != before?[place],
        let count = try byteCount(value)
      else { continue }
      let isOld = before != nil && given == before?[place]
      guard given == nil || isOld || given?.int == count else {
        throw RecordError(.invalidValue, "is not the number of bytes in \(path)", path: place)
      }
      members[place] = .number(JSONNumber(count))
    }
    return members
  }

  /// The number of bytes in clear base64.
  static func byteCount(ofClear value: JSONValue) -> Int? {
    value.string.map { Base64.decodedCount(of: $0.utf8Span.span) }
  }
}
