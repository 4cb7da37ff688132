package import VaultDocument
package import VaultSealing

/// Reads the members of an object of the header, the checkpoint or a backup's list strictly; every refusal names the
/// member.
package struct MemberReader {
  private let members: JSONObject
  private let file: String
  private let path: String

  package init(_ members: JSONObject, file: String, path: String = "") {
    self.members = members
    self.file = file
    self.path = path
  }

  package subscript(name: String) -> JSONValue? { members[name] }

  package var names: [String] { members.names }

  package func damaged(_ name: String) -> VaultError {
    VaultError(.damaged, "is missing or not of format 1", file: file, field: path + name)
  }

  /// Refuses members that format 1 does not know.
  package func allowOnly(_ names: Set<String>) throws(VaultError) {
    for (name, _) in members where !names.contains(name) {
      throw VaultError(
        .damaged, "has a member that format 1 does not know", file: file, field: path.isEmpty ? nil : path)
    }
  }

  /// A member of the type that the caller wants.
  package func value<Value: DocumentReadable>(_ name: String) throws(VaultError) -> Value {
    guard let value: Value = members.read(name) else { throw damaged(name) }
    return value
  }

  package func text(_ name: String) throws(VaultError) -> String { try value(name) }

  package func number(_ name: String) throws(VaultError) -> JSONNumber {
    guard case .number(let number)? = members[name] else { throw damaged(name) }
    return number
  }

  package func rootID(_ name: String) throws(VaultError) -> RootID {
    guard let id = try? RootID(parsing: text(name)) else { throw damaged(name) }
    return id
  }

  package func wrappedKey(_ name: String) throws(VaultError) -> WrappedKey {
    guard let key = try? WrappedKey(parsing: text(name)) else { throw damaged(name) }
    return key
  }

  package func base64(_ name: String, byteCount: Int) throws(VaultError) -> [UInt8] {
    guard let bytes = try? Base64.decode(text(name)), bytes.count == byteCount else { throw damaged(name) }
    return bytes
  }

  package func object(_ name: String) throws(VaultError) -> MemberReader {
    MemberReader(try value(name), file: file, path: "\(path)\(name).")
  }

  package func objects(_ name: String) throws(VaultError) -> [MemberReader] {
    guard case .array(let items)? = members[name] else { throw damaged(name) }
    var readers: [MemberReader] = []
    for (index, item) in items.enumerated() {
      guard case .object(let object) = item else { throw damaged("\(name)[\(index)]") }
      readers.append(MemberReader(object, file: file, path: "\(path)\(name)[\(index)]."))
    }
    return readers
  }
}
