import DynamicLibraries

/// A QR code (ISO/IEC 18004), made by libqrencode where that is installed.
struct QRCode {
  // As qrencode.h of version 4 has it.
  private typealias Encode = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> UnsafeMutableRawPointer?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Of light around it, which readers need.
  private static let margin = 4
  private static let library = DynamicLibrary(["libqrencode.so.4", "libqrencode.4.dylib"])

  private let width: Int
  private let isDark: [Bool]

  /// - Parameter text: at most 2,953 bytes.
  init(of text: String) throws {
    guard let encode = unsafe Self.library?.function("QRcode_encodeString8bit", as: Encode.self),
      let free = unsafe Self.library?.function("QRcode_free", as: Free.self)
    else {
      throw CommandError(
        .failed, "no_library", subject: "--qr", "needs libqrencode, which is not installed",
        hints: ["install libqrencode4, or use --uri"])
    }
    // The smallest version that fits, with a quarter of the code to spare for faults.
    guard let code = unsafe encode(text, 0, 1) else {
      throw CommandError(.inputRefused, "input_refused", subject: "--qr", "is too long for a code")
    }
    defer { unsafe free(code) }
    // typedef struct { int version; int width; unsigned char *data; } QRcode; the lowest bit of a byte is its module.
    width = unsafe Int(code.load(fromByteOffset: 4, as: Int32.self))
    let data = unsafe code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>.self)
    isDark = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return isDark[row * width + column]
  }

  /// Two rows in one line, dark on light whatever the colors of the terminal.
  var lines: [String] {
    stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      let halves = (-Self.margin..<width + Self.margin).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[30;107m\(halves.joined())\u{1B}[0m"
    }
  }

  func print() throws { try Output.lines(lines) }
}
