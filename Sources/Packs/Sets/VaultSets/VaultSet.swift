package import VaultDocument
internal import VaultKit
package import VaultRecords
package import VaultTrust

/// Vaults that belong together, each under a name, as listed in a file that nobody authenticates.
///
/// Each of them is a separate vault with its own keys. Before any key is used, the vault found under a name must be
/// compared with the memory of the name (``SetMark``).
package struct VaultSet: Equatable, Sendable {
  package static let fileName = "vaults.json"

  package private(set) var members: [Member]

  package init() { members = [] }

  init(_ members: [Member]) throws(VaultError) {
    self.init()
    for member in members { try add(member) }
  }

  package subscript(name: String) -> Member? { members.first { $0.name.utf8.elementsEqual(name.utf8) } }

  package mutating func add(_ member: Member) throws(VaultError) {
    try member.check()
    for other in members {
      if other.name.lowercased() == member.name.lowercased() {
        throw VaultError(.alreadyExists, "the set already has the name `\(other.name)`")
      }
      if other.id == member.id {
        throw VaultError(.alreadyExists, "the set already has the vault \(member.id.text), as `\(other.name)`")
      }
    }
    members.append(member)
  }

  /// Removes a vault from the set; the vault itself does not change.
  package mutating func remove(_ name: String) { members.removeAll { $0.name.utf8.elementsEqual(name.utf8) } }

  /// The vaults with a rule that fits a record.
  ///
  /// - Parameters:
  ///   - kind: the name of its kind.
  ///   - fields: its members; rules never use sealed ones.
  package func takers(of kind: String, _ described: RecordKind?, _ fields: JSONObject) -> [Member] {
    members.filter { member in member.takes.contains { $0.takes(kind, described: described, fields: fields) } }
  }
}

extension VaultSet {
  package struct Member: Equatable, Sendable {
    /// ASCII letters, digits, `-`, `_` and `.`, at most 64; the first is a letter or a digit.
    package let name: String
    /// A folder, relative to that of the set's file, or an address.
    package let place: String
    /// The id of the vault, which the vault found there must have.
    package let id: VaultID
    /// New records that fit one of these rules belong here.
    package let takes: [PlacementRule]
    /// The only recipients that should have a key; nil if the set does not say.
    package let recipients: [String]?

    /// A vault of a set, which is checked when it is added.
    package init(
      name: String, place: String, id: VaultID, takes: [PlacementRule] = [], recipients: [String]? = nil
    ) {
      (self.name, self.place, self.id) = (name, place, id)
      (self.takes, self.recipients) = (takes, recipients)
    }

    /// Whether the place is an address rather than a folder.
    package var isAddress: Bool { place.contains("://") }

    /// Whether a text can be the name of a vault in a set.
    package static func isName(_ text: String) -> Bool {
      func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: false
        }
      }
      let marks = Set("-_.".utf8)
      guard let first = text.utf8.first, text.utf8.count <= 64, isPlain(first) else { return false }
      return text.utf8.allSatisfy { isPlain($0) || marks.contains($0) }
    }

    fileprivate func check() throws(VaultError) {
      guard Self.isName(name) else {
        throw VaultError(
          .inputRefused, "is not a name: use letters, digits, `-`, `_` and `.`, at most 64 characters", field: "name")
      }
      guard !place.isEmpty, place.utf8.count <= 4096, place.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw VaultError(.inputRefused, "is not the place of a vault", field: "\(name).place")
      }
      if isAddress, let secret = SecretAddress(in: place) {
        throw VaultError(
          .inputRefused, "\(secret.reason): everybody who has the file of a set can read it", field: "\(name).place")
      }
    }
  }
}

/// Which new records belong in a vault: all of its conditions must hold.
package struct PlacementRule: Equatable, Sendable {
  /// A readable member that must have a value, or be a list that contains it; `kind` is the record's kind.
  package struct Condition: Equatable, Sendable {
    /// The member, or `kind`.
    package let path: MemberPath
    package let value: String

    package init(path: MemberPath, value: String) { (self.path, self.value) = (path, value) }

    fileprivate static let kind = "kind"
    fileprivate var isOfKind: Bool { path.description == Self.kind }
  }

  /// At least one, in the order of their paths.
  package let conditions: [Condition]

  /// A rule of these conditions, in any order.
  package init(_ conditions: [Condition]) {
    self.conditions = conditions.sorted { $0.path.description < $1.path.description }
  }

  fileprivate func takes(_ kind: String, described: RecordKind?, fields: JSONObject) -> Bool {
    !conditions.isEmpty
      && conditions.allSatisfy { condition in
        if condition.isOfKind { return condition.value.utf8.elementsEqual(kind.utf8) }
        // A secret never decides the vault, because a person who knows the rules would learn something about it.
        guard described?.isSealed(condition.path) != true else { return false }
        return JSONValue.object(fields).hasReadable(condition.value, at: condition.path, of: described)
      }
  }

  /// Whether a record could fit both rules: not if they want different kinds, or different values of a member that is
  /// not a list.
  package func overlaps(_ other: PlacementRule, isList: (MemberPath) -> Bool) -> Bool {
    !conditions.contains { one in
      other.conditions.contains { two in
        one.path == two.path && !one.value.utf8.elementsEqual(two.value.utf8) && (one.isOfKind || !isList(one.path))
      }
    }
  }

  /// The written form: `kind=database tags=staging`.
  package var description: String { conditions.map { "\($0.path)=\($0.value)" }.joined(separator: " ") }
}
