import ArgumentParser

/// The help of a command, with its example first.
enum HelpPage {
  /// The parser's page with the example after the overview.
  ///
  /// The parser folds every line at the width of the screen. Examples are not folded, so that they can
  /// be copied.
  static func exampleFirst(_ text: String, of command: any ParsableCommand.Type) -> String {
    guard let usage = text.firstRange(of: "\n\nUSAGE: ") else { return text }
    let configuration = command.configuration
    let folded = paragraphs(String(text[..<usage.lowerBound]))
    let written = paragraphs("OVERVIEW: \(configuration.abstract)\n\n\(configuration.discussion)")
    // The arguments can name another command than the one whose page this is.
    guard folded.count == written.count, zip(folded, written).allSatisfy({ words($0) == words($1) }) else {
      return text
    }
    let pairs = zip(folded, written).dropFirst()
    let examples = pairs.map(\.1).filter(isExample)
    let explanation = pairs.filter { !isExample($0.1) }.map(\.0)
    return (folded.prefix(1) + examples + explanation).joined(separator: "\n\n") + text[usage.lowerBound...]
  }

  private static func paragraphs(_ text: String) -> [String] { text.split(separator: "\n\n").map(String.init) }

  private static func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

  private static func isExample(_ paragraph: String) -> Bool {
    paragraph.hasPrefix("Example:") || paragraph.hasPrefix("  ")
  }
}
