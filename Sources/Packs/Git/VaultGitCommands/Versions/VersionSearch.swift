import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// A verified version of a record that a word names.
struct VerifiedVersion {
  let version: RestorableRecord
  /// The origin: `commit 1a2b3c4d5e6f`.
  let origin: String

  var record: OpenRecord { version.record }
}

/// Finds versions of records for words such as `RECORD@REV`: in the vault, in its trash, and in git.
///
/// Each version is verified before any of its content is returned.
final class VersionSearch {
  private struct Candidate {
    let place: StoreLocation
    /// Nil for a version in the vault itself.
    let commit: String?
    /// The git object of its content.
    let object: String?
    let envelope: RecordEnvelope

    var origin: String { commit.map { "commit \($0.prefix(12))" } ?? place.relativePath }
  }

  private let session: Session
  private let options: VaultOptions
  private let unlocking: UnlockOptions
  private lazy var history = GitHistory(vault: session.location.path)
  /// The vaults that verify versions: the present vault, and its states in commits.
  private var vaults: [Vault]

  /// - Parameter opened: the present vault, if it is already unlocked.
  init(_ session: Session, options: VaultOptions, unlocking: UnlockOptions, opened: Vault? = nil) {
    (self.session, self.options, self.unlocking, vaults) = (session, options, unlocking, opened.map { [$0] } ?? [])
  }

  /// The version that a word names; nil if the word names the present record or nothing.
  func version(_ text: String) async throws -> VerifiedVersion? {
    guard let word = VersionWord(text), try await !isRecord(text) else { return nil }
    let id = try await id(word.record)
    if case .commit(let revision) = word.revision { return try await version(word, id, at: revision) }
    guard let id else { return nil }
    if vaults.isEmpty { vaults = [try await session.unlock(unlocking)] }
    let candidates = try candidates(word, id)
    switch word.revision {
    case .time: return try await newest(of: candidates, word)
    case .number, .trash, .commit: return try await only(of: candidates, word)
    }
  }

  private func isRecord(_ text: String) async throws -> Bool {
    do throws(VaultError) {
      _ = try await session.locked.resolve(text)
      return true
    } catch {
      return error.code == .ambiguousRecord
    }
  }

  /// The record that a word names now, live or removed; nil for an unknown word. An id may name a record that is gone.
  private func id(_ text: String, in vault: LockedVault? = nil) async throws -> RecordID? {
    if let id = RecordID(parsing: text) { return id }
    let vault = vault ?? session.locked
    do throws(VaultError) {
      do throws(VaultError) {
        return try await vault.resolve(text)
      } catch {
        guard error.code == .noSuchRecord else { throw error }
        return try vault.resolveTrashed(text)
      }
    } catch {
      guard error.code == .noSuchRecord else { throw CommandError(error).aboutRecord(text) }
      return nil
    }
  }
}

// By a commit.
extension VersionSearch {
  private func version(_ word: VersionWord, _ known: RecordID?, at revision: String) async throws -> VerifiedVersion? {
    let earlier: EarlierVault
    do {
      earlier = try EarlierVault(
        at: revision, session.location, required: RequiredFingerprint(options), global: session.global)
    } catch {
      // If nothing has the name before the last `@`, the `@` was part of a name that does not exist either.
      if known == nil { return nil }
      throw error
    }
    let found = try await known == nil ? id(word.record, in: earlier.vault) : known
    guard let found else { return nil }
    let places = StoreLocation.places(of: found)
    let files = try places.compactMap { place -> (place: StoreLocation, file: StoredVersion)? in
      try earlier.vault.bytes(of: found, at: place).map { (place, StoredVersion($0)) }
    }
    // The higher revision counts.
    let chosen = files.max { ($0.file.envelope?.revision ?? 0) < ($1.file.envelope?.revision ?? 0) }
    guard let (place, file) = chosen else { throw none(word) }
    let version = try await verify(file, at: place) { earlier }
    return VerifiedVersion(version: version, origin: "commit \(earlier.commit.prefix(12))")
  }
}

// By the versions' own data.
extension VersionSearch {
  /// The versions with the wanted revision or time, the newest first.
  private func candidates(_ word: VersionWord, _ id: RecordID) throws -> [Candidate] {
    let places = StoreLocation.places(of: id)
    var candidates: [Candidate] = []
    var known: Set<String> = []
    func take(_ bytes: [UInt8], _ place: StoreLocation, _ commit: String?, _ object: String?) {
      guard let envelope = StoredVersion(bytes).envelope, word.revision.mayBe(envelope, at: place),
        object.map({ known.insert($0).inserted }) ?? true
      else { return }
      candidates.append(Candidate(place: place, commit: commit, object: object, envelope: envelope))
    }
    for place in places {
      if let bytes = try session.locked.bytes(of: id, at: place) { take(bytes, place, nil, nil) }
    }
    if case .trash = word.revision { return candidates }
    history?.forEachVersion(ofAny: places.map(\.relativePath)) { version in
      guard let place = places.first(where: { $0.relativePath == version.path }) else { return true }
      take(version.bytes, place, version.commit, version.object)
      return true
    }
    return candidates.enumerated().sorted { one, other in
      let (left, right) = (one.element.envelope, other.element.envelope)
      if left.updatedAt != right.updatedAt { return left.updatedAt > right.updatedAt }
      return left.revision != right.revision ? left.revision > right.revision : one.offset < other.offset
    }.map(\.element)
  }

  /// The first version that verifies, because that version was current then.
  private func newest(of candidates: [Candidate], _ word: VersionWord) async throws -> VerifiedVersion {
    var failure: (any Error)?
    for candidate in candidates {
      do {
        return try await found(candidate)
      } catch let error as VaultError where error.code == .damaged {
        session.messages.note("skipped, because it does not verify: \(candidate.origin)")
        failure = failure ?? error
      }
    }
    throw failure ?? none(word)
  }

  /// The only version that verifies.
  private func only(of candidates: [Candidate], _ word: VersionWord) async throws -> VerifiedVersion {
    var failure: (any Error)?
    var found: [VerifiedVersion] = []
    // The same version can exist at several places, and under several root keys.
    for candidate in candidates where !found.contains(where: { $0.record.envelope.mac == candidate.envelope.mac }) {
      do {
        found.append(try await self.found(candidate))
      } catch let error as VaultError where error.code == .damaged {
        failure = failure ?? error
      }
    }
    guard let first = found.first else { throw failure ?? none(word) }
    guard found.count == 1 else {
      throw CommandError(
        .notFound, "ambiguous_version", subject: word.text,
        "there are \(found.count) such versions: name one by its commit",
        hints: found.map { "\($0.origin), changed at \($0.record.envelope.updatedAt.text)" })
    }
    return first
  }

  private func found(_ candidate: Candidate) async throws -> VerifiedVersion {
    let bytes =
      if let object = candidate.object {
        history?.bytes(object)
      } else {
        try candidate.place.recordID.flatMap { try session.locked.bytes(of: $0, at: candidate.place) }
      }
    guard let bytes else {
      throw CommandError(
        .changedUnderneath, "changed_underneath", subject: candidate.origin, "was changed while it was read")
    }
    let version = try await verify(StoredVersion(bytes), at: candidate.place) { [session, options] in
      try candidate.commit.map { commit in
        try EarlierVault(at: commit, session.location, required: RequiredFingerprint(options), global: session.global)
      }
    }
    return VerifiedVersion(version: version, origin: candidate.origin)
  }
}

// With the keys.
extension VersionSearch {
  /// Verifies a version with the present vault if its root key is the same, otherwise with the vault of the commit.
  private func verify(
    _ file: StoredVersion, at place: StoreLocation, _ earlier: () throws -> EarlierVault?
  ) async throws -> RestorableRecord {
    if let hint = file.envelope?.wrappedKey.rootHint,
      let vault = vaults.first(where: { (try? $0.recordRoot(hint: hint)) != nil })
    {
      return try vault.restorableRecord(file.bytes, at: place)
    }
    guard let earlier = try earlier() else {
      return try await current().restorableRecord(file.bytes, at: place)
    }
    let vault = try await Session(earlier, location: session.location, global: session.global).unlock(unlocking)
    vaults.append(vault)
    return try vault.restorableRecord(file.bytes, at: place)
  }

  private func current() async throws -> Vault {
    if vaults.isEmpty { vaults = [try await session.unlock(unlocking)] }
    return vaults[0]
  }

  private func none(_ word: VersionWord) -> CommandError {
    CommandError(
      .notFound, "no_such_version", subject: word.text, "the record has no such version here",
      hints: [
        history == nil
          ? "the vault is not in a work tree of git, which would have earlier versions"
          : "the vault, its trash and the history of HEAD were searched"
      ])
  }
}

extension VersionWord.Revision {
  /// Whether the envelope has the wanted revision. For a time, whether the version is not newer.
  fileprivate func mayBe(_ envelope: RecordEnvelope, at place: StoreLocation) -> Bool {
    switch self {
    case .number(let number): envelope.revision == number
    case .trash: place == .trash(envelope.id)
    case .time(let time): envelope.updatedAt <= time
    case .commit: false
    }
  }
}
