import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

struct OtpCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "otp",
    abstract: "Print the one-time code of a record.",
    discussion: """
      Example:
        vault otp GitHub

      The code depends on the time (RFC 6238). Its key is base32, an otpauth://totp address or a steam:// key. A note \
      on stderr says how long the code is good.
      """,
    aliases: ["totp", "code"])

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("The field, if the record has several keys.", valueName: "field"))
  var path: String?

  @Flag(help: "Take the next code instead of the present one.")
  var next = false

  @Flag(help: "Copy the code to the clipboard.")
  var copy = false

  @Flag(help: "Print the address with the key, for other programs.")
  var uri = false

  @Flag(help: "Draw that address as a QR code, for a camera.")
  var qr = false

  @OptionGroup(title: "Clipboard") var clipboard: ClipboardOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    try checkForm()
    let field = try FieldArgument(record, path)
    let target = copy ? try clipboard.clipboard() : nil
    let permission = try permission(field, target)
    let session = try Session(vault, global)
    let found = try await field.record(in: session, unlocking)
    let chosen = try field.path.map(found.readingPlace) ?? found.oneTimeKeyPath()
    let key = try await CommandError.naming(membersOf: found) { try found.oneTimeKey(at: chosen) }
    if let permission, uri || qr { return try give(key.address(named: found.name), of: found, chosen, by: permission) }
    let now = Timestamp.now()
    if now < found.envelope.updatedAt {
      global.messages.note("the clock is behind: this record was changed at \(found.envelope.updatedAt.text)")
    }
    try give(key, at: now.secondsSinceEpoch, of: found, path: chosen, target: target, by: permission)
  }

  /// Nil if the run must not reveal the code, and only the clipboard gets it.
  private func permission(_ field: FieldArgument, _ target: Clipboard?) throws -> Revealing? {
    do {
      return try global.revealing(
        "otp", "a one-time code", of: RevealedPlace(record: field.word, path: field.path, view: .otp))
    } catch {
      guard let target, target.way != .osc52 else { throw error }
      return nil
    }
  }

  private func checkForm() throws {
    guard [next || copy, uri, qr].count(where: \.self) <= 1 else {
      throw CommandError.usage(
        nil, "--uri and --qr cannot be combined with each other or with --next and --copy",
        "use --next and --copy only for a code")
    }
    if qr { try QRCode.check(global, "use --uri for a program that draws QR codes") }
  }

  private func give(
    _ key: OneTimeKey, at seconds: Int64, of found: OpenRecord, path: MemberPath, target: Clipboard?,
    by permission: Revealing?
  ) throws {
    let moment = seconds + (next ? Int64(key.remaining(at: seconds)) : 0)
    let code = try key.code(at: moment)
    let remaining = key.remaining(at: seconds)
    if let target {
      let cleared = try unsafe clipboard.put(
        Array(code.utf8).span.bytes, in: target, by: permission ?? global.revealing("--via osc52"))
      clipboard.report("the code of \(found.name)", in: target, clearedAfter: cleared, global)
    }
    guard !global.json else {
      return try Output.document([
        "id": found.id, "path": path.description, "code": permission.map { _ in code }, "period": key.period,
        "remaining": remaining,
      ])
    }
    if let permission, target == nil { try Output.line(code, by: permission) }
    global.messages.note(next ? "good in \(remaining) s, for \(key.period) s" : "good for \(remaining) s")
  }

  private func give(
    _ address: String, of found: OpenRecord, _ path: MemberPath, by permission: Revealing
  ) throws {
    if qr {
      let address = Array(address.utf8)
      return try unsafe QRCode.draw(address.span.bytes, by: permission)
    }
    guard global.json else { return try Output.line(address, by: permission) }
    try Output.document(["id": found.id, "path": path.description, "uri": address], by: permission)
  }
}

extension OpenRecord {
  fileprivate func oneTimeKey(at path: MemberPath) throws -> OneTimeKey {
    let text = try revealed(at: path).plainText()
    do throws(RecordError) {
      return try OneTimeKey(parsing: text)
    } catch {
      var told = CommandError(.inputRefused, "input_refused", subject: "\(path)", error.reason)
      told.record = id.text
      told.field = path.description
      throw told
    }
  }
}
