import Synchronization
import VaultDocument
import VaultFileStore
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultSystem
import VaultKit

/// A vault in a folder with an index beside it, whose records anybody writes: nothing here is verified.
struct IndexedVault {
  let folder = TemporaryFolder()
  private let template: JSONObject
  let notes = Notes()
  var path: String { folder.path + "/v" }
  var cache: String { folder.path + "/cache/cvault" }

  final class Notes: Sendable {
    let all = Mutex<[String]>([])
    var count: Int { all.withLock { $0.count } }
  }

  init() async throws {
    let vault = try await FolderVault()
    let custom = try KindCatalog.builtIn.kind(named: "custom")
    let id = try await vault.vault.add([JSONObject([("title", .string("template"))])], kind: custom)[0]
    let bytes = vault.bytes(.record(id)) ?? []
    guard case .object(let document) = try JSONParser.parse(bytes), case .object(let envelope)? = document["$vault"]
    else { preconditionFailure("a record is an object with an envelope") }
    template = envelope
    FileTree.makeFolder(folder.path + "/v")
    FileTree.copy(vault.path, to: path)
    FileTree.remove(path + "/records")
  }

  /// The index that a program with this folder would use.
  var options: IndexOptions {
    var options = IndexOptions(directory: cache)
    options.minimumRecordCount = 0
    options.onNote = { [notes] note in notes.all.withLock { $0.append(note) } }
    return options
  }

  /// The vault as it is read without an index.
  func plain() throws -> LockedVault { try LockedVault(at: path) }

  /// The vault with its index.
  func indexed() throws -> LockedVault { try plain().using(options) }

  func file(_ id: RecordID) -> String { path + "/" + StoreLocation.record(id).relativePath }

  /// A record's file with these members.
  func bytes(
    _ id: RecordID, kind: String = "custom", schema: Int = 1, revision: Int = 1, at time: String? = nil,
    _ members: [(String, JSONValue)]
  ) throws -> [UInt8] {
    var envelope = template
    envelope["id"] = .string(id.text)
    envelope["kind"] = .string(kind)
    envelope["schema"] = .number(JSONNumber(schema))
    envelope["revision"] = .number(JSONNumber(revision))
    if let time {
      envelope["created_at"] = .string(time)
      envelope["updated_at"] = .string(time)
    }
    return try JSONValue.object(JSONObject(members + [("$vault", .object(envelope))])).prettyBytes()
  }

  /// Replaces a record's file, as every program does that does not edit in place.
  func put(_ bytes: [UInt8], at id: RecordID) {
    FileTree.writeWithFolder(bytes, to: file(id) + ".new")
    rename(file(id) + ".new", to: file(id))
  }

  func rename(_ source: String, to target: String) {
    // A test that cannot set its scene has nothing to show.
    let here = OpenPurpose.noDirectory
    do { try LiveFileOperations().rename(source, in: here, to: target, in: here) } catch {
      preconditionFailure("a test could not rename a file")
    }
  }

  /// Writes a record with a title and returns its id.
  @discardableResult
  func put(_ title: String, _ id: RecordID = .random()) throws -> RecordID {
    put(try bytes(id, [("title", .string(title))]), at: id)
    return id
  }

  /// A row of a list, as far as it is shown.
  struct Row: Equatable {
    let id: RecordID
    let kind: String
    let name: [UInt8]
    let revision: Int
    let times: [Timestamp]
  }

  struct Answer: Equatable {
    let rows: [Row]
    let faults: [String]
  }

  /// All that a program shows of a list.
  static func answer(_ vault: LockedVault, _ query: RecordQuery) async -> Answer {
    do {
      let (records, faults) = try await vault.listed(query)
      let rows = records.map { record in
        Row(
          id: record.id, kind: record.kind, name: Array(record.name.utf8), revision: record.revision,
          times: [record.createdAt, record.updatedAt])
      }
      return Answer(rows: rows, faults: faults.map { "\($0.code) \($0.description) \($0.record?.text ?? "")" })
    } catch {
      return Answer(rows: [], faults: ["thrown: \(error)"])
    }
  }

  /// The meaning of a word, or the whole error.
  static func meaning(_ vault: LockedVault, _ word: String) async -> String {
    do { return try await vault.resolve(word).text } catch { return "\(error.code) \(error) \(error.remedies)" }
  }
}
