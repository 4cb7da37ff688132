import VaultSystem
import VaultTerminal

/// The user's editor, with options that keep it from writing copies elsewhere.
struct Editor {
  /// A family of editors, with the options that keep it from remembering texts.
  private struct Family {
    /// The first letters of its program names, as in `vim.basic` and `emacs-nox`.
    let names: Set<String>
    /// A text in the output of `--version`, if the name is not enough.
    let mark: String?
    /// Options as shell words. They take effect after the user's own files.
    let options: String
  }

  private static let families = [
    Family(
      names: ["vi", "ex", "view", "vim", "vimx", "gvim", "gview", "rvim", "rview", "evim"], mark: "VIM - Vi IMproved",
      options: "-n -i NONE -c 'set viminfo= noswapfile noundofile nobackup nowritebackup'"),
    Family(
      names: ["nvim", "vi", "vim", "ex", "view"], mark: "NVIM v",
      options: "-n -i NONE -c 'set shada= noswapfile noundofile nobackup nowritebackup'"),
    // The history holds searched and replaced texts. Only nano's own files switch it on, and no option switches it off.
    Family(names: ["nano", "rnano"], mark: "GNU nano", options: "--ignorercfiles"),
    Family(
      names: ["emacs"], mark: "GNU Emacs",
      options: "--eval '(progn (setq make-backup-files nil auto-save-default nil create-lockfiles nil) "
        + "(when (fboundp (quote savehist-mode)) (savehist-mode 0)) "
        + "(when (fboundp (quote desktop-save-mode)) (desktop-save-mode 0)))'"),
    Family(
      names: ["micro"], mark: "Version: ",
      options: "-backup false -permbackup false -savehistory false -saveundo false -savecursor false"),
    // These editors write only the file.
    Family(names: ["hx", "helix", "kak"], mark: nil, options: ""),
  ]

  /// Names that stand for another editor, whose version is asked for too.
  private static let stands = ["editor", "sensible-editor"]

  /// The content of the variable: shell words.
  private let text: String
  private let program: ProgramWord?
  /// Options that keep the editor from remembering texts; nil for an unknown editor.
  private let precautions: String?

  /// - Parameter text: a shell command line; options may follow the program.
  init(_ text: String) {
    self.text = text
    program = ProgramWord.program(of: text)
    precautions = program.flatMap { Self.precautions(of: $0, in: text) }
  }

  /// The editor of the variables. A note warns if the editor may remember texts.
  static func chosen(_ messages: Messages) -> Editor {
    let editor = Editor(["CVAULT_EDITOR", "VISUAL", "EDITOR"].compactMap(System.environment).first ?? "vi")
    if editor.precautions == nil {
      let name = Printable.text(editor.program?.name ?? "that is set")
      messages.note(
        "the editor \(name) is unknown to vault: it may keep history or backup files of the text elsewhere")
    }
    return editor
  }

  /// The options for a program. Only known names are asked for their version, because another program would take the
  /// question for a file name.
  private static func precautions(of program: ProgramWord, in text: String) -> String? {
    let name = Self.stands.contains(program.name) ? Self.target(of: "editor") ?? "" : program.name
    let stem = String(name.prefix(while: \.isLetter))
    let families = Self.families.filter { $0.names.contains(stem) }
    guard let first = families.first, first.mark != nil else { return families.first?.options }
    let version = answer(to: text[..<program.end] + " --version </dev/null 2>/dev/null")
    return families.first { $0.mark.map(version.contains) ?? true }?.options
  }

  /// The name of the file that a link in the PATH leads to.
  private static func target(of name: String) -> String? {
    let folders = System.environment("PATH")?.split(separator: ":") ?? []
    return folders.lazy.compactMap { ProcessEnvironment.realPath("\($0)/\(name)") }.first?
      .split(separator: "/").last.map(String.init)
  }

  private static func answer(to script: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    let status = try? System.readShell(String(script), variables: System.variablesForTools()) {
      bytes = System.bytes(from: $0, limit: 1 << 16) ?? []
    }
    return status == 0 ? String(decoding: bytes, as: UTF8.self) : ""
  }

  /// Runs the editor on a file, and returns its exit code.
  ///
  /// - Parameters:
  ///   - folder: the folder for temporary files of the editor.
  ///   - terminal: the terminal, if this process has other streams.
  func run(_ path: String, folder: String, terminal: Int32) throws -> Int32 {
    let streams = ChildStreams(
      input: System.isTerminal(System.standardInput) ? nil : terminal,
      output: System.isTerminal(System.standardOutput) ? nil : terminal)
    guard let program, let precautions else {
      // The variable may hold any shell command, so the path is passed as an argument and not pasted in.
      return try System.runShell(
        text + " \"$1\"", arguments: [path], variables: System.variablesForTools(), streams: streams)
    }
    // The options precede those of the user, which may contain `--`.
    let script =
      "TMPDIR=$2; export TMPDIR; " + text[..<program.end] + " " + precautions + text[program.end...] + " \"$1\""
    return try System.runShell(
      script, arguments: [path, folder], variables: System.variablesForTools(), streams: streams)
  }
}

/// A word of a shell command line that can be read without running it.
private struct ProgramWord {
  let text: String
  /// The end of the word in the command line.
  let end: String.Index

  var name: String { text.split(separator: "/").last.map(String.init) ?? text }

  /// The program of a simple command; nil for any other shell text.
  static func program(of line: String) -> ProgramWord? {
    var rest = line[...]
    while let word = next(in: &rest) {
      if ["command", "env", "exec"].contains(word.text) || word.isAssignment { continue }
      return word
    }
    return nil
  }

  private var isAssignment: Bool {
    guard let equals = text.firstIndex(of: "=") else { return false }
    return text[..<equals].utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
  }

  /// Removes the first word; nil at the end, or if the shell would do more than split words.
  private static func next(in rest: inout Substring) -> ProgramWord? {
    guard !rest.contains(where: { ";&|<>()`\n{}".contains($0) }) else { return nil }
    rest = rest.drop { $0 == " " || $0 == "\t" }
    guard !rest.isEmpty else { return nil }
    var word = ""
    var quote: Character?
    while let character = rest.first {
      if quote == nil, character == " " || character == "\t" { break }
      rest.removeFirst()
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if character == "\\", quote != "'", let escaped = rest.popFirst() {
        word.append(escaped)
      } else {
        word.append(character)
      }
    }
    return quote == nil ? ProgramWord(text: word, end: rest.startIndex) : nil
  }
}
