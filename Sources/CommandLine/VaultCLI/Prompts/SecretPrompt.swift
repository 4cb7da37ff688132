import VaultCrypto
import VaultDocument
import VaultRecords
import VaultTerminal

/// Asks for the value of a sealed field until the kind accepts the value.
///
/// If nothing is typed, a password is generated. A text of several lines comes from a file or an editor. Any other
/// value is hidden, so it is typed twice.
struct SecretPrompt {
  private enum Way {
    case password, lines, line, file
  }

  private let label: String
  private let way: Way
  /// Whether the value is typed twice to catch slips. A field of several lines is not.
  private let isTypedTwice: Bool
  private let isPassword: Bool
  private let mayBeEmpty: Bool
  private let recipe: PasswordRecipe
  private let global: GlobalOptions

  /// - Parameters:
  ///   - value: the field in the kind; nil if the kind is unknown.
  ///   - mayBeEmpty: whether the value may be missing.
  init(
    _ label: String, value: ValueSchema?, mayBeEmpty: Bool, recipe: PasswordRecipe?, global: GlobalOptions
  ) {
    let isBytes = value?.isBytes == true
    way = isBytes ? .file : value?.isMadeUp == true ? .password : value?.mayHaveLines == true ? .lines : .line
    self.label = mayBeEmpty && way != .password ? "[\(label)]" : label
    isTypedTwice = value?.isMultiline != true
    isPassword = value?.secretSort == .password
    self.mayBeEmpty = mayBeEmpty
    self.recipe = .making(value, recipe)
    self.global = global
  }

  private var question: String {
    let choice =
      switch way {
      case .password: " (Enter makes one\(mayBeEmpty ? ", - for none" : ""))"
      case .lines: " (a line, or \(mayBeEmpty ? "@" : "Enter") for a file or the editor)"
      case .line, .file: ""
      }
    return "\(label), not shown\(choice): "
  }

  /// Asks for the value; nil for no value.
  ///
  /// - Parameters:
  ///   - isMade: becomes true if the value was generated.
  ///   - fault: the fault of a value, in words that follow "That"; nil for a valid value.
  func answer(
    at terminal: borrowing Terminal, isMade: inout Bool, fault: (String) -> String?
  ) throws -> SecretBytes? {
    if way == .file { return try named(terminal, fault) }
    while true {
      let typed = try terminal.secret(question)
      guard let text = typed.string else {
        try terminal.say("That is not UTF-8 text.\n")
        continue
      }
      let secret: SecretBytes?
      switch (way, text) {
      case (.password, "-") where mayBeEmpty: return nil
      case (.password, ""):
        secret = try made(terminal, fault)
        isMade = secret != nil
      case (.lines, "") where !mayBeEmpty, (.lines, "@"): secret = try elsewhere(terminal, fault)
      case (.lines, _) where text.hasPrefix("@@"):
        secret = try taken(typed.slice(1..<typed.count), terminal: terminal, fault: fault)
      case (.lines, _) where text.hasPrefix("@"):
        secret = try self.secret(ofFile: String(text.dropFirst()), terminal: terminal, fault: fault)
      case (_, "") where mayBeEmpty: return nil
      case (_, ""): secret = nil
      default: secret = try taken(typed, terminal: terminal, fault: fault)
      }
      if let secret { return secret }
    }
  }

  /// Checks a typed value and lets the user repeat it. Nil if it was refused: the terminal has the reason, and the
  /// caller asks again.
  private func taken(
    _ secret: SecretBytes, terminal: borrowing Terminal, fault: (String) -> String?
  ) throws -> SecretBytes? {
    if let fault = fault(secret.string ?? "") {
      try terminal.say("That \(fault).\n")
      return nil
    }
    if let words = HiddenContent(in: secret).wordsOfSecret { try terminal.say("That \(words).\n") }
    guard try !isTypedTwice || terminal.repeats(secret, "\(label), again: ") else { return nil }
    if isPassword { try Packs.warn(of: secret, called: "the password", instead: "vault generate", global) }
    return secret
  }

  /// Generates a value. Nil if the kind refuses it: the terminal has the reason, and the caller asks again.
  private func made(_ terminal: borrowing Terminal, _ fault: (String) -> String?) throws -> SecretBytes? {
    let secret = try recipe.make()
    if let fault = fault(secret.string ?? "") {
      try terminal.say(
        "A value of \(recipe.size) \(fault): type one, or choose what to make with --length, --symbols or --words.\n")
      return nil
    }
    try terminal.say("\(label): •••••••• generated, \(recipe.size), \(recipe.bitCount) bits\n")
    return secret
  }

  /// The value from a file, or from the editor if no file is named.
  private func elsewhere(_ terminal: borrowing Terminal, _ fault: (String) -> String?) throws -> SecretBytes? {
    let path = try terminal.answer("File (Enter for the editor): ")
    return path.isEmpty ? try edited(terminal, fault) : try secret(ofFile: path, terminal: terminal, fault: fault)
  }

  /// The base64 of a file. The file name is visible.
  private func named(_ terminal: borrowing Terminal, _ fault: (String) -> String?) throws -> SecretBytes? {
    while true {
      let path = try terminal.answer("\(label), a file: ")
      if path.isEmpty, mayBeEmpty { return nil }
      guard !path.isEmpty, let secret = try self.secret(ofFile: path, terminal: terminal, fault: fault) else {
        continue
      }
      return secret
    }
  }

  /// Reads a secret from a file. Nil if the file was refused: the terminal has the reason, and the caller asks again.
  private func secret(
    ofFile path: String, terminal: borrowing Terminal, fault: (String) -> String?
  ) throws -> SecretBytes? {
    let isBelowHome = path.hasPrefix("~/")
    let path = isBelowHome ? (System.environment("HOME") ?? "~") + path.dropFirst() : path
    let secret: SecretBytes
    var hidden: HiddenContent = []
    do {
      let place = path == "-" ? "./-" : path
      if way == .file {
        secret = try SecretInput.base64(ofFile: place)
      } else {
        let line = try SecretInput.file(place)
        (secret, hidden) = (line.bytes, line.hidden)
      }
    } catch {
      // The typed text may have been meant as the secret itself.
      try terminal.say("That file \(CommandError(any: error).reason).\n")
      return nil
    }
    guard let text = secret.string, !text.isEmpty || way == .file else {
      let reason = hidden.contains(.utf16) ? "is UTF-16 text: save it as UTF-8" : "is not UTF-8 text"
      try terminal.say("That file \(secret.count == 0 ? "is empty" : reason).\n")
      return nil
    }
    if let fault = fault(text) {
      try terminal.say("That \(fault).\n")
      return nil
    }
    if let words = hidden.wordsOfSecret { try terminal.say("That file \(words).\n") }
    let count = way == .file ? Base64.decodedCount(of: text.utf8Span.span) : secret.count
    try terminal.say("\(label): \(count) bytes from \(Printable.text(path))\n")
    return secret
  }

  /// The text from the editor. Nil if it is empty or the user gives up: the caller then asks again.
  private func edited(_ terminal: borrowing Terminal, _ fault: (String) -> String?) throws -> SecretBytes? {
    var edited: String?
    func isDone(after reason: String) throws -> Bool {
      try terminal.say("That \(reason).\n")
      return try !terminal.confirms("Edit again?", unlessDenied: true)
    }
    try Packs.editing().write(global) { bytes in
      guard var value = String(validating: bytes, as: UTF8.self) else { return try isDone(after: "is not UTF-8 text") }
      // Editors end the last line.
      if value.filter({ $0.isNewline }).count == 1, value.hasSuffix("\n") { value.removeLast() }
      if value.isEmpty { return true }
      if let fault = fault(value) { return try isDone(after: fault) }
      edited = value
      return true
    }
    guard let edited else { return nil }
    try terminal.say("\(label): \(edited.utf8.count) bytes from the editor\n")
    return try SecretBytes(utf8: edited)
  }
}

extension ValueSchema {
  var isMadeUp: Bool { isSealed && isText && (secretSort == .password || generation != nil) && !comesFromElsewhere }

  /// Whether the value may have several lines. Without a declaration, any text without a rule about its length may.
  fileprivate var mayHaveLines: Bool { isSealed && isText && (isMultiline || secretSort == .text && !hasRules) }
}
