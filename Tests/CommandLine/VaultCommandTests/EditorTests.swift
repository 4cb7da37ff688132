import Testing
import VaultTestSupport

@Suite("Editors")
struct EditorTests {
  /// An editor, what is typed in it, and what a note of that text then says.
  struct Typing: Sendable, CustomTestStringConvertible {
    let editor: String
    /// The required program.
    let program: String
    /// Each is typed once the screen shows the text.
    let keys: [(prompt: String, reply: String)]
    let result: String

    var testDescription: String { editor }
  }

  /// In Vim a line is yanked, texts are searched and replaced, and in the second row all is deleted and written anew.
  private static let vim: [(prompt: String, reply: String)] = [
    ("SECRETold", "yyp:%s/SECRETold/NEWSECRET/g\r:1d\r:wq\r")
  ]

  static let all =
    [
      ("vi", "vi"), ("vim", "vim"), ("nvim", "nvim"), ("/usr/bin/vim -u NONE", "/usr/bin/vim"),
      ("'/usr/bin/vim' --", "/usr/bin/vim"), ("WIDE=1 command vim", "vim"),
    ].map { Typing(editor: $0, program: $1, keys: vim, result: "NEWSECRET") } + [
      Typing(
        editor: "vim", program: "vim", keys: [("SECRETold", "ddiNEWSECRET\u{1b}:wq\r")], result: "NEWSECRET"),
      Typing(
        editor: "nano", program: "nano",
        keys: [
          ("SECRETold", "\u{1c}"), ("Search", "SECRETold\r"), ("Replace with", "NEWSECRET\r"), ("this instance?", "a"),
          ("Replaced", "\u{0f}"), ("Write", "\r"), ("Wrote", "\u{18}"),
        ], result: "NEWSECRET"),
      Typing(
        editor: "micro", program: "micro", keys: [("SECRETold", "\u{0b}NEWSECRET\u{13}"), ("Saved", "\u{11}")],
        result: "NEWSECRET"),
      Typing(
        editor: "emacs -nw", program: "emacs",
        keys: [("SECRETold", "\u{0b}NEWSECRET\u{18}\u{13}"), ("Wrote", "\u{18}\u{03}")], result: "NEWSECRET"),
    ]

  /// Everything that an editor can be asked to keep, elsewhere.
  private func configure(_ workspace: Workspace) {
    let files = [
      ".vimrc": "set nocompatible undofile undodir=~ backup backupdir=~ directory=~ viminfo='100,<50,:50,/50,s10",
      ".config/nvim/init.vim": "set undofile undodir=~ backup backupdir=~ directory=~",
      ".nanorc": "set historylog\nset backup\nset backupdir \"\(workspace.home)\"",
      ".emacs":
        "(setq backup-directory-alist '((\".\" . \"~\")) auto-save-file-name-transforms '((\".*\" \"~/\" t)))\n(savehist-mode 1)",
    ]
    for folder in [".config", ".config/nvim"] { FileTree.makeFolder(workspace.home + "/" + folder) }
    for (name, text) in files { FileTree.write(Array((text + "\n").utf8), to: workspace.home + "/" + name) }
  }

  @Test("an editor keeps nothing of the text: no history, swap, undo or backup file", arguments: all)
  func nothingIsKept(_ typing: Typing) throws {
    let workspace = try Workspace.withVault()
    configure(workspace)
    let found = workspace.shell("command -v \(typing.program)")
    guard found.code == 0 else { return Need.notRun("editors", "\(typing.program) is not installed") }
    let added = workspace.open("add", "secure-note", "--set", "title=n", "--secret-stdin", "text", input: "SECRETold")
    try #require(added.code == 0, "\(added.errors)")
    let outcome = workspace.type(
      ["edit", "n", "--field", "text", "--vault", "v", "--identity", "id.txt"], typing.keys, outputOnTerminal: true,
      adding: ["EDITOR": typing.editor, "TERM": "xterm"])
    #expect(outcome.code == 0, "\(outcome.errors)\(outcome.shown)")
    #expect(!outcome.hung, "\(outcome.errors)\(outcome.shown)")
    #expect(outcome.errors == "note: n: text replaced; the former one stays (vault restore n text --former)\n")
    #expect(workspace.open("get", "n", "text").output == typing.result)
    for folder in ["home", "tmp"] {
      let kept = FileTree.files(below: workspace.path + "/" + folder).filter { name in
        let bytes = FileTree.contents(of: workspace.path + "/" + folder + "/" + name) ?? []
        return bytes.holds(Array("SECRET".utf8))
      }
      #expect(kept.isEmpty, "\(typing.editor) has kept \(kept)")
    }
  }

  @Test(
    "of an editor that is not known a note says that it may keep something; --quiet hides it",
    arguments: ["true", "nice true", "f() { :; }; f", "./vim"])
  func unknownEditor(_ editor: String) throws {
    let workspace = try Workspace.withCustomers()
    _ = workspace.write("#!/bin/sh\nexit 0\n", to: "vim")
    _ = workspace.shell("chmod 755 vim")
    let arguments = ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"]
    let told = workspace.type(arguments, [], adding: ["EDITOR": editor, "TERM": "xterm"])
    #expect(told.code == 0, "\(told.errors)")
    #expect(told.errorLines.first?.hasPrefix("note: the editor ") == true, "\(told.errors)")
    #expect(told.errorLines.first?.contains("may keep history or backup files of the text elsewhere") == true)
    #expect(workspace.type(arguments + ["-q"], [], adding: ["EDITOR": editor, "TERM": "xterm"]).errors == "")
  }
}
