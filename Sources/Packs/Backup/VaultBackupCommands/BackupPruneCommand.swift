import ArgumentParser
import VaultBackup
package import VaultDocument
import VaultKit
import VaultTerminal

extension BackupCommand {
  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune",
      abstract: "Remove the backups that no rule keeps.",
      discussion: """
        Example:
          vault backup prune /mnt/backups --keep-daily 7 --keep-weekly 5 \\
            --keep-monthly 12 --keep-yearly 3 --dry-run

        The rules work as in restic, in UTC: a backup stays if any rule keeps it. Periods without a backup do not \
        count. Backups of several vaults are treated one vault at a time. One verified backup of each vault always \
        stays. Files that backups.json does not record, or that differ from what it records, are never removed.

        The command shows its plan and asks before it removes anything. Without a terminal it needs --yes or \
        --dry-run.
        """)

    @Argument(help: "The folder of the backups.")
    var dir: String

    @OptionGroup(title: "Rules") var rules: RetentionOptions

    @Flag(help: "Show what would be removed; remove nothing.")
    var dryRun = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
      let policy = try rules.policy()
      let directory = try BackupDirectory(at: dir)
      guard dryRun || global.yes || (global.canAsk && !global.json) else {
        throw CommandError.unconfirmed("add --yes to remove what --dry-run shows")
      }
      if dryRun { return try finish(try directory.plan(policy, now: .now()), isDone: false) }
      let approved = global.yes ? nil : try approvedPlan(policy, directory)
      let messages = global.messages
      let done = try directory.prune(
        policy, now: .now(), approved: approved, timeout: global.lockTime(),
        onWait: { _ in messages.note("waiting for another process") })
      try finish(done, isDone: true, isShown: approved != nil)
    }

    /// Shows the plan and asks, unless nothing would be removed.
    private func approvedPlan(_ policy: RetentionPolicy, _ directory: BackupDirectory) throws -> PrunePlan {
      let plan = try directory.plan(policy, now: .now())
      try Output.lines(plan.steps.map { $0.line(global.style) })
      if !plan.removals.isEmpty {
        try global.confirm(
          "Remove \(plan.removals.count) of \(plan.steps.count) backups (\(ByteSize.text(plan.removedByteCount))) "
            + "from \(dir) for good?")
      }
      return plan
    }

    private func finish(_ plan: PrunePlan, isDone: Bool, isShown: Bool = false) throws {
      let removed = plan.removals.count
      let kept = plan.steps.count { $0.action == .keep }
      let action = "\(removed) \(isDone ? "removed" : "would be removed") (\(ByteSize.text(plan.removedByteCount)))"
      try Output.afterwards("\(removed) backups were removed") {
        if global.json {
          try Output.document([
            "backups": plan.steps, "dry_run": !isDone, "kept": kept, "removed": removed,
            "removed_bytes": plan.removedByteCount,
          ])
        } else if !isShown {
          try Output.lines(plan.steps.map { $0.line(global.style) })
        }
      }
      global.messages.note("\(action), \(kept) kept")
      guard plan.hasFindings else { return }
      global.messages.note("some backups need attention: see the reasons, and `vault backup list`")
      throw Finished(status: .findings)
    }
  }
}

struct RetentionOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keep the newest n backups: a number or `unlimited`.", valueName: "n"))
  var keepLast: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Keep the newest backup of each hour, for n hours.", valueName: "n"))
  var keepHourly: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Keep the newest backup of each day, for n days.", valueName: "n"))
  var keepDaily: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keep the newest backup of each week (Monday to Sunday), for n weeks.", valueName: "n"))
  var keepWeekly: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keep the newest backup of each month, for n months.", valueName: "n"))
  var keepMonthly: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Keep the newest backup of each year, for n years.", valueName: "n"))
  var keepYearly: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Keep all backups made in this span before the newest one, such as 1y5m7d2h.",
      valueName: "span"))
  var keepWithin: String?

  func policy() throws -> RetentionPolicy {
    var policy = RetentionPolicy()
    policy[.last] = try Self.count(keepLast, "--keep-last")
    policy[.hourly] = try Self.count(keepHourly, "--keep-hourly")
    policy[.daily] = try Self.count(keepDaily, "--keep-daily")
    policy[.weekly] = try Self.count(keepWeekly, "--keep-weekly")
    policy[.monthly] = try Self.count(keepMonthly, "--keep-monthly")
    policy[.yearly] = try Self.count(keepYearly, "--keep-yearly")
    policy.within = try keepWithin.map { text in
      guard let span = RetentionSpan(text) else {
        throw CommandError.usage("--keep-within", "must be years, months, days and hours, such as 1y5m7d2h or 90d")
      }
      return span
    }
    guard !policy.isEmpty else {
      throw CommandError.usage(
        "prune", "no rule says what to keep, and a prune never removes everything",
        "add a rule, such as --keep-daily 7; --dry-run shows what it would do")
    }
    return policy
  }

  private static func count(_ text: String?, _ option: String) throws -> RetentionPolicy.Count {
    guard let text else { return .limited(0) }
    if text == "unlimited" || text == "-1" { return .unlimited }
    guard let count = JSONNumber(literal: text)?.int, count >= 0 else {
      throw CommandError.usage(option, "must be a number or `unlimited`")
    }
    return .limited(count)
  }
}

extension PrunePlan.Step: DocumentValue {
  /// Such as `remove  team-20261121T014028Z.cvault.age  no rule keeps it`.
  fileprivate func line(_ style: Style) -> String {
    let look =
      switch action {
      case .keep: style.good
      case .remove: style.bad
      case .forget: style.doubtful
      }
    return Style.column(action.rawValue, look)
      + "  \(row.name.fileName)  \(reasons.joined(separator: ", "))"
  }

  package var document: JSONValue {
    .members([
      "action": action.rawValue, "name": row.name.fileName, "reasons": reasons, "size": row.byteCount,
      "vault": row.entry?.vaultID,
    ])
  }
}
