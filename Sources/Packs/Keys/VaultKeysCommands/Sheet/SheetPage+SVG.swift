import VaultTerminal

extension SheetPage {
  /// The page as a picture in SVG 1.1.
  func svg(_ paper: SheetPaper) -> String {
    let (size, places) = paper.squares(self)
    let (width, height) = (Self.number(paper.width), Self.number(paper.height))
    var parts = [
      #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(width)pt" height="\#(height)pt" "#
        + #"viewBox="0 0 \#(width) \#(height)">"#,
      #"<rect width="\#(width)" height="\#(height)" fill="white"/>"#,
      #"<g font-family="monospace" font-size="\#(Self.number(SheetPaper.fontSize))" fill="black">"#,
    ]
    for (index, line) in lines.enumerated() where !line.text.isEmpty {
      let weight = line.isTitle ? #" font-weight="bold""# : ""
      parts.append(
        #"<text x="\#(Self.number(SheetPaper.left))" y="\#(Self.number(paper.base(index)))"\#(weight) "#
          + #"xml:space="preserve">\#(Self.escaped(line.text))</text>"#)
    }
    parts.append("</g>")
    let side = Self.number(size)
    let squares = places.map { "M\(Self.number($0.x)) \(Self.number($0.y))h\(side)v\(side)h-\(side)z" }
    if !squares.isEmpty { parts.append(#"<path fill="black" shape-rendering="crispEdges" d="\#(squares.joined())"/>"#) }
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  /// A number with two decimals.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = String(hundredths % 100)
    return "\(hundredths / 100)." + (rest.count == 1 ? "0" : "") + rest
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}
