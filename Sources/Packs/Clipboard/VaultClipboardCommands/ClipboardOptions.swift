import ArgumentParser
import VaultCLI
import VaultTerminal

struct ClipboardOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Empty the clipboard after so many seconds, 0 for never.", valueName: "seconds"))
  var clearAfter = 45

  @Flag(help: "Gone as soon as it was pasted once.")
  var once = false

  @Flag(help: "What X11 and Wayland paste with the middle button.")
  var primary = false

  @Option(
    help: ArgumentHelp("wayland, x11, macos, or osc52: give it to the terminal (CVAULT_CLIPBOARD).", valueName: "way"))
  var via: ClipboardWay?

  /// The clipboard to use. Commands ask for it before they unlock anything.
  func clipboard() throws -> Clipboard {
    guard (0...86_400).contains(clearAfter) else {
      throw CommandError.usage("--clear-after", "must be between 0 and 86400 seconds")
    }
    let way = try via ?? Self.usualWay()
    guard way != .osc52 || !once else {
      throw CommandError.usage("--once", "is more than a terminal can do", "leave it out, or give another --via")
    }
    return try way.map { Clipboard($0, isPrimary: primary) } ?? Clipboard.found(isPrimary: primary)
  }

  /// The clipboard that the user always wants; nil if the session decides.
  private static func usualWay() throws -> ClipboardWay? {
    guard let word = System.variable("CVAULT_CLIPBOARD") else { return nil }
    guard let way = ClipboardWay(rawValue: word) else {
      throw CommandError.usage(
        "CVAULT_CLIPBOARD", "names no way to a clipboard",
        "it takes one of \(ClipboardWay.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return way
  }

  /// Puts a value into the clipboard, and schedules its clearing. Returns the seconds until then; nil for never.
  func put(_ value: RawSpan, in clipboard: Clipboard) throws -> Int? {
    guard clipboard.way != .osc52 else {
      try TerminalClipboard.put(value, isPrimary: primary)
      return nil
    }
    let clearing = ClipboardClearing(clipboard: clipboard, seconds: clearAfter)
    let before = clearing.contentBefore()
    try clipboard.put(value, once: once)
    try clearing.begin(for: value, before: before)
    return clearAfter > 0 ? clearAfter : nil
  }

  /// Reports the copy to the user.
  func report(_ what: String, in clipboard: Clipboard, clearedAfter seconds: Int?, _ global: GlobalOptions) {
    let end =
      if clipboard.way == .osc52 { "the terminal has it now, and it is not cleared" } else {
        (seconds.map { "copied for \($0) s" } ?? "copied, and not cleared") + (once ? ", to paste once" : "")
      }
    global.messages.note("\(what): \(end)")
    guard clipboard.way != .osc52, global.verbose else { return }
    global.messages.detail(
      clipboard.isHinted
        ? "histories of the clipboard are told not to keep it" : "a history of the clipboard may keep it")
  }
}
