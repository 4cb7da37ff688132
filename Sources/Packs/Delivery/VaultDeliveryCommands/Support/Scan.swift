import VaultDelivery
import VaultDocument
import VaultGit
import VaultSystem
import VaultTerminal

/// Looks for values of a vault in files and in git.
struct Scan {
  /// One line that holds a value.
  struct Finding {
    /// As its last part shows it: a path, or what git has it under.
    let place: String
    let commit: String?
    let line: Int
    let origin: VaultValues.Origin
  }

  private static let blobByteLimit = 256 << 20
  private let values: VaultValues
  private(set) var findings: [Finding] = []
  private(set) var fileCount = 0
  /// What could not be read, and why.
  private(set) var faults: [CommandError] = []

  init(_ values: VaultValues) { self.values = values }

  /// A file, all files below a folder, or standard input.
  mutating func look(at path: String) {
    if path == "-" { return look(in: System.standardInput, path) }
    // What is named may be a link; what is found in a folder is not followed.
    guard System.kind(of: path) == .directory else { return look(inFile: path) }
    let isLink = System.status(of: path, followingLink: false)?.kind != .directory
    walk(isLink ? path + "/." : path, at: path == "." ? "" : path)
  }

  private mutating func walk(_ folder: String, at shown: String) {
    do throws(SystemError) {
      for entry in try System.entries(in: folder).sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        let path = shown.isEmpty || shown.hasSuffix("/") ? shown + entry.name : shown + "/" + entry.name
        guard entry.isExact else {
          faults.append(CommandError(.inputOutput, "io_failed", subject: path, "has a name that is no UTF-8"))
          continue
        }
        switch entry.kind ?? System.status(of: path, followingLink: false)?.kind {
        // What git keeps is looked at commit by commit.
        case .directory where entry.name != ".git": walk(path, at: path)
        case .regular: look(inFile: path)
        default: break
        }
      }
    } catch {
      faults.append(CommandError(error))
    }
  }

  private mutating func look(inFile path: String) {
    do throws(SystemError) {
      let file = try NamedFile.reading(path)
      look(in: file.descriptor, path)
    } catch {
      faults.append(CommandError(error))
    }
  }

  private mutating func look(in descriptor: Int32, _ path: String) {
    var (search, found) = (NeedleSearch(values.needles), [NeedleSearch.Finding]())
    let isWhole = System.forEachPiece(from: descriptor) { piece in
      found += search.take(Array(piece))
      return true
    }
    note(found + search.end(), place: path, commit: nil)
    if !isWhole { faults.append(CommandError(.inputOutput, "io_failed", subject: path, "cannot be read to its end")) }
  }

  /// What commits, or the index, have, and the messages of the commits.
  mutating func look(at changes: [GitChanges], _ git: Git) {
    var (blobs, messages): (Set<String>, Set<String>) = ([], [])
    for change in changes {
      if let commit = change.commit, messages.insert(commit).inserted {
        look(atBlob: ["cat-file", "commit", commit], "(message)", commit: commit, git: git)
      }
      for file in change.files {
        guard let blob = file.new, blobs.insert("\(blob) \(file.path)").inserted else { continue }
        look(atBlob: ["cat-file", "blob", blob], file.path, commit: change.commit, git: git)
      }
    }
  }

  private mutating func look(atBlob name: [String], _ place: String, commit: String?, git: Git) {
    guard let bytes = git.output(name, limit: Self.blobByteLimit) else {
      let subject = [commit.map { String($0.prefix(12)) }, place].compactMap(\.self).joined(separator: ":")
      faults.append(
        CommandError(.inputOutput, "io_failed", subject: subject, "is not in git here, or is longer than 256 MiB"))
      return
    }
    var search = NeedleSearch(values.needles)
    // Above the message stand tree, parents and people, and an empty line.
    let headCount = name[1] == "commit" ? bytes.firstRange(of: [0x0A, 0x0A])?.upperBound ?? 0 : 0
    note(search.take(Array(bytes[headCount...])) + search.end(), place: place, commit: commit)
  }

  private mutating func note(_ found: [NeedleSearch.Finding], place: String, commit: String?) {
    fileCount += 1
    var told: Set<NeedleSearch.Finding> = []
    for finding in found where told.insert(finding).inserted {
      findings.append(Finding(place: place, commit: commit, line: finding.line, origin: values.origins[finding.label]))
    }
  }
}
