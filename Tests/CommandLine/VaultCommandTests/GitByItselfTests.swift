import Testing
import VaultTestSupport

@Suite("git without a thought", .enabled(if: GitBench.isThere))
struct GitByItselfTests {
  private static let kind = #"""
    echo '{"title":"wifi","type":"object","properties":{"title":{"type":"string"},
      "password":{"type":"string","x-sealed":true}}}' >../wifi.json
    """#

  /// Each writes, and nothing is typed for git.
  private static let day = [
    "vault add login title=A username=u --generate password", "vault add login title=B --generate password",
    "vault set A username=n", "vault set A -g -y", "echo text >../file; vault attach A ../file",
    "vault attach B ../file; vault detach B file -y", "vault remove B -y", "vault restore B", "vault remove B -y",
    "vault key add --generate-identity ../li.txt --label Li", "\(kind); vault kinds add ../wifi.json",
    "vault add wifi title=Guest --generate password", "vault checkpoint", "vault trash empty -y",
    "vault key remove Li -y --rekey", "vault rekey --reseal -y", "vault set A username=m",
    #"printf '[{"title":"C"},{"title":"D"}]' >../in.json; vault import json ../in.json --kind login"#,
  ]

  @Test("after a day without any word for git, nothing is left to commit, and a clone of each commit opens")
  func session() throws {
    let desk = try GitDesk()
    let made = desk.make()
    #expect(made.code == 0, "\(made.errors)")
    let said = made.errors.split(separator: "\n").filter { $0.contains("git") }
    #expect(
      said == [
        "note: git merges the vault by field, and each command commits what it writes; `vault git setup --remove` ends both"
      ], "\(made.errors)")
    #expect(desk.status().isEmpty)
    #expect(desk.at("v", "git log --format=%s").output == "vault init\n")
    for act in Self.day {
      let done = desk.at("v", act)
      #expect(done.code == 0, "\(act): \(done.errors)")
      #expect(!done.errors.contains(/not committed|git add|ignores/), "\(act): \(done.errors)")
      #expect(desk.status().isEmpty, "\(act)")
      let checked = desk.at("v", "vault check; vault git check")
      #expect(checked.code == 0, "\(act): \(checked.output)\(checked.errors)")
      // In a place that knows nothing, as on the machine of somebody else.
      let cloned = desk.at(
        "v", "git clone -q . ../c; cd ../c; CVAULT_DIR=$PWD vault verify; cd ..; rm -rf c state-c",
        adding: [
          "CVAULT_STATE_DIR": desk.workspace.path + "/state-c"
        ])
      #expect(cloned.code == 0, "\(act): \(cloned.errors)")
    }
    // `detach` is two commands.
    #expect(desk.commits() == "\(Self.day.count + 2)\n", "\(desk.at("v", "git log --format=%s").output)")
  }

  @Test(
    "git is left as it is with --no-git; commits are left out in a part of a repository, and where they are switched off",
    arguments: [
      ("v", "--no-git", nil, false, "run `git add -A . && git commit`"),
      ("v/part", "", nil, true, "git merges and shows the vault by field in this clone"),
      ("v", "", "off", true, "git merges and shows the vault by field in this clone"),
    ])
  func left(_ folder: String, _ options: String, _ variable: String?, _ merges: Bool, _ note: String) throws {
    let desk = try GitDesk("git init -qb main v; mkdir -p v/part")
    let made = desk.make(folder, options, adding: variable.map { ["CVAULT_GIT": $0] } ?? [:])
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains(note), "\(made.errors)")
    #expect(desk.commits() == "0\n")
    #expect((desk.at(folder, "vault git setup --check").code == 0) == merges)
    let added = desk.at(folder, "vault add login title=A")
    #expect(added.errors.contains("git add -A . && git commit"), "\(added.errors)")
    #expect(desk.commits() == "0\n")
  }

  @Test("where a commit would start programs of a repository from elsewhere, none is made until somebody allows it")
  func programs() throws {
    let desk = try GitDesk(
      "git init -qb main v; printf '#!/bin/sh\\ntouch ran\\n' >v/.git/hooks/post-commit; chmod +x v/.git/hooks/*")
    let made = desk.make()
    #expect(made.errors.contains("which `vault git setup --commit` allows"), "\(made.errors)")
    #expect(desk.commits() == "0\n")
    desk.at("v", "vault git setup --commit; vault add login title=A")
    #expect(desk.commits() == "1\n")
    #expect(desk.status() == "?? ran\n")
  }

  @Test("other files of the work tree stay as they are, staged or not, and a repository with commits gets one more")
  func others() throws {
    let desk = try GitDesk("git init -qb main v; cd v; echo x >README.md; echo y >staged; git add staged")
    desk.make()
    #expect(desk.at("v", "git show --name-only --format= HEAD").output.split(separator: "\n").count == 4)
    #expect(desk.status() == "A  staged\n?? README.md\n")
    desk.at("v", "git add -A; git commit -qm all; vault add login title=A; echo z >>README.md; vault set A username=u")
    #expect(desk.commits() == "4\n")
    #expect(desk.status() == " M README.md\n")
  }

  @Test("a first commit that git refuses is made by the next command, with all of the vault")
  func healed() throws {
    let desk = try GitDesk()
    let nobody = [
      "GIT_AUTHOR_NAME": "", "GIT_COMMITTER_NAME": "", "GIT_COMMITTER_EMAIL": "", "GIT_AUTHOR_EMAIL": "",
      "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.useConfigOnly", "GIT_CONFIG_VALUE_0": "true",
    ]
    let made = desk.make(adding: nobody)
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.errors.contains("note: not committed: git does not know who you are\n"), "\(made.errors)")
    #expect(made.errors.contains("`git config --global user.email ADDRESS`"), "\(made.errors)")
    #expect(desk.commits() == "0\n")
    let checked = desk.at("v", "vault check")
    #expect(checked.status == .findings)
    #expect(checked.output.contains("git has no commit yet, so a clone would be empty"), "\(checked.output)")
    let added = desk.at("v", "vault add login title=A")
    #expect(!added.errors.contains("not committed"), "\(added.errors)")
    #expect(desk.status().isEmpty)
    #expect(desk.at("v", "vault check").code == 0)
  }

  @Test(
    "a commit brings what it needs of an earlier one that was not made",
    arguments: [
      "vault key add --generate-identity ../li.txt --label Li", "vault rekey -y", "vault rekey --reseal -y",
      "vault attach A ../file", "vault key remove Old -y", "vault key remove Old -y --rekey", "vault remove A -y",
      "vault key remove Old -y --rekey; vault checkpoint",
    ])
  func brought(_ act: String) throws {
    let desk = try GitDesk()
    desk.make()
    desk.at(
      "v", "vault add login title=A; vault add login title=B; vault key add --generate-identity ../o.txt --label Old")
    let missed = desk.at("v", "echo x >../file; touch .git/index.lock; \(act)")
    #expect(missed.errors.contains("not committed"), "\(missed.errors)")
    desk.at("v", "rm .git/index.lock; vault \(act.contains("remove A") ? "restore A" : "set A username=u")")
    let cloned = desk.at(
      "v", "git clone -q . ../c; cd ../c; CVAULT_DIR=$PWD vault verify; CVAULT_DIR=$PWD vault git check",
      adding: [
        "CVAULT_STATE_DIR": desk.workspace.path + "/state-c"
      ])
    #expect(cloned.code == 0, "\(cloned.output)\(cloned.errors)")
    #expect(cloned.output.hasPrefix("2 records"), "\(cloned.output)")
  }

  @Test("commands at the same time wait for each other's commits, and none is left out")
  func parallel() throws {
    let desk = try GitDesk()
    desk.make()
    let added = desk.at("v", "for n in 1 2 3 4 5 6; do vault add login title=R$n username=u; done")
    try #require(added.code == 0)
    let set = desk.at(
      "v", "for n in 1 2 3 4 5 6; do vault set R$n username=v & vault set R1 fields.f$n=v & done; wait")
    #expect(set.errors.isEmpty, "\(set.errors)")
    #expect(desk.status().isEmpty)
    #expect(desk.at("v", "vault verify").code == 0)
  }

  @Test("without a branch nothing is committed, so that a switch does not leave the value behind")
  func detached() throws {
    let desk = try GitDesk()
    desk.make()
    desk.at("v", "vault add login title=A; git checkout -q --detach")
    let set = desk.at("v", "vault set A username=d")
    #expect(set.errors.contains("note: not committed: no branch is checked out\n"), "\(set.errors)")
    #expect(set.errors.contains("`git switch -c NAME` makes a branch; commit it"), "\(set.errors)")
    let back = desk.at("v", "git switch -q main; vault get A username; vault verify >&2")
    #expect(back.code == 0, "\(back.errors)")
    #expect(back.output == "d")
    #expect(desk.at("v", "git checkout -q --detach; CVAULT_GIT=commit vault set A username=e").errors.isEmpty)
  }

  @Test("a vault in a place that is not in git is made as ever, without a word of git")
  func outside() throws {
    let desk = try GitDesk("mkdir v")
    let made = desk.make()
    #expect(made.code == 0)
    #expect(!made.errors.contains("git"), "\(made.errors)")
    #expect(desk.at("v", "ls -a").output.contains(".git\n") == false)
  }

  @Test("a linked work tree and a submodule are whole work trees: their commands commit there")
  func trees() throws {
    let desk = try GitDesk()
    desk.make()
    desk.at("v", "vault add login title=A; git worktree add -q ../tree")
    let machine = ["CVAULT_STATE_DIR": desk.workspace.path + "/state-v"]
    let tree = desk.at(
      "tree", "vault set A username=t; git status --porcelain; git log -1 --format=%s", adding: machine)
    #expect(tree.output.hasPrefix("vault set "), "\(tree.output)\(tree.errors)")
    // The two are copies with a memory of their own: only a copy that goes back itself is an alarm.
    desk.at("v", "vault set A username=v")
    for folder in ["tree", "v"] {
      let read = desk.at(folder, "vault get A username; vault verify >&2", adding: machine)
      #expect(read.code == 0, "\(folder): \(read.errors)")
      #expect(read.output == (folder == "v" ? "v" : "t"))
    }
    let back = desk.at("tree", "git reset -q --hard HEAD~1; vault verify", adding: machine)
    #expect(back.status == .unexpectedVault, "\(back.errors)")
    desk.workspace.prepare(
      "git init -qb main empty; cd empty; git -c user.name=a -c user.email=a@b commit -qm x --allow-empty")
    desk.workspace.prepare(
      "git init -qb main top; cd top; git -c protocol.file.allow=always submodule --quiet add ../empty sub")
    let made = desk.at("top/sub", "vault init . --recipient $(sed -n 's/# public key: //p' $CVAULT_IDENTITY_FILE)")
    #expect(made.errors.contains("each command commits what it writes"), "\(made.errors)")
    #expect(desk.status("top/sub").isEmpty)
  }

  @Test(
    "git that cannot be asked is never good news: check, doctor and git check name the reason and what to type",
    arguments: [
      ("PATH=$NOGIT; export PATH", "git is not installed", "install git, or add it to the PATH"),
      (
        "mv .git ../away; echo 'gitdir: /nowhere' >.git", "not a git repository: /nowhere",
        "status` shows what is wrong"
      ),
    ])
  func unreadable(_ act: String, _ reason: String, _ hint: String) throws {
    let desk = try GitDesk()
    desk.make()
    desk.workspace.prepare(
      "mkdir bin; ln -s '\(Binary.path)' bin/vault; for t in sh mv rm; do ln -s /bin/$t bin/$t; done")
    for words in ["check", "doctor", "git check"] {
      let act = act.contains("mv") && words != "check" ? ":" : act
      let told = desk.at("v", "\(act); vault \(words)", adding: ["NOGIT": desk.workspace.path + "/bin"])
      #expect(told.code == (words == "git check" ? 18 : 14), "\(words): \(told.output)\(told.errors)")
      #expect((told.output + told.errors).contains(reason), "\(words): \(told.output)\(told.errors)")
      #expect((told.output + told.errors).contains(hint), "\(words): \(told.output)\(told.errors)")
    }
  }

  @Test("a header that git ignores while it has the rest is found, and a rule of a folder above as well")
  func ignored() throws {
    let desk = try GitDesk("git init -qb main v; mkdir -p v/part")
    desk.make("v/part")
    desk.at("v", "echo vault.json >.gitignore; git add -A; git commit -qm all")
    for words in ["check", "doctor", "git check"] {
      let told = desk.at("v/part", "vault \(words)")
      #expect(told.status == .findings, "\(words): \(told.output)")
      #expect(told.output.contains("vault.json"), "\(words): \(told.output)")
      #expect((told.output + told.errors).contains("git add -f vault.json && git add -A . && git commit"), "\(words)")
    }
    // A folder that git ignores as a whole is not kept in git.
    desk.at("v", "git rm -rq --cached .; echo part >.gitignore; git add -A; git commit -qm none")
    #expect(desk.at("v/part", "vault check; vault git check").code == 0)
  }

  @Test("a slot that git ignores keeps the header out of git as well, until the line that is named is typed")
  func ignoredSlot() throws {
    let desk = try GitDesk("git init -qb main v; echo '*.age' >v/.git/info/exclude")
    let line = "git add -f slots && git add -A . && git commit"
    for act in ["vault init . --generate-identity ../id.txt", "vault rekey -y"] {
      let done = desk.at("v", act)
      #expect(done.code == 0, "\(done.errors)")
      #expect(done.errors.contains("note: git ignores 1 new file of the vault; run `\(line)`"), "\(done.errors)")
      #expect(desk.at("v", "vault check").status == .findings)
      #expect(desk.at("v", "\(line) -qm all; vault check").code == 0)
    }
    // git does not keep a vault that it ignores as a whole.
    let other = try GitDesk("git init -qb main v; mkdir v/part; echo part >v/.gitignore")
    #expect(!other.make("v/part").errors.contains("git"))
    #expect(other.at("v", "git config --get-regexp merge.vault || echo none").output == "none\n")
  }

  @Test("in a bare repository the last commit is checked as a whole")
  func bare() throws {
    let desk = try GitDesk("git init -qb main v; mkdir -p v/part")
    desk.make("v/part")
    desk.at("v", "git add -A; git commit -qm all; git clone -q --bare . ../hub; git remote add hub ../hub")
    #expect(desk.at("hub", "unset CVAULT_DIR; vault git check --vault part").code == 0)
    let none = desk.at("hub", "unset CVAULT_DIR; vault git check")
    #expect(none.status == .noVault)
    #expect(none.errors.contains("`--vault PLACE`"), "\(none.errors)")
    desk.at("v", "CVAULT_DIR=$PWD/part vault rekey -y; git commit -qam rekey; git push -q hub main")
    let found = desk.at("hub", "unset CVAULT_DIR; vault git check --vault part")
    #expect(found.status == .findings)
    #expect(found.output.contains(".age is missing\n"), "\(found.output)")
    #expect(desk.at("hub", "unset CVAULT_DIR; vault git check --vault part --staged").status == .usage)
  }
}
