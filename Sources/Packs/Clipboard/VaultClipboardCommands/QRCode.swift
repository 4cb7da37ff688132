import DynamicLibraries
import VaultCLI
import VaultTerminal

/// A QR code (ISO/IEC 18004), made by libqrencode if that is installed.
struct QRCode {
  // From qrencode.h of version 4: size, data, version, level.
  private typealias Encode =
    @convention(c) (Int32, UnsafePointer<UInt8>, Int32, Int32) -> UnsafeMutableRawPointer?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The error correction level, 15 or 7 percent: QR_ECLEVEL_M and QR_ECLEVEL_L.
  private enum Spare: Int32, CaseIterable {
    case some = 1
    case little = 0
  }

  /// The light margin that readers need.
  private static let margin = 4
  private static let library = DynamicLibrary(["libqrencode.so.4", "libqrencode.4.dylib"])

  private let width: Int
  private let isDark: [Bool]

  /// Refuses an output that is not a terminal, and a machine without the library.
  static func check(_ global: GlobalOptions, _ hint: String) throws {
    guard Output.isTerminal, !global.json, System.environment("TERM") != "dumb" else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--qr", "needs a terminal to draw on", hints: [hint])
    }
    guard library != nil else {
      throw CommandError(
        .failed, "no_library", subject: "--qr", "needs libqrencode, which is not installed",
        hints: ["install libqrencode4", hint])
    }
  }

  static func draw(_ bytes: RawSpan, by _: Revealing) throws {
    let codes = try Spare.allCases.compactMap { spare in try QRCode(of: bytes, spare) }
    guard let smallest = codes.last else {
      let reason =
        bytes.byteCount == 0 ? "has nothing to draw" : "the value is too long for a QR code, which holds 2,953 bytes"
      throw CommandError(.inputRefused, "input_refused", subject: "--qr", reason)
    }
    let screen = System.screen
    // One line belongs to the shell. A screen without a known size is taken as large enough.
    guard let rows = screen.rows.map({ $0 - 1 }) else { return try Output.lines(codes[0].lines) }
    let fitting = codes.first { $0.lines.count <= rows && $0.columns <= screen.columns }
    guard let fitting else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--qr",
        "needs \(smallest.columns) columns and \(smallest.lines.count + 1) lines, but the terminal has "
          + "\(screen.columns) and \(rows + 1)", hints: ["make the terminal larger, or its letters smaller"])
    }
    try Output.lines(fitting.lines)
  }

  /// The rows of a code for paper, without the margin. Nil without the library, or for too many bytes.
  static func modules(of bytes: RawSpan) throws -> [[Bool]]? {
    guard library != nil, let code = try QRCode(of: bytes, .some) else { return nil }
    return (0..<code.width).map { row in (0..<code.width).map { code.isDark(row, $0) } }
  }

  /// The smallest code that fits; nil if none does.
  private init?(of bytes: RawSpan, _ spare: Spare) throws {
    guard let encode = unsafe Self.library?.function("QRcode_encodeData", as: Encode.self),
      let free = unsafe Self.library?.function("QRcode_free", as: Free.self)
    else {
      throw CommandError(
        .failed, "no_library", subject: "--qr", "needs libqrencode 4, but another version is installed")
    }
    let made = unsafe bytes.withUnsafeBytes { buffer -> UnsafeMutableRawPointer? in
      guard let start = buffer.baseAddress, let count = Int32(exactly: buffer.count), count > 0 else { return nil }
      return unsafe encode(count, start.assumingMemoryBound(to: UInt8.self), 0, spare.rawValue)
    }
    guard let code = unsafe made else { return nil }
    defer { unsafe free(code) }
    // typedef struct { int version; int width; unsigned char *data; } QRcode; the lowest bit of a byte is its module.
    width = unsafe Int(code.load(fromByteOffset: 4, as: Int32.self))
    let data = unsafe code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>.self)
    isDark = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
  }

  private var columns: Int { width + 2 * Self.margin }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return isDark[row * width + column]
  }

  /// Two rows in each line, dark on light for any colors of the terminal.
  private var lines: [String] {
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
}

/// The part of the pack in other commands.
struct QRCodes: CodeDrawing {
  func check(_ global: GlobalOptions, _ hint: String) throws { try QRCode.check(global, hint) }
  func draw(_ bytes: RawSpan, by permission: Revealing) throws { try QRCode.draw(bytes, by: permission) }
  func modules(of bytes: RawSpan) throws -> [[Bool]]? { try QRCode.modules(of: bytes) }
}
