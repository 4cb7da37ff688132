import ArgumentParser
import VaultCLI
import VaultDocument
import VaultTerminal

enum ClipboardWay: String, CaseIterable, ExpressibleByArgument {
  case wayland, x11, macos, osc52
}

/// The clipboard of the desktop. Tools of the desktop access it, and values reach them through a pipe.
struct Clipboard {
  /// A tool, with the words for copying, pasting and clearing.
  private struct Tool {
    let name: String
    let take: [String]
    let give: [String]
    let empty: [String]?
    var takesOnce: [String]?
    var giver: String?
  }

  let way: ClipboardWay
  /// Whether this is the primary selection, which X11 and Wayland paste with the middle button.
  let isPrimary: Bool
  private let tools: [Tool]

  init(_ way: ClipboardWay, isPrimary: Bool) {
    (self.way, self.isPrimary) = (way, isPrimary)
    tools = Self.tools(way, isPrimary: isPrimary)
  }

  static func found(isPrimary: Bool) throws -> Clipboard {
    #if canImport(Darwin)
      return Clipboard(.macos, isPrimary: isPrimary)
    #else
      if System.environment("WAYLAND_DISPLAY") != nil { return Clipboard(.wayland, isPrimary: isPrimary) }
      if System.environment("DISPLAY") != nil { return Clipboard(.x11, isPrimary: isPrimary) }
      throw CommandError(
        .inputOutput, "no_clipboard", subject: "clipboard",
        "there is no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set",
        hints: [
          "over ssh, `--via osc52` gives the value to the terminal, if that allows it",
          "CVAULT_CLIPBOARD=osc52 makes this the default",
        ])
    #endif
  }

  private static func tools(_ way: ClipboardWay, isPrimary: Bool) -> [Tool] {
    switch way {
    case .wayland:
      let place = isPrimary ? ["--primary"] : []
      return [
        Tool(
          name: "wl-copy", take: place, give: place + ["--no-newline"], empty: place + ["--clear"],
          takesOnce: place + ["--paste-once"], giver: "wl-paste")
      ]
    case .x11:
      let place = ["-selection", isPrimary ? "primary" : "clipboard"]
      let own = [isPrimary ? "--primary" : "--clipboard"]
      return [
        Tool(
          name: "xclip", take: place + ["-in"], give: place + ["-out"], empty: nil,
          takesOnce: place + ["-in", "-loops", "1"]),
        Tool(name: "xsel", take: own + ["--input"], give: own + ["--output"], empty: own + ["--clear"]),
      ]
    case .macos: return [Tool(name: "pbcopy", take: [], give: [], empty: nil, giver: "pbpaste")]
    case .osc52: return []
    }
  }

  /// Puts a value into the clipboard.
  ///
  /// - Parameter once: whether the value is cleared after one paste.
  func put(_ value: RawSpan, once: Bool) throws {
    for tool in tools {
      guard let words = once ? tool.takesOnce : tool.take else {
        throw CommandError.usage("--once", "does not work with \(tool.name)", "wl-copy and xclip can paste once")
      }
      guard let status = try System.giveToTool(tool.name, arguments: hint(for: tool) + words, value: value) else {
        continue
      }
      guard status == 0 else {
        throw CommandError(
          .inputOutput, "no_clipboard", subject: tool.name, "cannot reach the clipboard (exit status \(status))",
          hints: ["check \(way == .wayland ? "WAYLAND_DISPLAY" : "DISPLAY"); nothing was copied"])
      }
      return
    }
    throw CommandError(
      .inputOutput, "no_clipboard", subject: "clipboard",
      "cannot be reached: there is no \(tools.map(\.name).joined(separator: " or "))",
      hints: ["install \(way == .wayland ? "wl-clipboard" : "xclip")", "`--via osc52` gives the value to the terminal"])
  }

  /// The content; nil if it is empty, longer than `limit` bytes, or unknown.
  func content(limit: Int) -> [UInt8]? {
    for tool in tools {
      let found = System.outputOfTool(
        tool.giver ?? tool.name, tool.give, variables: System.variablesForTools(), limit: limit)
      if let found { return found }
    }
    return nil
  }

  /// Restores an earlier text. An empty text clears the clipboard.
  func giveBack(_ text: RawSpan) {
    for tool in tools {
      let words = text.byteCount > 0 ? tool.take : tool.empty ?? tool.take
      if (try? System.giveToTool(tool.name, arguments: words, value: text)) == 0 { return }
    }
  }

  /// The option that tells clipboard histories to skip the value. Older tools lack the option, so the tool is asked
  /// first.
  private func hint(for tool: Tool) -> [String] {
    guard tool.name == "wl-copy" else { return [] }
    let help = System.outputOfTool("wl-copy", ["--help"], variables: System.variablesForTools(), limit: 1 << 16)
    return help.map { String(decoding: $0, as: UTF8.self).contains("--sensitive") } == true ? ["--sensitive"] : []
  }

  /// Whether histories are told to skip the value.
  var isHinted: Bool { tools.contains { !hint(for: $0).isEmpty } }
}

/// The clipboard of the terminal (OSC 52 of xterm's control sequences), which cannot be read or cleared reliably.
enum TerminalClipboard {
  /// The size that all terminals accept.
  private static let maximumByteCount = 74_994

  static func put(_ value: RawSpan, isPrimary: Bool, by _: Revealing) throws {
    guard let terminal = NamedFile.terminal() else {
      throw CommandError(
        .inputOutput, "no_clipboard", subject: "terminal", "there is no terminal to give the value to",
        hints: ["`--via osc52` works only at a terminal"])
    }
    guard value.byteCount <= maximumByteCount else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--via osc52", "takes at most \(maximumByteCount) bytes",
        hints: ["use `vault get RECORD FIELD > FILE` in a private folder"])
    }
    let sequence = "\u{1B}]52;\(isPrimary ? "p" : "c");\(Base64.encode(value))\u{07}"
    try System.writeAll(Array(sequence.utf8), to: terminal.descriptor, path: terminal.path)
  }
}
