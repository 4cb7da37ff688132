import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultSets
import VaultTerminal

/// One run of a command over all vaults of a set. Each vault is handled by itself, and failures are reported at the
/// end.
struct RunOverSet: SetRun {
  let members: [any NamedVault]
  private let global: GlobalOptions
  private let vaults: String?

  init(_ command: some RunsOverSet) throws {
    let vault = command.vault
    let several = command.everywhere.everywhere ? "--everywhere" : "several --in"
    guard vault.vault == nil else { throw CommandError.usage("--vault", "cannot be combined with \(several)") }
    guard !command.everywhere.everywhere || vault.names.isEmpty else {
      throw CommandError.usage("--everywhere", "cannot be combined with --in")
    }
    guard vault.requireFingerprint == nil, System.variable("CVAULT_FINGERPRINT") == nil else {
      throw CommandError.usage("--require-fingerprint", "cannot be combined with \(several)")
    }
    (global, vaults) = (command.global, vault.vaults)
    let set = try FoundSet.required(vaults)
    guard !set.set.members.isEmpty else {
      throw CommandError(
        .noVault, "not_a_vault", subject: set.path, "has no vaults", hints: ["`vault vaults add NAME DIR` adds a vault"]
      )
    }
    var seen: Set<String> = []
    members =
      try vault.names.isEmpty ? set.all : vault.names.filter { seen.insert($0).inserted }.map { try set.member($0) }
  }

  /// Runs the command in each vault, and ends with the worst exit code.
  func run<Command: RunsOverSet>(_ command: Command) async throws {
    let command = try await command.prepared(self)
    let parts = VaultParts(members.map(\.name), global) { error in
      command.seeks && (error.status == .notFound || error.code == "unknown_kind")
    }
    try await parts.run { name in
      guard let member = members.first(where: { $0.name == name }), var adapted = try command.adapted(to: member) else {
        return false
      }
      (adapted.vault.names, adapted.vault.vaults) = ([name], vaults)
      if var adapted = adapted as? any AsyncParsableCommand { try await adapted.run() } else { try adapted.run() }
      return true
    }
  }
}

/// The same work for several vaults. Each output is marked with the name of its vault, and is a part of the JSON
/// document.
struct VaultParts {
  private let names: [String]
  private let global: GlobalOptions
  private let isMissing: (CommandError) -> Bool

  /// - Parameter isMissing: whether an error says that a vault lacks what the command looks for. Such errors count only
  ///   if every vault lacks it.
  init(_ names: [String], _ global: GlobalOptions, isMissing: @escaping (CommandError) -> Bool = { _ in false }) {
    (self.names, self.global, self.isMissing) = (names, global, isMissing)
  }

  /// - Parameter body: does the work for one vault, and returns false if there was nothing to do.
  func run(_ body: (String) async throws -> Bool) async throws {
    try await KeySource.$readPassphrases.withValue(ReadPassphrases()) { try await runAll(body) }
  }

  private func runAll(_ body: (String) async throws -> Bool) async throws {
    let width = names.map(\.count).max() ?? 0
    let isTable = Output.isTerminal && !global.json
    var (documents, ends): ([JSONValue], [ExitStatus]) = ([], [])
    var missing: CommandError?
    for name in names {
      let part = OutputPart(
        margin: global.json ? nil : isTable ? "" : Printable.padded(name, to: width) + "  ",
        title: isTable ? global.style.bold(name) : nil)
      let end = try await Messages.$vault.withValue(name) {
        try await Output.$part.withValue(part) { try await self.end(of: body, name) }
      }
      switch end {
      case .ended(let status):
        ends.append(status)
        documents.append(document(of: part, name, status))
      case .missing(let error): missing = error
      case .nothing: continue
      }
    }
    if ends.isEmpty, let missing { throw missing }
    if global.json { try Output.document(["vaults": documents]) }
    guard let worst = ExitStatus.worst(of: ends), worst != .done else { return }
    throw Finished(status: worst)
  }

  private enum End {
    case ended(ExitStatus)
    /// The vault lacks what the command looks for.
    case missing(CommandError)
    case nothing
  }

  private func end(of body: (String) async throws -> Bool, _ name: String) async throws -> End {
    do {
      return try await body(name) ? .ended(.done) : .nothing
    } catch let finished as Finished {
      return .ended(finished.status)
    } catch {
      let error = CommandError(any: error)
      // A usage error is wrong in every vault, and a refusal of the user ends the run.
      if error.status == .usage || error.status == .declined { throw error }
      if isMissing(error) { return .missing(error) }
      global.messages.report(error)
      return .ended(error.status.asLeftOut)
    }
  }

  private func document(of part: OutputPart, _ name: String, _ status: ExitStatus) -> JSONValue {
    var object = part.document?.object ?? JSONObject()
    object["schema"] = nil
    object["exit"] = .number(JSONNumber(Int(status.rawValue)))
    object["vault"] = .string(name)
    return .object(object)
  }
}

extension ExitStatus {
  /// The exit code for a vault that is left out because it does not open.
  fileprivate var asLeftOut: ExitStatus {
    switch self {
    case .noVault, .cannotUnlock, .locked, .inputOutput, .notFound: .partlyDone
    default: self
    }
  }

  /// The worst of several exit codes, in this order: another vault than expected, damage, unreadable data, other
  /// failures, findings of a check, vaults that were left out.
  static func worst(of all: [ExitStatus]) -> ExitStatus? {
    let order: [ExitStatus] = [.unexpectedVault, .damaged, .inputOutput]
    let last: [ExitStatus] = [.findings, .partlyDone, .done]
    return order.first(where: all.contains) ?? all.first { !last.contains($0) } ?? last.first(where: all.contains)
  }
}

extension RunOverSet {
  func id(of word: String) async throws -> RecordID {
    if let id = RecordID(parsing: word) { return id }
    var found: [RecordID: [String]] = [:]
    for member in members {
      guard let locked = try? member.opened() else { continue }
      do throws(VaultError) {
        found[try await locked.resolve(word), default: []].append(member.name)
      } catch {
        guard error.code == .noSuchRecord else { throw CommandError(error).aboutRecord("\(member.name):\(word)") }
      }
    }
    guard let (id, _) = found.first else { throw CommandError.nowhere(word) }
    guard found.count == 1 else {
      throw CommandError(
        .notFound, "ambiguous_record", subject: word, "several vaults have different records of this name: use an id",
        hints: found.sorted { $0.key < $1.key }.flatMap { id, names in names.map { "\($0):\(id.text)" } })
    }
    return id
  }

  func holders(of word: String) async throws -> (record: StoredRecord, vaults: [String]) {
    let id = try await id(of: word)
    let holders = members.compactMap { member in
      (try? member.opened().record(id)).map { (name: member.name, record: $0) }
    }
    guard let first = holders.first else { throw CommandError.nowhere(word) }
    return (first.record, holders.map(\.name))
  }
}

extension CommandError {
  /// The error if no vault of a set has the record.
  fileprivate static func nowhere(_ word: String) -> CommandError {
    CommandError(
      .notFound, "no_such_record", subject: nil, "no vault of the set has this record",
      hints: ["`vault list --everywhere` shows the records"]
    ).aboutRecord(word)
  }
}
