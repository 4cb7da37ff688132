import Testing
import VaultDelivery
import VaultDocument
import VaultTestSupport

private func filled(_ text: String, _ value: String) throws -> String {
  let template = try Template(parsing: Array(text.replacing("@@", with: "{{cvault://R/f}}").utf8))
  let values = template.placeholders.map { _ in TemplateValue(value) }
  return String(decoding: try template.filled(as: .shell, with: values), as: UTF8.self)
}

private func isRefused(_ text: String) -> Bool {
  do {
    _ = try filled(text, "x")
    return false
  } catch {
    return error is TemplateFault
  }
}

/// Values that run `touch ran` wherever a shell evaluates them.
private let canaries = [
  "$(touch ran)1", "`touch ran`", "';touch ran;'", "\";touch ran;\"", "x[$(touch ran)]", "touch ran",
  "x\nE\ntouch ran\n",
  "x\nA B\ntouch ran\n", "a'\"$(touch ran)\\", "你\";touch ran;\"", "\u{1}\u{7F}ÁÉ\"`touch ran`'", "($(touch ran))",
  "-v",
  "}; touch ran; {", ") touch ran (", "\n touch ran\n", "]]; touch ran; [[", "1 + x[`touch ran`]", "\\", "é\\", "h",
  "!touch", "#\ntouch ran", "PATH=.", ";; esac; touch ran", "\\'; touch ran; '",
]

@Suite("Templates of scripts")
struct ShellTemplateTests {
  @Test(
    "a place where a shell would run or evaluate the value is refused",
    arguments: [
      "echo $((1 + @@))", "echo $(( ((1)) + @@ ))", "echo $(( $(echo $(echo 1)) + @@ ))", "echo \"$((@@))\"",
      "cat << E\n\n@@\nE\n", "cat <<\tE\n\n@@\nE\n", "cat <<\\\nE\n\n@@\nE\n", "cat <<'A B'\n@@ it's\nA B\n",
      "cat <<''\n@@\n\n",
      "cat <<-E\n\t@@\n\tE\n", "cat <<A <<B\nA\n@@\nB\n", "cat <<\\E\n@@\nE\n", "cat <<E$x\n@@\nE\n",
      "cat <<'E'\n@@\nE\n",
      "echo $[1 + @@]", "(( x = @@ ))", "let x=@@", "let \"x=@@\"", "for ((i=@@; i<2; i++)); do :; done",
      "declare -i N=@@",
      "declare -i N; N=@@", "typeset -i N\nN=\"@@\"", "declare A=@@", "local A='@@'", "A[@@]=1", "A=([@@]=1)",
      "echo ${A[@@]}",
      "echo ${A:@@:1}", "echo ${@@}", "echo \"${A:-@@}\"", "echo ${A/@@/x}", "[[ @@ -eq 1 ]]", "[[ -v @@ ]]",
      "[[ a =~ @@ ]]",
      "[ \"@@\" -eq 1 ]", "test -v '@@'", "[ @@ -o x ]", "eval @@", "eval \"echo '@@'\"", "eval 'echo @@'", "\\eval @@",
      "e'va'l @@", "command eval @@", "builtin eval \"@@\"", "sh -c \"echo @@\"", "bash -c 'echo @@'",
      "busybox sh -c '@@'",
      "env X=1 sh -c '@@'", "sudo bash -c \"@@\"", "/bin/sh -c @@", "ssh host \"echo @@\"", "awk \"{print @@}\"",
      "sed 's/x/@@/'",
      "find . -exec sh -c '@@' ';'", "echo x | xargs -I{} sh -c '@@'", "trap '@@' EXIT", "alias a='@@'", "source @@",
      ". @@",
      "unset @@", "read @@", "read '@@' < f", "printf -v @@ x", "printf @@", "printf '%d' @@", "printf \"%*s\" @@ x",
      "export @@",
      "export \"$n=@@\"", "export -n A=@@", "readonly -a A=@@", "@@", "@@ x", "A=1 @@", "exec @@", "sudo @@", "env @@",
      "time @@",
      "if @@; then :; fi", "! @@", "{ @@; }", "( @@ )", "$(@@)", "echo $(@@)", "$CMD @@", "\"$@\" @@", "echo x > @@",
      "cat < @@", "echo `echo @@`", "echo $'@@'", "echo $\"@@\"", "# @@", "echo x #@@", "@@ $[1]",
      "eval \"$(echo @@)\" $[1]", "@@=x", "A@@=x", "eval @@ $\"x\"", "case x in @@) :;; esac",
      "@@() { :; }",
      "function @@ { :; }", "for @@ in x; do :; done", "echo {a,@@}", "echo [@@]", "echo *@@", "echo ~@@", "echo @(@@)",
      "coproc @@", "echo \\@@", "echo \"\\@@\"", "echo $@@", "echo \"$A@@\"", "PATH=@@", "PS4='@@'", "IFS=@@ ls",
      "RANDOM=@@",
      "export BASH_ENV=@@", "env LD_PRELOAD=@@ ls", "echo @@ | sh", "sh <<< @@", "echo 'echo $x' | bash -s @@",
      "bash <(echo @@)",
      "return @@", "exit @@", "shift @@", "kill @@", "compgen -W @@", "print -P @@", "set @@", "set -o @@",
      "shopt -s @@",
    ])
  func refused(_ text: String) {
    #expect(isRefused(text))
  }

  @Test(
    "a variable that may hold a value is not evaluated",
    arguments: [
      "A=@@\neval \"$A\"", "A=@@\necho $((A + 1))", "A=@@; B=$A; echo $(( B ))", "A=@@; (( A++ ))", "A=@@; $A",
      "A=@@; \"$A\" x",
      "A=@@; [[ $A -eq 1 ]]", "A=@@; [ \"$A\" -eq 1 ]", "A=@@; let B=A", "A=@@; echo ${x[$A]}", "A=@@; echo ${x[A]}",
      "A=@@; echo ${A@P}", "A=@@; echo ${x:A}", "A=@@; echo ${!A}", "A=@@; trap \"$A\" EXIT", "A=@@; sh -c \"$A\"",
      "A=@@; . \"$A\"", "A=@@; unset \"$A\"", "A=@@; printf -v \"$A\" x", "A=@@; declare -a B=\"$A\"", "A=@@; PS4=$A",
      "f() { eval \"$1\"; }\nf @@", "f() { echo $(( $1 )); }\nf @@", "f() { x=$2; $x; }\nf a @@", "set -- @@\n\"$@\"",
      "for i in @@; do $i; done", "A=@@; for i in $A; do eval \"$i\"; done", "A=@@\nsh <<E\n$A\nE\n",
      "A=@@; read x <<< \"$A\"; $x",
      "echo @@ | while read x; do eval \"$x\"; done", "A=(@@); eval \"${A[0]}\"", "A=@@; B=`echo $A`; eval \"$B\"",
      "f() { echo \"$A\"; }\nA=@@; B=$(f); echo $((B))", ": ${A:=@@}; eval \"$A\"", "A=@@; : \"${B:=$A}\"; echo $((B))",
      "A=@@; exec $A", "A=@@; sudo \"$A\"", "A=@@; export \"$A\"", "A=@@; A[$A]=1", "integer A\nA=@@",
      "A=@@; echo $A | sh",
    ])
  func variables(_ text: String) {
    #expect(isRefused(text))
  }

  @Test(
    "a value gets nowhere by a variable that the shell sets itself, or by the name of a variable",
    arguments: [
      ": @@\nsh -c \"$_\"", "true @@\ntrap \"$_\" EXIT", ": @@; echo $((_))",
      "A=@@; [[ $A =~ .* ]]; sh -c \"$BASH_REMATCH\"",
      "A=@@; [[ $A =~ .* ]]; sh -c \"$MATCH\"", "f() { sh -c \"$argv\"; }\nf @@", "f() { sh -c \"$1\"; }\nnoglob f @@",
      "f() { sh -c \"$1\"; }\n- f @@", "command_not_found_handle() { sh -c \"$2\"; }\nnothing @@",
      "A=@@; y=A; echo $((y))", "A1=@@; n=1; echo $((A$n))", "A1=@@; n=1; y=A$n; echo $((y))",
      "ab=@@; y=a; y+=b; echo $((y))",
      "ab=@@; x=a; y=${x}b; echo $((y))", "ab=@@; x=a; z=b; y=\"$x\"\"$z\"; echo $((y))",
      "A=@@; set -- A; echo $(($1))",
      "A=@@; for y in A; do echo $((y)); done", "A1=@@; y=A1; sh -c \"${!y}\"",
      "export A=@@; x=$(printenv A); sh -c \"$x\"",
      "export A=@@; x=$(env); sh -c \"$x\"", "command read -r x <<< @@; sh -c \"$x\"",
      "f() { local -n r=$1; sh -c \"$r\"; }\nA=@@; f A",
    ])
  func names(_ text: String) {
    #expect(isRefused(text))
  }

  @Test(
    "a value is not divided into words where words are evaluated",
    arguments: [
      "A=@@; [ $A ]", "A=@@; [ $A = x ]", "A=@@; test -n $A", "f() { [ \"$@\" ]; }\nf -v @@", "A=@@; export B=$A",
      "A=@@; command export B=$A", "A=@@; readonly B=$A", "f() { local B=$1; }\nf @@", "A=@@; export B=$(echo \"$A\")",
      "A=@@; time -p $A", "A=@@; timeout 5 $A", "timeout 5 @@", "flock l -c @@", "A=@@; nice $A", "A=@@; taskset 1 $A",
      "A=@@; B=$=A", "A=@@; echo $~A", "A=@@; echo \"$^A\"",
    ])
  func divided(_ text: String) {
    #expect(isRefused(text))
  }

  @Test(
    "what changes how a shell reads, or feeds a shell, is refused",
    arguments: [
      "\\alias foo=@@", "command alias foo=@@", "A=@@; \\setopt globsubst; echo $A",
      "A=@@; eval 'setopt globsubst'; echo $A",
      "galiases=(x @@)", "saliases=(txt @@)", "HISTCMD=@@", "PROMPT_COMMAND=@@", "TRY_BLOCK_ERROR=@@",
      "for PS4 in @@; do :; done",
      "select RANDOM in @@; do :; done", ": ${BASH_ENV:=x}\nA=@@; : ${BASH_ENV:=$A}", "read PS4 <<< @@",
      "export -i n; A=@@; n=$A",
      "A=@@; n=$A; readonly -i n", "echo @@ | $SHELL", "echo @@ | \"${SHELL:-sh}\"",
      "f=/dev/stdin; echo @@ | bash \"$f\"",
      "echo @@ | su", "echo @@ | su - ann", "echo @@ | unshare", "echo @@ | chroot /", "echo @@ | sudo -s",
      "echo @@ | sudo -u ann -i",
      "echo @@ | make -f -", "echo @@ | python3", "echo @@ | perl -", "A=@@; [[ (-v $A) ]]", "A=@@; [[ x&&-v $A ]]",
      "A=@@; [[ -z x || $A ]]", "A=@@; [[ !(-v $A) ]]", "dc -e @@", "tmux new @@",
      "echo } @@", "echo $A[1] @@", "echo \"$A[1]\" @@", "echo $A\\\n[1] @@",
    ])
  func changed(_ text: String) {
    #expect(isRefused(text))
  }

  @Test(
    "what is sure is filled",
    arguments: [
      "A=@@", "export A=@@", "export A='@@' B=\"x@@\"", "readonly A=@@", "echo @@", "echo \"a @@ b\" 'c@@'",
      "curl -u \"user:@@\" h",
      "A=@@ cmd", "PGPASSWORD=@@ psql -h h", "env A=@@ cmd x", "sudo mysql '-p@@'", "exec app --token @@",
      "printf '%s\\n' @@",
      "[ @@ = x ]", "[ -n \"@@\" ]", "case @@ in x) :;; esac", "for i in @@ b; do echo \"$i\"; done", "A=(@@ \"@@\" b)",
      "f() { local x=\"$1\"; echo \"$x\"; }\nf @@", "n=0\nn=$((n + 1))\nA=@@", "x=$(echo @@)",
      "echo \"$(echo \"@@\")\"",
      "set -euo pipefail\nA=@@", "trap cleanup EXIT\nA=@@",
      "tmp=$(mktemp)\ntrap 'rm -f \"$tmp\"' EXIT\nA=@@; echo \"$A\"",
      "cat <<E\n${HOME} $(date)\nE\nA=@@", "if true; then A=@@; else :; fi", "while false; do A=@@; done; (A=@@)",
      "cmd <<< @@",
      "#!/usr/bin/env bash\n# it's\nA=@@", "case x in x) echo \")\";; (y|z) A=@@;; esac",
      "y=$(case x in x) echo 1;; esac)\nA=@@",
      "echo a#b 'x' \\' @@", "ec\\\nho @@", "test \"$A\" && B=@@ || C=@@ & D=@@", "[[ $x == a* && -f y ]] || A=@@",
      "A=@@\necho \"${x[@]}\" ${#A} ${A%%x*}", "cmd 2>&1 >/dev/null @@", "A=é@@",
      "A=@@\nwhile IFS= read -r line; do echo \"$line\"; done < f", "A=@@; while getopts ab: o; do echo \"$o\"; done",
      "docker login -u ann -p @@ h", "echo @@ | docker login --password-stdin", "echo @@ | sudo -S apt-get update",
      "run() { \"$@\"; }\nA=@@; run ls | cat", "A=@@; cat f | python3 -c 'print(1)'",
      "A=@@; URL=\"$B$C\"; curl \"$URL\"",
      "A=@@; [ $? -eq 0 ]", "A=@@; n=$((n + 1)); [ \"$n\" -gt 2 ]", "time curl -u @@ h",
      "A=@@; grep 'x$' f | sed 's/a$/b/'", "echo }x @@", "echo $A @@", "echo \"$A\" @@",
    ])
  func accepted(_ text: String) throws {
    #expect(try filled(text, "x").contains("'x'") || filled(text, "x").contains("x"))
  }

  @Test("in double quotes a value beyond ASCII, or behind a colon, brings quotes of its own")
  func characterSets() throws {
    #expect(try filled("A=\"你@@\"", "\"x") == "A=\"你\"'\"x'\"\"")
    #expect(try filled("A=\"@@\"", "你\"") == "A=\"\"'你\"'\"\"")
    #expect(try filled("A=\"$B:@@\"", "h") == "A=\"$B:\"'h'\"\"")
    #expect(try filled("A=\"x@@\"", "$\"") == "A=\"x\\$\\\"\"")
  }

  @Test("no shell runs a value of a template that was accepted, and what is printed is the value")
  func generated() throws {
    let shells = [
      ("bash", Need.command("bash")), ("dash", .command("dash")), ("zsh", .command("zsh")),
      ("busybox", .command("busybox")),
    ]
    .filter { $0.1.isMet(forCases: 1, of: "templates of scripts in a shell") }.map(\.0)
    let folder = TemporaryFolder()
    var random = SeededGenerator.announced(for: "templates of scripts")
    let count = TestSeed.caseCount(1200)
    var scripts: [(name: String, template: String, value: String)] = []
    for number in 0..<count {
      var grammar = ShellGrammar(random: random)
      let text = number.isMultiple(of: 3) ? grammar.soup() : grammar.script()
      random = grammar.random
      guard let value = canaries.randomElement(using: &random), let script = try? filled(text, value) else { continue }
      FileTree.write(Array(script.utf8), to: "\(folder.path)/\(number).sh")
      scripts.append(("\(number)", text, value))
    }
    #expect(scripts.count > count / 12, "enough of them are accepted")
    FileTree.write(Array(Self.driver.utf8), to: folder.path + "/driver")
    var run = ProcessRun(
      path: "/bin/sh", arguments: [folder.path + "/driver"] + shells, environment: ["PATH": "/usr/bin:/bin"],
      directory: folder.path)
    run.timeoutSeconds = 900
    #expect(run.run().code == 0)
    for (name, template, value) in scripts {
      for shell in shells {
        let scratch = "\(folder.path)/\(shell)-\(name)"
        #expect(!FileTree.names(in: scratch).contains("ran"), "\(shell) ran \(value.debugDescription) in \(template)")
        let printed = String(decoding: FileTree.contents(of: scratch + "/out") ?? [], as: UTF8.self)
        // Some shells have echo act on backslashes, signs by chance make more words of printf, and what runs beside
        // the rest prints its lines between the lines of the rest.
        if template.contains("echo \"$(") || template.contains(" & ") { continue }
        if Int(name).map({ $0.isMultiple(of: 3) }) ?? true { continue }
        for part in printed.split(separator: "ID[").dropFirst() {
          #expect(part.contains("\(value)]DI"), "\(shell) printed \(part) for \(value.debugDescription) in \(template)")
        }
      }
    }
  }

  private static let driver = """
    for shell in "$@"; do
      run=$shell; test "$shell" = busybox && run='busybox sh'
      for file in *.sh; do
        mkdir "$shell-${file%.sh}" && cd "$shell-${file%.sh}" || exit 1
        timeout 5 $run "../$file" >out 2>/dev/null </dev/null
        cd ..
      done
    done
    exit 0
    """
}

/// Random scripts, with `@@` in place of the value.
private struct ShellGrammar {
  var random: SeededGenerator

  private mutating func one(_ items: [String]) -> String { items.randomElement(using: &random) ?? "" }

  private mutating func place() -> String {
    one(["@@", "\"@@\"", "'@@'", "\"a @@\"", "x@@", "'x'@@", "\"$HOME:@@\"", "\"é@@\""])
  }

  /// Commands with places, and others that make it hard to tell how they are read.
  private mutating func piece(_ depth: Int) -> String {
    let place = place()
    switch Int.random(in: 0..<(depth > 2 ? 5 : 11), using: &random) {
    case 0, 1: return "printf 'ID[%s]DI\\n' \(place)"
    case 2: return one(Self.plain(place))
    case 3: return one(Self.evaluating(place))
    case 4: return one(Self.confusing)
    case 5: return "if true; then \(piece(depth + 1)); fi"
    case 6: return "for i in \(place) b; do \(piece(depth + 1)); done"
    case 7: return "f() { \(piece(depth + 1))\n}; f \(place)"
    case 8:
      return one([
        "(\(piece(depth + 1)))", "{ \(piece(depth + 1)); }", "x=$(\(piece(depth + 1)))",
        "echo \"$(\(piece(depth + 1)))\"",
      ])
    case 9: return "case \(place) in x) \(piece(depth + 1));; *) \(piece(depth + 1));; esac"
    default: return "\(piece(depth + 1))\(one([" && ", " || ", "; ", " | ", "\n", " & "]))\(piece(depth + 1))"
    }
  }

  private static func plain(_ place: String) -> [String] {
    [
      "A=\(place)", "export A=\(place)", "echo \(place)", ": \(place)", "[ \(place) = x ]", "A=(\(place) b)",
      "A=x B=\(place)",
      "[[ \(place) == x ]]", "cat <<< \(place)", "A+=\(place)", "readonly R=\(place)", "unknown \(place)",
      "set -- \(place)",
    ]
  }

  private static func evaluating(_ place: String) -> [String] {
    [
      "echo $((1 + \(place)))", "echo $(( ((1)) + @@ ))", "echo $[1+@@]", "((x = @@))", "let x=@@",
      "declare -i N; N=\(place)",
      "eval echo \(place)", "sh -c \"echo @@\"", "echo \(place) | sh", "A[@@]=x", "echo ${A[@@]}", "unset \(place)",
      "read \(place)",
      "printf -v \(place) x", "trap \(place) EXIT", "[[ \(place) -eq 1 ]]", "[ \(place) -eq 1 ]", "\(place)",
      "echo `echo \(place)`",
      "echo $'@@'", "echo ${x:-@@}", "printf \(place)", "exec \(place)", "PS4=\(place); set -x", "> \(place)",
      "exit \(place)",
      "cat <<E\n@@\nE\n", "cat <<'E F'\n@@\nE F\n", "cat <<\tE\n\n@@\nE\n", "declare A=\(place)", "local B=\(place)",
    ]
  }

  private static let confusing = [
    "echo it\\'s", "# it's \"", "echo \"a\\\"\" '\"'", "echo ${A:-x}", "echo ${A#x}", "echo \"${A:-'}\"",
    "echo $'it\\'s'", "echo a#b",
    "case x in x) echo \")\";; esac", "cat <<-E\n\tit's\n\tE\n", "cat <<\\E\n\"\nE\n",
    "cat <<E\n$(echo \")\")\nE\n", "echo $#",
    "ec\\\nho x", "echo {a,b}", "echo é\\", "y=$(case x in x) echo 1;; esac)", "echo $(echo '(')", "x=${A%'}",
    "echo `echo '`'`",
    "cat <<E | cat\n'\nE\n", "alias q='echo \"'", "setopt rcquotes", "set -euo pipefail", "echo \"`echo \"x\"`\"",
    "echo $((1+(2)))",
    "echo $(( $(echo 1) ))", "[[ a =~ (a|') ]]", "((1<<2))", "x[1]=2", "echo '\n#'", "echo $(cat <<E\n'\nE\n)",
    "echo $A", "eval \"$A\"",
    "echo $((A+1))", "$A", "[[ $A -eq 1 ]]", "let B=A", "unset \"$A\"", "echo ${x[A]}", "echo \"$1\"",
  ]

  mutating func script() -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in piece(0) }.joined(
      separator: one(["\n", "; ", "\n\n", " \\\n&& "])) + "\n"
  }

  /// Signs without a grammar, around places.
  mutating func soup() -> String {
    let signs = [
      "'", "'", "\"", "\"", "$(", ")", "`", "\\", "\n", "\n", "<<E", "<<'E'", "\nE\n", "${A:-", "}", "((", "))", "$((",
      "#", " ", " ", ";",
      "case x in ", "x) ", ";;", " esac", "$'", "[[ ", " ]]", "&", "|", "echo ", "A=", "é", "\t", "{", "${#", "$A", "(",
      "if ", "then ", "fi",
    ]
    let count = Int.random(in: 1...8, using: &random)
    let parts = (0..<count).map { _ in one(signs) }
    let behind = (0..<Int.random(in: 0...6, using: &random)).map { _ in one(signs) }
    return parts.joined() + one(["echo @@", "printf 'ID[%s]DI\\n' @@", "@@", " @@", "A=@@"]) + behind.joined() + "\n"
  }
}
