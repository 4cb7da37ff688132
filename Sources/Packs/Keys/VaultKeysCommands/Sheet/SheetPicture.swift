import VaultCrypto
import VaultTerminal

/// Reads the QR code in a picture with zbarimg, which gets the picture through a pipe.
enum SheetPicture {
  private enum Form {
    case png, jpeg, pdf

    init?(_ bytes: [UInt8]) {
      if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        self = .png
      } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
      } else if bytes.starts(with: Array("%PDF-".utf8)) {
        self = .pdf
      } else {
        return nil
      }
    }
  }

  static let byteLimit = 64 << 20

  static func isPicture(_ bytes: [UInt8]) -> Bool { Form(bytes) != nil }

  /// The text of the only code in a picture.
  ///
  /// - Parameter name: the file, for errors.
  static func text(in bytes: [UInt8], named name: String) throws -> [UInt8] {
    guard let form = Form(bytes) else { preconditionFailure("the caller asks whether it is a picture") }
    // ImageMagick, which zbarimg uses, copies a pipe into a temporary file.
    guard let memory = System.memoryBackedFolder else {
      throw unread(name, "needs a folder in memory for zbarimg, such as /dev/shm", "type the lines instead")
    }
    let isPDF = form == .pdf
    let picture = isPDF ? try page(of: bytes, named: name) : bytes
    let variables =
      System.variablesForTools().filter { !$0.hasPrefix("MAGICK_TMPDIR=") && !$0.hasPrefix("TMPDIR=") }
      + ["MAGICK_TMPDIR=\(memory)", "TMPDIR=\(memory)"]
    let read = try output(
      of: "zbarimg", ["--quiet", "--raw", "--nodbus", form == .jpeg ? "jpeg:-" : "png:-"], picture, variables, name,
      package: "zbar-tools")
    let codes = read.bytes.split { $0 == UInt8(ascii: "\n") }.map(Array.init).filter { SheetCode.prefix(of: $0) != nil }
    guard let only = codes.first, codes.count == 1 else {
      throw unread(
        name, codes.isEmpty ? "has no QR code of a sheet that zbarimg can read" : "has the codes of several sheets",
        "scan the page again, at 150 dots per inch or more, or type the lines")
    }
    return only
  }

  /// The first page of a PDF as a PNG.
  private static func page(of bytes: [UInt8], named name: String) throws -> [UInt8] {
    let made = try output(
      of: "pdftoppm", ["-r", "200", "-gray", "-png", "-singlefile", "-f", "1", "-"], bytes, System.variablesForTools(),
      name, package: "poppler-utils")
    guard made.code == 0, isPicture(made.bytes) else {
      throw unread(name, "is not a PDF that pdftoppm can read", "type the lines instead")
    }
    return made.bytes
  }

  private static func output(
    of tool: String, _ arguments: [String], _ input: [UInt8], _ variables: [String], _ name: String, package: String
  ) throws -> (code: Int32, bytes: [UInt8]) {
    let answer = unsafe try System.bytesOfTool(
      tool, arguments: arguments, value: input.span.bytes, variables: variables, limit: byteLimit)
    guard let answer else {
      throw CommandError(
        .failed, "no_tool", subject: name, "is a picture, and \(tool) is not installed",
        hints: ["install \(package), or type the lines of the sheet: `vault key sheet --check`"])
    }
    return answer
  }

  private static func unread(_ name: String, _ reason: String, _ hint: String) -> CommandError {
    CommandError(.inputRefused, "input_refused", subject: name, reason, hints: [hint])
  }
}
