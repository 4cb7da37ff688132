internal import VaultCrypto
public import VaultDocument
internal import VaultSealing
package import VaultTrust

/// A new record, or a new value for a field, from a person who cannot read the vault (format 1, section 16, Deposits).
///
/// A deposit holds its values in clear, in ordinary memory. Nothing in it is trusted before a key holder accepts it.
public struct Deposit: Sendable {
  /// The proposed change.
  public enum Content: Sendable {
    /// A whole record: the name of its kind, and its members in clear.
    case record(kind: String, members: JSONObject)
    /// A value for a sealed field of a record, which is named by its id or its name. `replaces` is the sealing time of
    /// the value that the depositor saw there; nil if the field was empty or was not seen.
    case value(record: String, field: MemberPath, value: String, replaces: Timestamp?)
  }

  /// The largest payload in bytes, with its padding.
  public static let maximumByteCount = 256 << 10
  /// The longest name of a sender in bytes.
  public static let maximumSenderByteCount = 256
  /// The longest signature in bytes.
  static let maximumSignatureByteCount = 16 << 10
  static let format = 1

  /// The id of the deposit, and of the record that it becomes.
  public let id: DepositID
  /// When it was made, by the clock of the depositor.
  public let createdAt: Timestamp
  /// The name that the depositor gave; nil for none. Only a signature proves it.
  public let from: String?
  /// The proposed change.
  public let content: Content
  /// A signature of `ssh-keygen -Y sign` over the bytes to sign; nil for none.
  public package(set) var signature: String?

  /// A new deposit with a random id.
  public init(_ content: Content, from: String? = nil, at time: Timestamp = .now()) {
    (id, createdAt, self.content, self.from) = (.random(), time, content, from)
  }

  /// The bytes that a signature covers: a hash of everything in the deposit except the signature, and of the id of the
  /// vault. The program that signs or checks them does not see the secrets.
  package func signedBytes(for vault: VaultID) throws(VaultError) -> [UInt8] {
    let canonical = JSONValue.object(members(for: vault)).canonicalBytes()
    let hash = try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(canonical.span.bytes) }
    return CanonicalEncoding.enc("ecv/1/deposit", [hash])
  }

  /// The document without the signature.
  private func members(for vault: VaultID) -> JSONObject {
    var members = JSONObject(present: [
      "created_at": createdAt, "format": Self.format, "from": from, "id": id, "vault": vault,
    ])
    switch content {
    case .record(let kind, let record):
      members["kind"] = .string(kind)
      members["record"] = .object(record)
    case .value(let record, let field, let value, let replaces):
      members["to"] = .string(record)
      members["field"] = .string(field.description)
      members["value"] = .string(value)
      members["replaces"] = replaces?.document
    }
    return members
  }

  func document(for vault: VaultID) -> JSONValue {
    var members = members(for: vault)
    members["signature"] = signature.map { .string($0) }
    return .object(members)
  }
}

extension Deposit {
  /// Reads the document of a deposit strictly.
  ///
  /// - Throws: ``VaultError`` `.newerFormat`, `.inputRefused` for another form, vault or id.
  init(_ document: JSONValue, of vault: VaultID, named id: DepositID) throws(VaultError) {
    guard let members = document.object else { throw .notADeposit("is not an object", id) }
    guard let format: Int = members.read("format") else { throw .notADeposit("has no format", id) }
    guard format == Self.format else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: VaultError.file(id))
    }
    guard members.read("vault") == vault else { throw .notADeposit("was made for another vault", id) }
    guard members.read("id") == id else { throw .notADeposit("has another id than its file name says", id) }
    guard let createdAt: Timestamp = members.read("created_at"), let from = members.sender,
      let signature = members.signature
    else { throw .notADeposit("has a wrong member", id) }
    (self.id, self.createdAt, self.from, self.signature) = (id, createdAt, from, signature)
    let own: Set<String> = ["created_at", "format", "from", "id", "signature", "vault"]
    guard let (content, names) = Self.content(of: members),
      Set(members.names).subtracting(own).isSubset(of: names)
    else { throw .notADeposit("is neither a record nor a value for a field", id) }
    self.content = content
  }

  private static func content(of members: JSONObject) -> (Content, names: Set<String>)? {
    if let kind: String = members.read("kind"), let record: JSONObject = members.read("record") {
      return (.record(kind: kind, members: record), ["kind", "record"])
    }
    guard let record: String = members.read("to"), let value: String = members.read("value"),
      let field: String = members.read("field"), let path = try? MemberPath(parsing: field), !path.components.isEmpty,
      let replaces: Timestamp? = members.readIfPresent("replaces")
    else { return nil }
    return (
      .value(record: record, field: path, value: value, replaces: replaces), ["field", "replaces", "to", "value"]
    )
  }
}

extension JSONObject {
  /// The sender; the outer nil is a refusal.
  fileprivate var sender: String?? { text("from", limit: Deposit.maximumSenderByteCount) }

  fileprivate var signature: String?? { text("signature", limit: Deposit.maximumSignatureByteCount) }

  private func text(_ name: String, limit: Int) -> String?? {
    guard let text: String? = readIfPresent(name), text.map({ $0.utf8.count <= limit }) ?? true else { return nil }
    return .some(text)
  }
}
