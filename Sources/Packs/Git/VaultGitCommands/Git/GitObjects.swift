import Synchronization
import VaultKit
import VaultMerge
import VaultStorage
import VaultSystem
import VaultTerminal

/// An object of a repository, without filters, hooks, pagers and text conversions.
struct GitObject {
  enum Kind: String {
    case blob, tree, commit, tag
  }

  /// The hash, as hexadecimal digits.
  let id: String
  let kind: Kind
  let bytes: [UInt8]
}

/// A reader of git objects. One process answers all its questions, and starts with the first one.
///
/// The repository may be hostile, so sizes are limited before objects are in memory.
package final class GitObjects: Sendable {
  enum Answer {
    case object(GitObject)
    /// The name is unknown or ambiguous.
    case missing
    case tooLarge
    /// There is no git or no repository, or the repository is damaged.
    case failed
  }

  /// How many bytes of questions are sent before an answer is read. They fit into a pipe, so neither side waits for the
  /// other.
  private static let questionByteLimit = 8 << 10
  /// How many bytes of answers are collected before they are passed on, apart from the last object.
  private static let answerByteLimit = 32 << 20
  private static let lineByteLimit = 64 << 10
  /// The size limit of a vault's files, except the checkpoint and attachments.
  static let fileByteLimit = 16 << 20

  /// How git is asked. A newer git collects its answers until a flush. An older git writes each answer separately, and
  /// each wakes the reader.
  private enum Dialect {
    case held
    /// For git before 2.36.
    case plain

    var words: [String] { self == .held ? ["cat-file", "--batch-command", "--buffer"] : ["cat-file", "--batch"] }
    var verb: String { self == .held ? "contents " : "" }
    var ending: String { self == .held ? "flush\n" : "" }
  }

  private struct Tool: ~Copyable {
    var own: AskedTool?
    var dialect = Dialect.held
    /// Whether git has answered, and so knows the dialect.
    var hasAnswered = false
  }

  private let git: Git
  private let tool = Mutex(Tool())

  package init(_ git: Git) { self.git = git }

  /// Starts git in advance, so that it is ready for the first question.
  func start() {
    tool.withLock { tool in
      if tool.own == nil { tool.own = try? git.asked(tool.dialect.words) }
    }
  }

  /// Passes the objects of these names to `body`, in order, until it returns false.
  ///
  /// - Parameters:
  ///   - limit: a larger object counts as missing, and is not read.
  ///   - ahead: the number of first questions, which grows.
  func read(_ names: [String], limit: Int, ahead: Int = 128, _ body: (Int, Answer) -> Bool) {
    var (next, ahead) = (0, ahead)
    while next < names.count {
      let some = names[next..<min(next + ahead, names.count)]
      // Other threads can ask while the answers are used.
      for answer in tool.withLock({ tool in answers(to: some, limit, &tool) }) {
        guard body(next, answer) else { return }
        next += 1
      }
      ahead *= 2
    }
  }

  func object(_ name: String, limit: Int) -> Answer {
    var found = Answer.failed
    read([name], limit: limit) { _, answer in
      found = answer
      return true
    }
    return found
  }

  /// The bytes of a file; nil if it does not exist or is larger.
  package func blob(_ name: String, limit: Int) -> [UInt8]? {
    guard case .object(let object) = object(name, limit: limit), object.kind == .blob else { return nil }
    return object.bytes
  }

  /// The version of a record in a blob; nil if the blob is missing or too large.
  func version(_ name: String) -> StoredVersion? {
    blob(name, limit: Self.fileByteLimit).map { StoredVersion($0) }
  }

  /// Passes the versions of records in blobs to `body`. Missing and too large blobs are skipped.
  func forEachVersion(_ names: [String], _ body: (Int, StoredVersion) -> Void) {
    read(names, limit: Self.fileByteLimit) { index, answer in
      if case .object(let object) = answer, object.kind == .blob { body(index, StoredVersion(object.bytes)) }
      return true
    }
  }

  /// The versions of records in blobs, by name, read together. Missing and too large blobs are left out.
  func versions(_ names: some Sequence<String>) -> [String: StoredVersion] {
    blobs(names, limit: Self.fileByteLimit).mapValues { StoredVersion($0) }
  }

  /// The header of this vault in a commit; nil without a readable header.
  func header(in commit: String) -> VaultHeader? {
    let place = StoreLocation.header
    let bytes = blob("\(commit):./\(place.relativePath)", limit: place.byteLimit)
    return bytes.flatMap { try? VaultHeader(parsing: $0) }
  }

  /// Whether a parent of a commit is missing, as for the oldest commit of a shallow clone.
  func isCutOff(before commit: String) -> Bool {
    guard case .object(let object) = object(commit, limit: 1 << 20), object.kind == .commit else { return false }
    // The headers, an empty line, and the message.
    let lines = object.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let headers = lines.prefix { !$0.isEmpty }
    return headers.contains { line in
      guard line.starts(with: "parent ".utf8) else { return false }
      guard case .missing = self.object(String(decoding: line.dropFirst(7), as: UTF8.self), limit: 1 << 20) else {
        return false
      }
      return true
    }
  }

  /// The bytes of files by name, read together. Missing and larger files are left out.
  func blobs(_ names: some Sequence<String>, limit: Int) -> [String: [UInt8]] {
    let names = Array(Set(names))
    var found: [String: [UInt8]] = [:]
    read(names, limit: limit) { number, answer in
      if case .object(let object) = answer, object.kind == .blob { found[names[number]] = object.bytes }
      return true
    }
    return found
  }

  /// The answers to the first questions, at least to one.
  private func answers(to names: ArraySlice<String>, _ limit: Int, _ tool: inout Tool) -> [Answer] {
    let (questions, asked) = Self.questions(names, tool.dialect)
    guard asked > 0 else { return [.missing] }
    // A process with unread answers cannot be used for the next caller.
    guard var own = tool.own.take() ?? (try? git.asked(tool.dialect.words)) else { return [.failed] }
    var (answers, byteCount) = ([Answer](), 0)
    let isAsked = (try? own.ask(questions)) != nil
    while isAsked, answers.count < asked {
      let (answer, isWhole) = Self.answer(of: &own, limit)
      if case .failed = answer, answers.isEmpty { break }
      tool.hasAnswered = true
      answers.append(answer)
      guard isWhole else { return answers }
      if case .object(let object) = answer { byteCount += object.bytes.count }
      if byteCount > Self.answerByteLimit, answers.count < asked { return answers }
    }
    guard !answers.isEmpty else {
      guard !tool.hasAnswered, tool.dialect == .held else { return [.failed] }
      tool.dialect = .plain
      return self.answers(to: names, limit, &tool)
    }
    tool.own = consume own
    return answers
  }

  /// As many questions as fit, and their number.
  private static func questions(_ names: ArraySlice<String>, _ dialect: Dialect) -> (bytes: [UInt8], count: Int) {
    var questions: [UInt8] = []
    var count = 0
    for name in names {
      let byteCount = dialect.verb.utf8.count + name.utf8.count + 1
      // A line feed would make two questions.
      guard !name.utf8.contains(UInt8(ascii: "\n")), questions.count + byteCount < questionByteLimit else { break }
      questions += dialect.verb.utf8
      questions += name.utf8
      questions.append(UInt8(ascii: "\n"))
      count += 1
    }
    return (questions + dialect.ending.utf8, count)
  }

  /// One answer, and whether it was read to its end.
  private static func answer(of tool: inout AskedTool, _ limit: Int) -> (Answer, isWhole: Bool) {
    guard let line = tool.line(limit: lineByteLimit) else { return (.failed, false) }
    // Compared by bytes, because this runs for each of a million records.
    if line.suffix(8).elementsEqual(" missing".utf8) || line.suffix(10).elementsEqual(" ambiguous".utf8) {
      return (.missing, true)
    }
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count == 3, let kind = GitObject.Kind(words[1]), let count = Int(decimal: words[2]) else {
      return (.failed, false)
    }
    guard count <= limit else { return (.tooLarge, false) }
    // A line feed ends the object.
    guard var bytes = tool.bytes(count + 1), bytes.popLast() == UInt8(ascii: "\n") else { return (.failed, false) }
    return (.object(GitObject(id: String(decoding: words[0], as: UTF8.self), kind: kind, bytes: bytes)), true)
  }
}

extension GitObject.Kind {
  private static let names = [blob, tree, commit, tag].map { (Array($0.rawValue.utf8), $0) }

  fileprivate init?(_ name: ArraySlice<UInt8>) {
    guard let kind = Self.names.first(where: { name.elementsEqual($0.0) })?.1 else { return nil }
    self = kind
  }
}

extension Int {
  /// Nil for anything but a number of at most 18 digits.
  fileprivate init?(decimal digits: ArraySlice<UInt8>) {
    guard (1...18).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = 10 * value + Int(digit - UInt8(ascii: "0"))
    }
    self = value
  }
}
