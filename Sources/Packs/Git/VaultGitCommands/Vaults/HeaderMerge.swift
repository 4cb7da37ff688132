import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing

/// The result of joining a header that two sides have changed separately.
enum HeaderMerge {
  case merged([UInt8])
  case refused(MergeConflict)
}

extension Vault {
  /// Joins the headers of two sides: all ways to unlock that either has added, none that either has removed, and the
  /// kinds of both. The result does not depend on the order of the sides.
  ///
  /// - Parameter base: the common ancestor; nil if it is unknown. Then every way to unlock and every kind of either
  ///   side stays.
  func mergedHeader(base: [UInt8]?, ours: [UInt8], theirs: [UInt8]) throws(VaultError) -> HeaderMerge {
    guard let ours = try? VaultHeader(parsing: ours), let theirs = try? VaultHeader(parsing: theirs) else {
      return .refused(MergeConflict(.unreadable))
    }
    var before: VaultHeader?
    if let base {
      before = try? VaultHeader(parsing: base)
      if before == nil { return .refused(MergeConflict(.unreadable)) }
    }
    let headers = [before, ours, theirs].compactMap(\.self)
    let root = keyring.current
    try inSealing { () throws(SealingError) in try root.requireHere() }
    guard headers.allSatisfy({ $0.root.id == root.id && $0.unfinishedRotation == nil && $0.hasRest(of: ours) }) else {
      return .refused(MergeConflict(.key))
    }
    for header in headers {
      do throws(VaultError) { try header.authenticate(under: root) } catch {
        guard error.code == .damaged else { throw error }
        return .refused(MergeConflict(.unverified))
      }
    }
    guard min(ours.revision, theirs.revision) >= before?.revision ?? 0, max(ours.revision, theirs.revision) < Int.max
    else { return .refused(MergeConflict(.older)) }
    return try HeaderJoin(base: before, ours: ours, theirs: theirs).joined(under: root)
  }
}

extension VaultHeader {
  /// Whether everything except slots, kinds, the keys of deposits, extensions, revision and MAC equals another header.
  fileprivate func hasRest(of other: VaultHeader) -> Bool {
    func rest(_ header: VaultHeader) -> JSONObject {
      var document = header.document
      for name in [DepositKeys.memberName, "kinds", "mac", "requires", "revision", "slots"] { document[name] = nil }
      return document
    }
    return rest(self) == rest(other)
  }
}

/// Verified headers of one vault under one root key.
private struct HeaderJoin {
  /// The slots and kinds with which both sides began.
  private let oldSlots: [Slot]
  private let oldKinds: JSONObject
  private let oldSigners: String?
  private let ours: VaultHeader
  private let theirs: VaultHeader

  init(base: VaultHeader?, ours: VaultHeader, theirs: VaultHeader) {
    oldSlots =
      base?.slots ?? ours.slots.filter { slot in theirs.slots.contains { $0.members == slot.members } }
    oldKinds = base?.declaredKinds ?? JSONObject()
    oldSigners = base?.deposit?.signers
    (self.ours, self.theirs) = (ours, theirs)
  }

  private struct Refusal: Error {
    let conflict: MergeConflict

    init(_ reason: MergeConflict.Reason, at path: MemberPath? = nil) { conflict = MergeConflict(reason, at: path) }
  }

  func joined(under root: RootKey) throws(VaultError) -> HeaderMerge {
    let slots: [Slot]
    let kinds: JSONObject
    let deposit: DepositKeys?
    do throws(Refusal) {
      slots = try joinedSlots()
      kinds = try joinedKinds()
      deposit = try joinedDeposit()
    } catch {
      return .refused(error.conflict)
    }
    // Of two with one revision, the one with the greater MAC, so that all mergers agree.
    let isTheirs =
      ours.revision != theirs.revision
      ? theirs.revision > ours.revision : mac(ours).utf8.lexicographicallyPrecedes(mac(theirs).utf8)
    let later = isTheirs ? theirs : ours
    // The requirements of either side apply to both; a name stays once it is there.
    let requirements = Set(ours.requirements + theirs.requirements).sorted { precedesInBytes($0, $1) }
    return .merged(
      try later.changed(slots: slots, kinds: kinds, requirements: requirements, deposit: deposit, root: root)
        .fileBytes())
  }

  private func mac(_ header: VaultHeader) -> String { header.document["mac"]?.string ?? "" }

  private func joinedSlots() throws(Refusal) -> [Slot] {
    func slot(_ id: SlotID, _ header: VaultHeader) -> Slot? { header.slots.first { $0.id == id } }
    func added(_ header: VaultHeader) -> [Slot] {
      header.slots.filter { slot in !oldSlots.contains { $0.id == slot.id } }
    }
    let removed = oldSlots.filter { slot($0.id, ours) == nil || slot($0.id, theirs) == nil }
    let removedByBoth = removed.filter { slot($0.id, ours) == nil && slot($0.id, theirs) == nil }
    guard removedByBoth.isEmpty || added(ours).isEmpty && added(theirs).isEmpty else {
      throw Refusal(.bothRemoved)
    }
    var joined: [Slot] = []
    for old in oldSlots {
      guard let one = slot(old.id, ours), let other = slot(old.id, theirs) else { continue }
      joined.append(try choice(old, one: one, other: other))
    }
    // The new slots of both sides by creation time; if both added a slot for one recipient, the older one stays.
    let new = (added(ours) + added(theirs)).sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
    for slot in new {
      if let twin = joined.first(where: { $0.id == slot.id }) {
        guard twin.members == slot.members else { throw Refusal(.bothChanged, at: .root.appending("slots")) }
      } else if slot.recipient == nil || !joined.contains(where: { $0.recipient == slot.recipient }) {
        joined.append(slot)
      }
    }
    guard !joined.isEmpty else { throw Refusal(.noSlot) }
    return joined
  }

  private func choice(_ old: Slot, one: Slot, other: Slot) throws(Refusal) -> Slot {
    if one.members == other.members || other.members == old.members { return one }
    guard one.members == old.members else { throw Refusal(.bothChanged, at: .root.appending("slots")) }
    return other
  }

  /// The keys of both sides. Signers that both have changed are left to a person.
  private func joinedDeposit() throws(Refusal) -> DepositKeys? {
    guard let one = ours.deposit, let other = theirs.deposit else { return ours.deposit ?? theirs.deposit }
    let old = oldSigners
    guard one.signers == other.signers || one.signers == old || other.signers == old else {
      throw Refusal(.bothChanged, at: .root.appending(DepositKeys.memberName).appending("signers"))
    }
    return one.joined(with: other, signers: one.signers == old ? other.signers : one.signers)
  }

  private func joinedKinds() throws(Refusal) -> JSONObject {
    let (old, one, other) = (oldKinds, ours.declaredKinds, theirs.declaredKinds)
    var joined = JSONObject()
    for name in old.names + one.names + other.names {
      if one[name] == other[name] || other[name] == old[name] {
        joined[name] = one[name]
      } else if one[name] == old[name] {
        joined[name] = other[name]
      } else {
        throw Refusal(.bothChanged, at: .root.appending("kinds").appending(name))
      }
    }
    return joined
  }
}
