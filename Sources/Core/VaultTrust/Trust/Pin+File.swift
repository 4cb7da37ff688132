package import VaultDocument

extension Pin {
  static let format = 1

  /// Reads the bytes of a state file, which must be of this vault.
  package init(parsing bytes: [UInt8], of vaultID: VaultID, file: String) throws(VaultError) {
    guard let pin = Self.parsed(bytes), pin.vaultID == vaultID else { throw .damagedState(file) }
    self = pin
  }

  private static func parsed(_ bytes: [UInt8]) -> Pin? {
    guard case .object(let document)? = try? JSONParser.parse(bytes) else { return nil }
    return try? Pin(MemberReader(document, file: ""))
  }

  private init(_ members: MemberReader) throws(VaultError) {
    try members.allowOnly(["announced", "checkpoint", "earlier", "format", "header", "named", "root", "slots", "vault"])
    guard try members.value("format") as Int == Self.format else { throw members.damaged("format") }
    vaultID = try members.value("vault")
    commitment = try members.base64("root", byteCount: 32)
    header = try members.mark("header", "revision").map { Header(revision: $0.number, hash: $0.hash) }
    checkpoint = try members.mark("checkpoint", "sequence").map { CheckpointMark(sequence: $0.number, hash: $0.hash) }
    announced = members["announced"] == nil ? nil : try members.hash("announced")
    for earlier in try members["earlier"] == nil ? [] : members.objects("earlier") {
      let mark = try earlier.mark("revision")
      self.earlier.append(Header(revision: mark.number, hash: mark.hash))
    }
    // Earlier versions did not write it, so it is unknown whether a person named the vault.
    isNamed = members["named"] == nil ? false : try members.value("named")
    slots = []
    for slot in try members.objects("slots") {
      try slot.allowOnly(["id", "label"])
      slots.append(SlotName(id: try slot.value("id"), label: try slot.text("label")))
    }
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    var document = JSONObject(members: [
      "checkpoint": checkpoint.map { .mark("sequence", $0.sequence, hash: $0.hash) } ?? JSONValue.null,
      "format": Self.format, "header": header.map { .mark("revision", $0.revision, hash: $0.hash) } ?? JSONValue.null,
      "named": isNamed, "root": Base64.encode(commitment),
      "slots": slots.map { JSONValue.members(["id": $0.id, "label": $0.label]) }, "vault": vaultID,
    ])
    document["announced"] = announced.map { .string(Hex.encode($0)) }
    if !earlier.isEmpty { document["earlier"] = .array(earlier.map { .mark("revision", $0.revision, hash: $0.hash) }) }
    return try stateBytes(document)
  }
}

extension MemberReader {
  /// A state as number and hash; nil for `null`.
  fileprivate func mark(
    _ name: String, _ number: String
  ) throws(VaultError) -> (number: Int, hash: [UInt8])? {
    if case .null? = self[name] { return nil }
    return try object(name).mark(number)
  }

  fileprivate func mark(_ number: String) throws(VaultError) -> (number: Int, hash: [UInt8]) {
    try allowOnly(["hash", number])
    let value: Int = try value(number)
    guard value >= 1 else { throw damaged(number) }
    return (value, try hash("hash"))
  }
}

extension JSONValue {
  fileprivate static func mark(_ name: String, _ number: Int, hash: [UInt8]) -> JSONValue {
    .members(["hash": Hex.encode(hash), name: number])
  }
}

/// The memory of a path: the vault that was there.
package struct PathMark: Equatable {
  static let format = 1

  package let path: String
  package let vaultID: VaultID
  /// The copy of the vault, 32 hex digits; nil for the place where the vault was first seen.
  package let copy: String?

  package init(path: String, vaultID: VaultID, copy: String? = nil) {
    (self.path, self.vaultID, self.copy) = (path, vaultID, copy)
  }

  package init(parsing bytes: [UInt8], file: String) throws(VaultError) {
    guard case .object(let document)? = try? JSONParser.parse(bytes),
      document.names.filter({ $0 != "copy" }) == ["format", "path", "vault"],
      document.read("format") == Self.format, let path: String = document.read("path"),
      let id: VaultID = document.read("vault"), let copy: String? = document.readIfPresent("copy"),
      copy.map(Self.isCopy) ?? true
    else { throw .damagedState(file) }
    self.init(path: path, vaultID: id, copy: copy)
  }

  /// Whether a text can be a part of a file's name.
  private static func isCopy(_ text: String) -> Bool {
    text.utf8.count == 32 && (try? Hex.decode(text)) != nil
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    try stateBytes(JSONObject(present: ["copy": copy, "format": Self.format, "path": path, "vault": vaultID]))
  }
}
