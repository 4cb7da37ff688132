import ArgumentParser
import VaultCLI
import VaultTerminal

struct ClipboardOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Empty the clipboard after this many seconds; 0 for never.", valueName: "seconds"))
  var clearAfter = 45

  @Flag(help: "Empty the clipboard after one paste.")
  var once = false

  @Flag(help: "Use the middle-button selection of X11 and Wayland.")
  var primary = false

  @Option(
    help: ArgumentHelp("wayland, x11, macos, or osc52 for the terminal (CVAULT_CLIPBOARD).", valueName: "way"))
  var via: ClipboardWay?

  /// The clipboard to use. Commands ask for it before they unlock anything.
  func clipboard() throws -> Clipboard {
    guard (0...86_400).contains(clearAfter) else {
      throw CommandError.usage("--clear-after", "must be between 0 and 86400 seconds")
    }
    let way = try via ?? Self.usualWay()
    guard way != .osc52 || !once else {
      throw CommandError.usage("--once", "does not work with osc52", "leave out --once, or give another --via")
    }
    return try way.map { Clipboard($0, isPrimary: primary) } ?? Clipboard.found(isPrimary: primary)
  }

  /// The clipboard that the user always wants; nil if the session decides.
  private static func usualWay() throws -> ClipboardWay? {
    guard let word = System.variable("CVAULT_CLIPBOARD") else { return nil }
    guard let way = ClipboardWay(rawValue: word) else {
      throw CommandError.usage(
        "CVAULT_CLIPBOARD", "is \"\(Printable.argument(word))\", which is not a way to copy",
        "set it to one of \(ClipboardWay.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return way
  }

  /// Puts a value into the clipboard, and schedules its clearing. Returns the seconds until then; nil for never.
  ///
  /// - Parameter permission: called for the clipboard of the terminal, which is output like any other.
  func put(
    _ value: RawSpan, in clipboard: Clipboard, by permission: @autoclosure () throws -> Revealing
  ) throws -> Int? {
    guard clipboard.way != .osc52 else {
      try TerminalClipboard.put(value, isPrimary: primary, by: permission())
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
      if clipboard.way == .osc52 { "given to the terminal, and not cleared" } else {
        (seconds.map { "copied for \($0) s" } ?? "copied, and not cleared") + (once ? ", to paste once" : "")
      }
    global.messages.note("\(what): \(end)")
    guard clipboard.way != .osc52, global.verbose else { return }
    global.messages.detail(
      clipboard.isHinted
        ? "clipboard histories are told not to keep the value" : "a clipboard history may keep the value")
  }
}
