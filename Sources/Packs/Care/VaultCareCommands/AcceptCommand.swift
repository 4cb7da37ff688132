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
      It shows what differs from the newest version that verifies, in git or the trash, and asks. Sealed values must stand \
      where they stood, and attachments be those that they were. Where no version verifies it shows the whole record, sealed fields masked: then --no-baseline says \
      that you have looked at all of it.

      Example:
        vault accept "Shai Mishali" --identity identity.txt
      """)

  @Argument(help: "Ids, exact names, or beginnings of ids.")
  var record: [String]

  @Flag(help: "Accept also what cannot be compared with any version that verifies.")
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
    if reviews.isEmpty { global.messages.note("nothing to accept: it verifies as it is") }
  }

  private static func question(_ count: Int) -> String {
    count == 1 ? "Accept this record as it is now?" : "Accept these \(count) records as they are now?"
  }

  private static func needsBaseline(_ review: EditReview) -> CommandError {
    var error = CommandError(
      .declined, "no_baseline", subject: review.file,
      "no version of it verifies, in git or the trash: there is nothing to compare it with",
      hints: [
        "look at every field of it; `vault accept \(review.found.id.text) --no-baseline` accepts all of them",
        "--yes alone does not",
      ])
    error.file = review.file
    error.record = review.found.id.text
    return error
  }
}

extension EditReview: DocumentValue {
  /// The difference, or the whole record if there is nothing to compare.
  fileprivate func lines(_ style: Style) throws -> [String] {
    guard let baseline else { return ["\(file): compared with nothing"] + (try RecordView(found).lines(style)) }
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
