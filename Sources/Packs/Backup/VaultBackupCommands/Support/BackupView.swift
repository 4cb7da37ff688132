import VaultBackup
import VaultDocument
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

extension BackupListing.Row {
  /// The state for users: `recorded`, `changed`, `gone` or `not recorded`.
  var stateText: String { state == .unrecorded ? "not recorded" : state.rawValue }

  var document: JSONValue {
    .members([
      "attested": entry.map { JSONValue.bool($0.isAttested) } ?? .null,
      "checked_at": .optional(entry?.checkedAt?.text),
      "created_at": .optional(entry?.createdAt.text),
      "label": .optional(entry?.label),
      "name": .string(name.fileName),
      "recorded_size": entry.map { JSONValue.number(JSONNumber($0.byteCount)) } ?? .null,
      "sha256": .optional(entry.map { Hex.encode($0.sha256) }),
      "size": byteCount.map { JSONValue.number(JSONNumber($0)) } ?? .null,
      "state": .string(state.rawValue),
      "time": .string(name.time.text),
      "vault": .optional(entry?.vaultID.text),
      "verification": entry?.verification.map(\.document) ?? .null,
    ])
  }

  /// A note about a backup that differs from its entry; nil if it does not.
  var finding: String? {
    switch state {
    case .recorded, .unrecorded: nil
    case .changed:
      "\(name.fileName): its size or its hash is not the recorded one: it is damaged, or somebody has replaced it"
    case .gone: "\(name.fileName): its file is gone, and no prune has removed it"
    }
  }
}

extension BackupCatalog.Verification {
  fileprivate var document: JSONValue {
    .members(["kind": .string(kind.rawValue), "time": .string(time.text)])
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
