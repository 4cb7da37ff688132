package import VaultDocument
package import VaultRecords

/// The id that records which entry of another tool a record came from.
package enum ExternalID {
  package static let fieldName = "external_id"

  /// The id of an entry that only its file identifies: `PREFIX:file:HASH`.
  package static func ofFile(_ identity: String, from idPrefix: String) throws(ExchangeError) -> String {
    ofFiles(from: idPrefix) + (try ContentHash.hex(of: [identity]))
  }

  package static func ofFiles(from idPrefix: String) -> String { "\(idPrefix):file:" }

  /// `fields.external_id`, or `extra.external_id` in kinds without readable custom fields; nil if the kind has neither.
  package static func path(in kind: RecordKind) -> MemberPath? {
    [
      MemberPath([.member("fields"), .member(fieldName)]),
      MemberPath([.member(RecordKind.extraMember), .member(fieldName)]),
    ]
    .first { kind.value(at: $0) != nil }
  }

  package static func adding(_ id: String, to members: JSONObject, of kind: RecordKind) -> JSONObject {
    guard let path = path(in: kind), case .member(let map)? = path.components.first else { return members }
    var members = members
    var values = members[map]?.object ?? JSONObject()
    values[fieldName] = .string(id)
    members[map] = .object(values)
    return members
  }

  package static func removed(from members: JSONObject, of kind: RecordKind) -> JSONObject {
    guard let path = path(in: kind), case .member(let map)? = path.components.first,
      var values = members[map]?.object
    else { return members }
    var members = members
    values[fieldName] = nil
    members[map] = values.isEmpty ? nil : .object(values)
    return members
  }
}
