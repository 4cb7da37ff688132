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
    guard try members.integer("format") == Self.format else { throw members.damaged("format") }
    vaultID = try members.identifier("vault")
    commitment = try members.base64("root", byteCount: 32)
    header = try members.mark("header", "revision").map { Header(revision: $0.number, hash: $0.hash) }
    checkpoint = try members.mark("checkpoint", "sequence").map { CheckpointMark(sequence: $0.number, hash: $0.hash) }
    announced = members["announced"] == nil ? nil : try members.hash("announced")
    for earlier in try members["earlier"] == nil ? [] : members.objects("earlier") {
      let mark = try earlier.mark("revision")
      self.earlier.append(Header(revision: mark.number, hash: mark.hash))
    }
    // Earlier versions did not write it, so it is unknown whether a person named the vault.
    isNamed = members["named"] == nil ? false : try members.bool("named")
    slots = []
    for slot in try members.objects("slots") {
      try slot.allowOnly(["id", "label"])
      slots.append(SlotName(id: try slot.identifier("id"), label: try slot.text("label")))
    }
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    var document = JSONObject()
    document["announced"] = announced.map { .string(Hex.encode($0)) }
    document["checkpoint"] = .mark("sequence", number: checkpoint?.sequence, hash: checkpoint?.hash)
    if !earlier.isEmpty {
      document["earlier"] = .array(earlier.map { .mark("revision", number: $0.revision, hash: $0.hash) })
    }
    document["format"] = .number(JSONNumber(Self.format))
    document["header"] = .mark("revision", number: header?.revision, hash: header?.hash)
    document["named"] = .bool(isNamed)
    document["root"] = .string(Base64.encode(commitment))
    document["slots"] = .array(
      slots.map { slot in
        var members = JSONObject()
        members["id"] = .string(slot.id.text)
        members["label"] = .string(slot.label)
        return .object(members)
      })
    document["vault"] = .string(vaultID.text)
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
    let value = try integer(number)
    guard value >= 1 else { throw damaged(number) }
    return (value, try hash("hash"))
  }
}

extension JSONValue {
  fileprivate static func mark(_ name: String, number: Int?, hash: [UInt8]?) -> JSONValue {
    guard let number, let hash else { return .null }
    var members = JSONObject()
    members["hash"] = .string(Hex.encode(hash))
    members[name] = .number(JSONNumber(number))
    return .object(members)
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
      document["format"]?.int == Self.format, let path = document["path"]?.string,
      let id = document["vault"]?.string.flatMap(VaultID.init(parsing:))
    else { throw .damagedState(file) }
    let copy = document["copy"]?.string
    guard document["copy"] == nil || copy.map(Self.isCopy) == true else { throw .damagedState(file) }
    self.init(path: path, vaultID: id, copy: copy)
  }

  /// Whether a text can be a part of a file's name.
  private static func isCopy(_ text: String) -> Bool {
    text.utf8.count == 32 && (try? Hex.decode(text)) != nil
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    var document = JSONObject()
    document["copy"] = copy.map { .string($0) }
    document["format"] = .number(JSONNumber(Self.format))
    document["path"] = .string(path)
    document["vault"] = .string(vaultID.text)
    return try stateBytes(document)
  }
}
