import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing

/// The findings about the secrets of a vault, by the sort of each field.
struct Audit {
  enum State: String, Comparable {
    case breached, weak, reused, expired, old

    private var rank: Int { [.breached, .weak, .reused, .expired, .old].firstIndex(of: self) ?? 0 }
    static func < (first: State, second: State) -> Bool { first.rank < second.rank }
  }

  struct Finding {
    let state: State
    let id: RecordID
    let kind: String
    let name: String
    let path: MemberPath
    let reason: String
    /// The group of fields with the same value.
    var group: Int?
  }

  struct Rules {
    var kind: String?
    var leastBitCount = GuessEstimate.strongBitCount
    var breaches: BreachList?
    /// `ID PATH` of values that are too old.
    var old: [String: Timestamp] = [:]
  }

  /// The fields that have a value now, and the fields that had it before.
  private struct Places {
    var present: [Finding] = []
    var former: [String] = []

    /// How many places have the value beside one of them.
    var otherCount: Int { present.count + former.count - 1 }

    /// The first place beside a present one, which is a present one if there is another.
    func other(than index: Int) -> String {
      guard present.count > 1 else { return former[0] }
      let other = present[index == 0 ? 1 : 0]
      return "\(other.path) of \(other.name)"
    }
  }

  private let rules: Rules
  private var found: [Finding] = []
  /// The places of each value, by its hash with a key of this process. No value is kept.
  private var places: [Int: Places] = [:]
  private(set) var recordCount = 0

  init(_ rules: Rules, of vault: Vault) async throws {
    var (audit, failure): (Audit, (any Error)?) = (Audit(rules), nil)
    try await vault.forEachOpenRecord { record throws(VaultError) in
      guard failure == nil, rules.kind == nil || record.envelope.kind == rules.kind else { return }
      do { try audit.take(record) } catch { failure = error }
    }
    if let failure { throw failure }
    self = audit
  }

  private init(_ rules: Rules) { self.rules = rules }

  /// All findings, the worst first, then by name.
  var findings: [Finding] {
    var (all, count) = (found, 0)
    let shared = places.values.filter { !$0.present.isEmpty && $0.otherCount > 0 }
    for same in shared.sorted(by: { $0.present[0].name < $1.present[0].name }) {
      count += 1
      for (index, finding) in same.present.enumerated() {
        let more = same.otherCount > 1 ? ", and \(same.otherCount - 1) more" : ""
        all.append(
          Finding(
            state: .reused, id: finding.id, kind: finding.kind, name: finding.name, path: finding.path,
            reason: "the same as \(same.other(than: index))\(more)", group: count))
      }
    }
    return all.sorted { ($0.state, $0.group ?? 0, $0.name) < ($1.state, $1.group ?? 0, $1.name) }
  }

  private mutating func take(_ record: OpenRecord) throws {
    recordCount += 1
    func finding(_ state: State, _ path: MemberPath, _ reason: String) -> Finding {
      Finding(
        state: state, id: record.id, kind: record.envelope.kind, name: record.name, path: path, reason: reason)
    }
    let expiry = "expires_at"
    if let text = record.fields[expiry]?.string, let time = try? Timestamp(parsing: text), time < .now() {
      found.append(finding(.expired, try MemberPath(parsing: expiry), "since \(time.day)"))
    }
    for path in record.sealedPaths {
      guard let sort = Self.auditedSort(of: path, in: record) else { continue }
      let secret = try record.secret(at: path)
      guard secret.count > 0 else { continue }
      if sort == .password {
        if let reason = try weakness(of: secret) { found.append(finding(.weak, path, reason)) }
        if let count = try secret.withBytes({ try rules.breaches?.count(of: $0) }) {
          found.append(finding(.breached, path, count == 1 ? "seen once" : "seen \(count) times"))
        }
      }
      if sort != .key, let time = rules.old["\(record.id) \(path)"] {
        found.append(finding(.old, path, "since \(time.day)"))
      }
      places[secret.withBytes(keyedHash), default: Places()].present.append(finding(.reused, path, ""))
    }
    try takeFormer(record)
  }

  /// Compares former values with present ones. Nothing else is checked, because a value that is no longer used can be
  /// weak or old.
  private mutating func takeFormer(_ record: OpenRecord) throws {
    for path in record.pathsWithFormerSecrets where Self.auditedSort(of: path, in: record) != nil {
      for former in try record.formerSecrets(at: path) {
        let secret = try record.secret(former)
        guard secret.count > 0 else { continue }
        let place = "a former value of \(path) of \(record.name)"
        places[secret.withBytes(keyedHash), default: Places()].former.append(place)
      }
    }
  }

  /// The sort, if it is audited: an undeclared field may be anything, a PIN is short, and the key of one-time codes is
  /// not a password.
  private static func auditedSort(of path: MemberPath, in record: OpenRecord) -> SecretSort? {
    let sort = record.kind?.value(at: path)?.secretSort ?? .text
    return [.password, .token, .key].contains(sort) ? sort : nil
  }

  private func weakness(of secret: SecretBytes) throws -> String? {
    guard let estimate = try GuessEstimate(of: secret), estimate.bitCount < rules.leastBitCount else { return nil }
    return "guessed in about \(estimate.tries)"
  }
}
