package import VaultDocument
package import VaultRecords

/// Where a record says which entry of another tool it came from.
package enum ExternalID {
  /// The name of the custom field.
  package static let fieldName = "external_id"

  /// The id of what has nothing but its file to go by: `PREFIX:file:HASH`.
  package static func ofFile(_ identity: String, from idPrefix: String) throws(ExchangeError) -> String {
    ofFiles(from: idPrefix) + (try ContentHash.hex(of: [identity]))
  }

  /// What such ids begin with, whatever the file.
  package static func ofFiles(from idPrefix: String) -> String { "\(idPrefix):file:" }

  /// `fields.external_id`, or `extra.external_id` in kinds without readable custom fields; nil where neither can be.
  package static func path(in kind: RecordKind) -> MemberPath? {
    [
      MemberPath([.member("fields"), .member(fieldName)]),
      MemberPath([.member(RecordKind.extraMember), .member(fieldName)]),
    ]
    .first { kind.value(at: $0) != nil }
  }

  /// The members with the id in its place.
  package static func adding(_ id: String, to members: JSONObject, of kind: RecordKind) -> JSONObject {
    guard let path = path(in: kind), case .member(let map)? = path.components.first else { return members }
    var members = members
    var values = members[map]?.object ?? JSONObject()
    values[fieldName] = .string(id)
    members[map] = .object(values)
    return members
  }

  /// The members without an id.
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
