internal import VaultDocument
internal import VaultRecords
package import VaultTrust

extension VaultSet {
  private static let format = 1
  /// The largest accepted file in bytes.
  package static let byteLimit = 1 << 20

  /// Reads the bytes of a set's file. Unknown members are refused, because they could restrict who may read.
  package init(parsing bytes: [UInt8], file: String) throws(VaultError) {
    let document: JSONObject
    do throws(DocumentError) {
      guard let object = try JSONParser.parse(bytes).object else {
        throw DocumentError(code: .wrongType, reason: "the file must be one JSON object", line: 1, column: 1)
      }
      document = object
    } catch {
      throw VaultError(.inputRefused, error.description, file: file)
    }
    do throws(VaultError) {
      let reader = SetReader(document, path: "")
      try reader.allowOnly(["format", "vaults"])
      guard document["format"]?.int == Self.format else { throw reader.refused("format", "must be 1") }
      var members: [Member] = []
      for vault in try reader.objects("vaults") { members.append(try Member(vault)) }
      try self.init(members)
    } catch {
      throw VaultError(.inputRefused, error.reason, file: file, field: error.field)
    }
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    do throws(DocumentError) {
      return try JSONValue.members(["format": Self.format, "vaults": members.map(\.document)]).prettyBytes()
    } catch {
      throw VaultError(.inputRefused, "the set has too many vaults for a file")
    }
  }
}

extension VaultSet.Member {
  fileprivate init(_ reader: SetReader) throws(VaultError) {
    try reader.allowOnly(["id", "members", "name", "place", "takes"])
    guard let id = VaultID(parsing: try reader.text("id")) else {
      throw reader.refused("id", "is not the id of a vault")
    }
    var rules: [PlacementRule] = []
    for rule in try reader["takes"] == nil ? [] : reader.objects("takes") { rules.append(try PlacementRule(rule)) }
    self.init(
      name: try reader.text("name"), place: try reader.text("place"), id: id, takes: rules,
      recipients: try reader["members"] == nil ? nil : reader.texts("members"))
  }

  fileprivate var document: JSONValue {
    let object = JSONObject(present: [
      "id": id, "members": recipients, "name": name, "place": place,
      "takes": takes.isEmpty ? nil : takes.map(\.document),
    ])
    return .object(object)
  }
}

extension PlacementRule {
  fileprivate init(_ reader: SetReader) throws(VaultError) {
    var conditions: [Condition] = []
    for name in reader.names {
      guard let path = try? MemberPath(parsing: name), !path.components.isEmpty else {
        throw reader.refused(name, "is not the path of a field")
      }
      conditions.append(Condition(path: path, value: try reader.text(name)))
    }
    guard !conditions.isEmpty else { throw reader.refused("", "is a rule without a condition") }
    self.init(conditions)
  }

  fileprivate var document: JSONValue {
    var object = JSONObject()
    for condition in conditions { object[condition.path.description] = .string(condition.value) }
    return .object(object)
  }
}

/// Reads members of the set's file strictly; every refusal names the member.
private struct SetReader {
  private let members: JSONObject
  private let path: String

  init(_ members: JSONObject, path: String) { (self.members, self.path) = (members, path) }

  subscript(name: String) -> JSONValue? { members[name] }
  var names: [String] { members.names }

  func refused(_ name: String, _ reason: String) -> VaultError {
    VaultError(.inputRefused, reason, field: name.isEmpty ? String(path.dropLast()) : path + name)
  }

  func allowOnly(_ names: Set<String>) throws(VaultError) {
    for name in members.names where !names.contains(name) {
      throw refused(name, "is not a member that a set file can have")
    }
  }

  func text(_ name: String) throws(VaultError) -> String {
    guard case .string(let text)? = members[name] else { throw refused(name, "is missing or not text") }
    return text
  }

  func texts(_ name: String) throws(VaultError) -> [String] {
    guard case .array(let items)? = members[name] else { throw refused(name, "must be a list") }
    var texts: [String] = []
    for item in items {
      guard case .string(let text) = item else { throw refused(name, "must be a list of texts") }
      texts.append(text)
    }
    return texts
  }

  func objects(_ name: String) throws(VaultError) -> [SetReader] {
    guard case .array(let items)? = members[name] else { throw refused(name, "is missing or not a list") }
    var readers: [SetReader] = []
    for (index, item) in items.enumerated() {
      guard case .object(let object) = item else { throw refused("\(name)[\(index)]", "must be an object") }
      readers.append(SetReader(object, path: "\(path)\(name)[\(index)]."))
    }
    return readers
  }
}
