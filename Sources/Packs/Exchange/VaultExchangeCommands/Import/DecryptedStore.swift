import VaultCrypto
import VaultDocument
import VaultExchange
import VaultKit
import VaultPackSupport
import VaultSystem
import VaultTerminal

/// A folder whose files a command of the user decrypts, before anything of the vault is opened. The texts go to unnamed
/// files in memory, where the reading process gets them.
struct DecryptedStore {
  static let format = "pass"
  private static let maximumByteCount = 256 << 20

  /// The path for the reading process.
  let path: String

  /// - Parameter command: decrypts the file whose path follows it, such as `gpg -dq`.
  init(of folder: String, by command: String, _ progress: Progress, _ global: GlobalOptions) throws {
    guard System.kind(of: folder) == .directory else {
      throw CommandError.usage("--decrypt", "needs a folder of encrypted files, such as ~/.password-store")
    }
    let source = try ImportCommand.inExchange(folder) { () throws(ExchangeError) in
      try ImportFolder.source(at: folder)
    }
    let files = (source.files ?? []).filter { Self.isSealed($0.path) }
    guard !files.isEmpty else {
      throw CommandError(
        .inputRefused, "input_refused", subject: folder, "has no file whose name ends with .gpg or .age",
        hints: ["name the folder of the store: ~/.password-store, or the one that `gopass config mounts.path` prints"])
    }
    var lines: [UInt8] = []
    for file in files {
      lines += try Self.line(of: file, in: folder, command, global)
      guard lines.count <= Self.maximumByteCount else {
        throw CommandError(
          .inputRefused, "input_refused", subject: folder, "has more than 256 MiB of text",
          hints: ["import its folders one by one"])
      }
      progress.advance()
    }
    do throws(Errno) {
      path = "/dev/fd/\(try MemoryFile.sealed(RawSpan(_elements: lines.span), isInherited: false))"
    } catch {
      throw SystemError(number: error.number, path: nil, action: "made in memory")
    }
  }

  private static func isSealed(_ path: String) -> Bool { path.hasSuffix(".gpg") || path.hasSuffix(".age") }

  private static func line(
    of file: ImportFile, in folder: String, _ command: String, _ global: GlobalOptions
  ) throws -> [UInt8] {
    var members: [(String, JSONValue)] = [("path", .string(file.path))]
    if let refusal = file.refusal {
      members.append(("refusal", .string(refusal)))
    } else {
      var text: [UInt8]?
      // With the folder in front, a name that begins with a hyphen is not an option.
      let script = "\(command) \("\(folder)/\(file.path)".shellQuoted)"
      let variables = System.variablesForTools(isForbidding: global.noReveal)
      let status = try System.readShell(script, variables: variables) { descriptor in
        text = try TextInput.bytes(from: descriptor, named: file.path, limit: 16 << 20)
      }
      members.append(
        status == 0 && text != nil
          ? ("text", .string(Base64.encode(text ?? []))) : ("refusal", .string("the command did not decrypt the file")))
    }
    return try JSONValue.object(JSONObject(members)).compactBytes(limits: .exchange) + [UInt8(ascii: "\n")]
  }
}
