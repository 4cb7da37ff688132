import VaultTestSupport

/// The system calls of a script and of all that it starts, as `strace -ff` writes them: one file for each process.
///
/// A call is judged if the program under test makes it. A child that has not yet become another program is still that
/// program.
struct SystemTrace {
  /// A program that was started, by any process.
  struct Start {
    let program: String
    /// The words, as strace shows them.
    let words: String
    let variables: String
    /// Whether the program under test has started it.
    let isOurs: Bool
    /// The descriptors that the child closed before.
    let closed: Set<String>
  }

  /// A call that has a marker, and that is not the start of a program.
  struct Sight {
    let call: String
    let descriptor: String
    /// The file, pipe or socket behind the descriptor.
    let target: String
  }

  private(set) var starts: [Start] = []
  private(set) var sights: [Sight] = []
  /// Calls that open a descriptor which later programs would inherit.
  private(set) var inherited: [String] = []
  /// Runs of the program under test that did not forbid core files and debuggers.
  private(set) var dumpableCount = 0
  /// The programs that have a pipe as one of their standard streams, or that were given it beside these.
  private(set) var readers: [String: Set<String>] = [:]

  /// The beginning of each file's name, before the number of its process.
  private let prefix: String
  private let folder: String
  private let markers: [String]

  /// The calls that start programs, name files, make descriptors, or carry bytes away.
  static let calls = """
    execve,clone,clone3,fork,vfork,open,openat,openat2,creat,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,\
    sendmmsg,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,unlink,unlinkat,setxattr,fsetxattr,\
    memfd_create,pipe,pipe2,dup,dup2,dup3,fcntl,close,socket,socketpair,accept,accept4,connect,bind,eventfd2,\
    epoll_create1,timerfd_create,inotify_init1,prctl,prlimit64,setrlimit
    """
  private static let carrying: Set<String> = [
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg",
  ]
  private static let makingDescriptors: Set<String> = [
    "open", "openat", "openat2", "creat", "memfd_create", "pipe", "pipe2", "dup", "socket", "socketpair", "accept",
    "accept4", "eventfd2", "epoll_create1", "timerfd_create", "inotify_init1",
  ]

  /// The words of a shell that run a script with its calls written to files of this name.
  static func words(writing prefix: String, _ script: String) -> [String] {
    ["-ff", "-qq", "-v", "-y", "-s", "262144", "-o", prefix, "-e", "trace=" + calls, "/bin/sh", "-c", script]
  }

  /// - Parameters:
  ///   - prefix: the path of the files, up to the number of the process.
  ///   - markers: texts that must stay where they are needed.
  init(_ prefix: String, markers: [String]) {
    (folder, self.markers) = (Binary.parent(prefix), markers)
    self.prefix = String(prefix.dropFirst(folder.utf8.count + 1)) + "."
    // The process that started all others has the lowest number, since the numbers of one run are given in order.
    let numbers = FileTree.names(in: folder).filter { $0.hasPrefix(self.prefix) }
      .compactMap { Int($0.dropFirst(self.prefix.count)) }
    let lines = Dictionary(uniqueKeysWithValues: numbers.map { ($0, self.lines(of: $0)) })
    let children = Set(lines.values.joined().compactMap(Self.child(of:)))
    for number in numbers where !children.contains(number) { go(through: number, lines, isOurs: false) }
  }

  private func lines(of number: Int) -> [String] {
    (FileTree.contents(of: "\(folder)/\(prefix)\(number)") ?? []).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The process or thread that a call has made.
  private static func child(of line: String) -> Int? {
    guard ["clone", "fork(", "vfork("].contains(where: line.hasPrefix) else { return nil }
    return line.split(separator: " ").last.flatMap { Int($0) }
  }

  private static func name(of line: String) -> String { String(line.prefix { $0 != "(" }) }

  /// - Parameter isOurs: whether the process is the program under test when it begins.
  private mutating func go(through number: Int, _ all: [Int: [String]], isOurs: Bool) {
    var (isOurs, isChild, closed, given) = (isOurs, isOurs, Set<String>(), Set<String>())
    let lines = all[number] ?? []
    // A thread that starts a program ends instead: its process becomes the program.
    let becomesProgram = lines.contains { $0.hasPrefix("execve") && $0.hasSuffix(" = 0") }
    for (index, line) in lines.enumerated() {
      let name = Self.name(of: line)
      if let child = Self.child(of: line) { go(through: child, all, isOurs: isOurs) }
      if line.hasPrefix("+++ superseded") { isOurs = false }
      if name == "execve" {
        guard line.hasSuffix(" = 0") || line.contains("<pid changed to") else { continue }
        let start = start(line, isOurs: isOurs, closed: closed)
        starts.append(start)
        for pipe in given { readers[pipe, default: []].insert(start.program) }
        (isOurs, isChild) = (start.program == "vault" || isOurs && start.program == "exe", false)
        if isOurs, !Self.forbidsDumps(lines[(index + 1)...]) { dumpableCount += 1 }
        continue
      }
      guard isOurs else { continue }
      if isChild, becomesProgram {
        if name == "close" { closed.insert(Self.descriptor(of: line)) }
        if name == "dup2" || line.contains("F_SETFD, 0)") { given.insert(Self.target(of: line)) }
      } else if Self.makingDescriptors.contains(name), Self.isInherited(line, lines[(index + 1)...]) {
        inherited.append(line)
      }
      look(at: line, name)
    }
  }

  private func start(_ line: String, isOurs: Bool, closed: Set<String>) -> Start {
    let path = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false).dropFirst().first ?? ""
    // The words and the variables are two lists.
    let lists = line.split(separator: "], [", maxSplits: 1, omittingEmptySubsequences: false)
    return Start(
      program: path.split(separator: "/").last.map(String.init) ?? "", words: String(lists[0]),
      variables: lists.count > 1 ? String(lists[1]) : "", isOurs: isOurs, closed: closed)
  }

  private mutating func look(at line: String, _ name: String) {
    guard holdsMarker(line) else { return }
    let isCarried = Self.carrying.contains(name)
    sights.append(
      Sight(
        call: name, descriptor: isCarried ? Self.descriptor(of: line) : "",
        target: isCarried ? Self.target(of: line) : line))
  }

  func holdsMarker(_ text: String) -> Bool { markers.contains { text.contains($0) } }

  private static func forbidsDumps(_ lines: ArraySlice<String>) -> Bool {
    lines.contains { $0.hasPrefix("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE") }
      && lines.contains { $0.contains("RLIMIT_CORE, {rlim_cur=0, rlim_max=0}") }
  }

  /// Whether a call made a descriptor that programs inherit, and the calls after it do not change that at once.
  private static func isInherited(_ line: String, _ next: ArraySlice<String>) -> Bool {
    guard !line.contains(" = -1 "), !line.contains("CLOEXEC") else { return false }
    let after = next.prefix(line.hasPrefix("pipe") ? 2 : 1)
    guard !after.allSatisfy({ $0.contains("F_SETFD, FD_CLOEXEC)") }) else { return false }
    // A standard stream that the caller had closed, and what the system says of processes.
    return !["\"/dev/null\"", "\"/proc/"].contains(where: line.contains)
  }

  /// The number before `<`, as in `write(5<pipe:[77]>, "text", 4) = 4`.
  private static func descriptor(of line: String) -> String {
    String(line.drop { $0 != "(" }.dropFirst().prefix { $0.isNumber })
  }

  private static func target(of line: String) -> String {
    String(line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
  }
}
