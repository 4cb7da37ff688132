import ArgumentParser

/// How a value gets into the clipboard, and out of it.
struct ClipboardOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Empty the clipboard after so many seconds, 0 for never.", valueName: "seconds"))
  var clearAfter = 45

  @Flag(help: "Gone as soon as it was pasted once.")
  var once = false

  @Flag(help: "What X11 and Wayland paste with the middle button.")
  var primary = false

  @Option(help: ArgumentHelp("wayland, x11, macos, or osc52: give it to the terminal.", valueName: "way"))
  var via: ClipboardWay?

  /// The way to the clipboard; to be asked for before anything is unlocked.
  func clipboard() throws -> Clipboard {
    guard (0...86_400).contains(clearAfter) else {
      throw CommandError.usage("--clear-after", "must be between 0 and 86400 seconds")
    }
    guard via != .osc52 || !once else {
      throw CommandError.usage("--once", "is more than a terminal can do", "leave it out, or --via osc52")
    }
    return try via.map { Clipboard($0, isPrimary: primary) } ?? Clipboard.found(isPrimary: primary)
  }

  /// Puts a value there and sees to it that it goes again.
  ///
  /// - Returns: after how many seconds; nil for never.
  func put(_ value: RawSpan, in clipboard: Clipboard) throws -> Int? {
    guard clipboard.way != .osc52 else {
      try TerminalClipboard.put(value, isPrimary: primary)
      return nil
    }
    try clipboard.put(value, once: once)
    try ClipboardClearing(clipboard: clipboard, seconds: clearAfter).begin(for: value)
    return clearAfter > 0 ? clearAfter : nil
  }

  /// What is said of it.
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
