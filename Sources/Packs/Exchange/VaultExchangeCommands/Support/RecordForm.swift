import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultSealing
import VaultTerminal

struct RecordForm: Sendable {
  /// Opens the sealed fields; nil for an export without secrets.
  let permission: Revealing?
  var reveal: Bool { permission != nil }
  /// Whether sealed fields stay tokens. Otherwise they are left out unless they are revealed.
  let sealed: Bool
  let keys: KeyStyle?
  /// The exported members; nil for all.
  var paths: [MemberPath]?
  /// Whether each record names its kind, because there are several.
  var hasKinds = false
  /// Whether former values are exported.
  var hasFormer = false
  var attachments: [RecordID: [ExportedAttachment]] = [:]

  func members(of view: RecordView) throws -> (members: JSONObject, leftOutCount: Int) {
    let fields = reveal || sealed ? view.fields : try view.readableFields().fields
    let count = reveal || sealed ? 0 : try leftOutCount(view)
    let members = try named(fields, of: view)
    guard hasKinds else { return (members, count) }
    return (VaultExport.adding(kind: view.envelope.kind, former: formerDocument(of: view), to: members), count)
  }

  /// The record in the document of `--json`, in which sealed fields are marks.
  func document(of view: RecordView) throws -> (document: JSONValue, leftOutCount: Int) {
    let shown = sealed ? view.fields : try view.markedFields()
    let count = reveal || sealed ? 0 : try leftOutCount(view)
    let document = view.document(record: try named(shown, of: view))
    guard let former = formerDocument(of: view), case .object(let members) = document else { return (document, count) }
    return (.object(members.adding("former", .object(former))), count)
  }

  /// Opened values with their times, or their tokens; nil without `--former`.
  private func formerDocument(of view: RecordView) -> JSONObject? {
    guard hasFormer else { return nil }
    guard reveal else {
      var lists = JSONObject()
      for (path, tokens) in view.formerTokens where isChosen(path) {
        lists[path.description] = .array(tokens.map { .string($0.text) })
      }
      return lists
    }
    return VaultExport.document(of: formerValues(of: view))
  }

  private func formerValues(of view: RecordView) -> [ExportedFormerValue] {
    view.former.filter { isChosen($0.path) }.map { value in
      ExportedFormerValue(
        path: value.path, value: value.value, sealedAt: value.sealedAt, replacedAt: value.presentSealedAt)
    }
  }

  private func isChosen(_ path: MemberPath) -> Bool {
    paths?.contains { path.components.starts(with: $0.components) } ?? true
  }

  func exported(_ view: RecordView) throws -> (record: ExportedRecord, leftOutCount: Int) {
    let (members, count) = try members(of: view)
    var record = ExportedRecord(
      id: view.id.text, kind: view.envelope.kind, name: view.name, members: members, schema: view.kind,
      sealedPaths: view.sealedPaths.union(view.former.map(\.path)))
    if hasFormer { record.former = formerValues(of: view) }
    record.attachments = attachments[view.id] ?? []
    return (record, count)
  }

  /// How many sealed fields would be exported if they were opened.
  private func leftOutCount(_ view: RecordView) throws -> Int {
    guard let paths else { return try view.sealedCount() }
    return view.sealedPaths.count { sealed in paths.contains { sealed.components.starts(with: $0.components) } }
  }

  private func chosen(_ members: JSONObject) throws -> JSONObject {
    guard let paths else { return members }
    let tree = JSONValue.object(members)
    var chosen = JSONValue.object(JSONObject())
    for path in paths {
      if let value = try? tree.value(at: path) { try chosen.set(value, at: path) }
    }
    return chosen.object ?? JSONObject()
  }

  private func named(_ members: JSONObject, of view: RecordView) throws -> JSONObject {
    let members = try chosen(members)
    guard let keys else { return members }
    do throws(DocumentError) {
      return try JSONValue.object(members).names(in: keys, except: RecordView.isMark).object ?? JSONObject()
    } catch {
      throw CommandError.notExported(
        view.id.text, path: error.path, reason: "\(error.reason) with --keys \(keys.rawValue)")
    }
  }
}
