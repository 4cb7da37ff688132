import VaultCLI
import VaultDelivery
import VaultDocument
import VaultPackSupport
import VaultSystem
import VaultTerminal

struct Scan {
  struct Finding {
    /// The place: a path, or the name in git.
    let place: String
    let commit: String?
    let line: Int
    let origin: VaultValues.Origin
  }

  private static let blobByteLimit = 256 << 20
  private let values: VaultValues
  private(set) var findings: [Finding] = []
  private(set) var fileCount = 0
  /// Unreadable files, with reasons.
  private(set) var faults: [CommandError] = []

  init(_ values: VaultValues) { self.values = values }

  /// Scans a file, all files below a folder, or standard input.
  mutating func look(at path: String) {
    if path == "-" { return look(in: System.standardInput, path) }
    // A named path may be a link. Links inside a folder are not followed.
    guard System.kind(of: path) == .directory else { return look(inFile: path) }
    let isLink = System.status(of: path, followingLink: false)?.kind != .directory
    walk(isLink ? path + "/." : path, at: path == "." ? "" : path)
  }

  private mutating func walk(_ folder: String, at shown: String) {
    do throws(SystemError) {
      for entry in try System.entries(in: folder).sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        let path = shown.isEmpty || shown.hasSuffix("/") ? shown + entry.name : shown + "/" + entry.name
        guard entry.isExact else {
          faults.append(CommandError(.inputOutput, "io_failed", subject: path, "has a name that is not UTF-8"))
          continue
        }
        switch entry.kind ?? System.status(of: path, followingLink: false)?.kind {
        // The content of git is scanned commit by commit instead.
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

  /// Scans the texts of commits or of the index, and the messages of the commits.
  mutating func look(at changes: [ChangedText]) {
    for text in changes {
      guard let bytes = text.read(Self.blobByteLimit) else {
        let subject = [text.commit.map { String($0.prefix(12)) }, text.place].compactMap(\.self).joined(separator: ":")
        faults.append(
          CommandError(.inputOutput, "io_failed", subject: subject, "is not in git here, or is longer than 256 MiB"))
        continue
      }
      var search = NeedleSearch(values.needles)
      note(search.take(bytes) + search.end(), place: text.place, commit: text.commit)
    }
  }

  private mutating func note(_ found: [NeedleSearch.Finding], place: String, commit: String?) {
    fileCount += 1
    var told: Set<NeedleSearch.Finding> = []
    for finding in found where told.insert(finding).inserted {
      let origin = values.origin(of: finding.label)
      findings.append(Finding(place: place, commit: commit, line: finding.line, origin: origin))
    }
  }
}
