import VaultBackup
package import VaultDocument
import VaultKit
import VaultTerminal

enum BackupView {

  /// Such as `verified (deep) 2026-11-21T01:40:30Z`.
  static func text(_ verification: BackupCatalog.Verification?) -> String {
    verification.map { "verified (\($0.kind.rawValue)) \($0.time.text)" } ?? "not verified"
  }

  /// Such as `26h`, `3d`, `12m`: the largest unit that gives at least two.
  static func age(seconds: Int64) -> String {
    for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)] as [(String, Int64)] where seconds >= 2 * size {
      return "\(seconds / size)\(unit)"
    }
    return "\(seconds)s"
  }
}

extension BackupListing.Row: DocumentValue {
  /// The state for users: `recorded`, `changed`, `gone` or `not recorded`.
  var stateText: String { state == .unrecorded ? "not recorded" : state.rawValue }

  package var document: JSONValue {
    .members([
      "attested": entry?.isAttested, "checked_at": entry?.checkedAt, "created_at": entry?.createdAt,
      "label": entry?.label, "name": name.fileName, "recorded_size": entry?.byteCount,
      "sha256": entry.map { Hex.encode($0.sha256) }, "size": byteCount, "state": state.rawValue, "time": name.time,
      "vault": entry?.vaultID, "verification": entry?.verification,
    ])
  }

  /// A note about a backup that differs from its entry; nil if it does not.
  var finding: String? {
    switch state {
    case .recorded, .unrecorded: nil
    case .changed:
      "\(name.fileName): its size or hash differs from the recorded one: it is damaged, or somebody has replaced it"
    case .gone: "\(name.fileName): its file is missing, and no prune removed it"
    }
  }
}

extension BackupCatalog.Verification.Kind {
  var words: String {
    switch self {
    case .framing: "form"
    case .list: "contents"
    case .deep: "every record"
    case .proof: "every byte"
    }
  }
}
