import ArgumentParser
import VaultCLI
import VaultCare
package import VaultDocument
import VaultKit
import VaultPackSupport
import VaultTerminal
import VaultRepair

struct AcceptCommand: AsyncParsableCommand, ManyRecordsNaming {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Authenticate records whose readable fields were edited by hand.",
    discussion: """
      Example:
        vault accept "Shai Mishali" --identity identity.txt

      For each record, the command shows what differs from the newest version that verifies, in git or the trash. \
      Then it asks. Sealed values must be where they were, and attachments must be the same.

      If no version verifies, the command shows the whole record, with sealed fields masked. Then --no-baseline says \
      that you have looked at all of it.
      """)

  @Argument(help: "Ids, beginnings of ids, or names in upper or lower case.")
  var record: [String]

  @Flag(help: "Also accept a record without a version to compare it with.")
  var noBaseline = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !global.json || global.yes else {
      throw CommandError(.declined, "declined", subject: "--json", "cannot ask", hints: ["add --yes"])
    }
    var session = try Session(vault, global)
    // A user who confirms in advance must give full names.
    session.takesParts = !global.yes
    let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
    let histories = [Packs.keptStates?.fileHistory(ofVaultAt: session.location.path)].compactMap(\.self)
    var ids: [RecordID] = []
    for name in record {
      let id = try await session.resolveEdited(name)
      if !ids.contains(id) { ids.append(id) }
    }
    var reviews: [EditReview] = []
    for id in ids {
      if let review = try await opened.editReview(of: id, histories) { reviews.append(review) }
    }
    if !global.json { for review in reviews { try Output.lines(review.lines(global.style)) } }
    for review in reviews { try review.requireAcceptable() }
    if !noBaseline, let blind = reviews.first(where: { $0.baseline == nil }) { throw Self.needsBaseline(blind) }
    if !reviews.isEmpty { try global.confirm(Self.question(reviews.count)) }
    try await opened.accept(reviews)
    if global.json { return try Output.document(["accepted": reviews]) }
    if reviews.isEmpty { global.messages.note("there is nothing to accept: all verifies as it is") }
  }

  private static func question(_ count: Int) -> String {
    count == 1 ? "Accept this record as it is now?" : "Accept these \(count) records as they are now?"
  }

  private static func needsBaseline(_ review: EditReview) -> CommandError {
    var error = CommandError(
      .declined, "no_baseline", subject: review.file,
      "no version in git or the trash verifies: there is nothing to compare the record with",
      hints: [
        "look at every field; `vault accept \(review.found.id.text) --no-baseline` accepts all of them",
        "--yes alone does not accept them",
      ])
    error.file = review.file
    error.record = review.found.id.text
    return error
  }
}

extension EditReview: DocumentValue {
  /// The difference, or the whole record if there is nothing to compare.
  fileprivate func lines(_ style: Style) throws -> [String] {
    guard let baseline else { return ["\(file): no version to compare with"] + (try RecordView(found).lines(style)) }
    var lines = [Printable.text("\(file): compared with revision \(baseline.revision) from \(baseline.origin)")]
    if changes.isEmpty, attachments.isEmpty {
      lines.append("  no field differs, only the MAC, the revision or the time of the last change")
    }
    return try lines
      + changes.map { change in
        ChangeLine.text(change.path, before: try change.before?.compactText(), after: try change.after?.compactText())
      } + attachments.map(\.line)
  }

  package var document: JSONValue {
    .members(["baseline": baseline, "changes": changes, "file": file, "id": found.id, "revision": revision])
  }
}

extension EditReview.Baseline: DocumentValue {
  package var document: JSONValue {
    .members(["origin": origin, "revision": revision])
  }
}

extension TreeDifference: DocumentValue {
  /// `before` and `after` are left out if they are empty.
  package var document: JSONValue {
    var members = JSONObject()
    members["path"] = .string(path.description)
    members["before"] = before
    members["after"] = after
    return .object(members)
  }
}
