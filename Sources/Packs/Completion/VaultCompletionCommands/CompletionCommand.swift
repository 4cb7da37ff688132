import ArgumentParser
import VaultCLI
import VaultTerminal

struct CompletionCommand: ParsableCommand {
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print the completion script of a shell.",
    discussion: """
      Example:
        vault completion zsh > ~/.zfunc/_vault

      The script completes commands, options, kinds, fields, slots, formats and the names of records, without a key. \
      Scripts/install puts the script where bash, zsh and fish look for it.
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  @Option(help: ArgumentHelp("The name of the program, if it is not vault.", valueName: "name"))
  var name = "vault"

  func run() throws {
    guard name.utf8.allSatisfy({ isPlain($0) }), !name.isEmpty else {
      throw CommandError.usage("--name", "can have only letters, digits, . _ and -")
    }
    let function = String(name.map { "._-".contains($0) ? "_" : $0 })
    try Output.line(script.replacing("NAME", with: name).replacing("FUNCTION", with: function))
  }

  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private var script: String {
    switch shell {
    case .bash: Self.bash
    case .zsh: Self.zsh
    case .fish: Self.fish
    }
  }

  private static let bash = #"""
    # Completion of NAME for bash. The program finds the words, and quotes them.
    _FUNCTION_complete() {
      local found
      COMPREPLY=()
      found=$("$1" complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null) || return 0
      if [[ $found == $'\001files' ]]; then
        compopt -o default
      elif [[ -n $found ]]; then
        mapfile -t COMPREPLY <<<"$found"
        if [[ $found == *[=/] ]]; then compopt -o nospace; fi
      fi
    }
    complete -F _FUNCTION_complete NAME
    """#

  private static let zsh = #"""
    #compdef NAME
    # Completion of NAME for zsh. The program finds the words, and zsh quotes them.
    _FUNCTION() {
      local -a found whole begun
      found=("${(@f)$("${words[1]}" complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
      if [[ $found[1] == $'\001files' ]]; then
        _files
        return
      fi
      whole=("${(@)found:#*[=/]}")
      begun=("${(@M)found:#*[=/]}")
      [[ -n $whole ]] && compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a whole
      [[ -n $begun ]] && compadd -S '' -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a begun
    }
    if [[ $funcstack[1] == _NAME ]]; then _FUNCTION "$@"; else compdef _FUNCTION NAME; fi
    """#

  private static let fish = #"""
    # Completion of NAME for fish. The program finds the words, and fish quotes them.
    function __FUNCTION_complete
      set -l words (commandline -opc)
      set -l program $words[1]
      set -e words[1]
      set -l found ($program complete fish $words (commandline -ct) 2>/dev/null)
      if test "$found[1]" = \x01files
        __fish_complete_path (commandline -ct)
      else if set -q found[1]
        printf '%s\n' $found
      end
    end
    complete -c NAME -f -a '(__FUNCTION_complete)'
    """#
}
