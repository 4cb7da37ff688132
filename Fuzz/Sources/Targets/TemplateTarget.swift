#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import VaultDelivery

/// Templates of scripts: the first byte says which value is wanted, the rest is the script, with `@@` for each place.
///
/// The values are commands that leave a file behind. No shell may run them, wherever they were put.
enum TemplateTarget: FuzzTarget {
  static let name = "template"

  private static let values = [
    "$(: >ran)1", "`: >ran`", "';: >ran;'", "\";: >ran;\"", "x[$(: >ran)]", "x\nE\n: >ran\n", "你\"; : >ran; '",
    ") : >ran (",
    "}; : >ran; {", "\n: >ran\n", "]]; : >ran; [[", "\\'; : >ran; '", "#\n: >ran", ";; esac; : >ran",
  ]

  private static let folder: String = {
    let folder = Files.makeScratchFolder()
    Files.makeFolder(folder + "/work")
    return folder
  }()

  static func seeds() -> [[UInt8]] {
    [
      "A=@@", "echo $(( ((1)) + @@ ))", "cat <<E\n$x\nE\necho \"@@\" '@@'", "case @@ in x) echo \")\" @@;; esac",
      "x=$(echo @@)",
      "f() { local x=\"$1\"; echo ${x:-y}; }\nf @@ # it's", "for i in @@ b; do [[ $i == x ]] && A=(@@ \"$i\"); done",
      "echo $'a' `echo x` @@",
      "echo $[1+@@]; ((x=@@))", "cat <<-'E'\n\tit's\n\tE\nprintf '%s' @@ <<<x >y &",
      "set -eu\nif true; then export A=\"$B:@@\"; fi",
    ].enumerated().map { [UInt8($0)] + Array($1.utf8) }
  }

  static func check(_ input: [UInt8]) {
    // The scripts that this makes are run: nothing of the input but these bytes may be a command of its own.
    guard let first = input.first, input.dropFirst().allSatisfy({ isHarmless($0) }) else { return }
    // Neither may it end processes, or write the marker itself.
    guard !["kill", "ran", "OLDPWD", "HOME"].contains(where: { String(decoding: input, as: UTF8.self).contains($0) })
    else { return }
    let text = String(decoding: input.dropFirst(), as: UTF8.self).replacing("@@", with: "{{cvault://R/f}}")
    guard let template = try? Template(parsing: Array(text.utf8)), !template.placeholders.isEmpty else { return }
    let value = TemplateValue(values[Int(first) % values.count])
    guard let script = try? template.filled(as: .shell, with: template.placeholders.map { _ in value }) else { return }
    Files.write(script, to: folder + "/script")
    for shell in ["bash", "dash"] {
      // No program is found on this path, so that a script can do nothing but print and write files here.
      let limits = "cd '\(folder)/work' && unset OLDPWD && ulimit -t 5 -f 1024"
      let line =
        limits + " && HOME=. PATH=/nowhere /usr/bin/timeout 5 /bin/\(shell) ../script >/dev/null 2>&1 </dev/null"
      _ = unsafe system(line)
      require(Files.contents(of: folder + "/work/ran") == nil, "no shell runs a value of a template")
    }
  }

  /// Without slashes no program or file elsewhere can be named.
  private static func isHarmless(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "/") && byte != 0 && byte != UInt8(ascii: "~")
  }
}
