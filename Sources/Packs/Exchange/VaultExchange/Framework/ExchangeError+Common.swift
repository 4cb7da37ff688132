/// Errors of several formats.
extension ExchangeError {
  static var wrongPassword: ExchangeError {
    ExchangeError(.wrongPassphrase, "the password does not open the file")
  }

  static var identityMissing: ExchangeError {
    ExchangeError(.identityNeeded, "is encrypted to an age key, and no identity was given")
  }

  static var identityDiffers: ExchangeError {
    ExchangeError(.wrongIdentity, "is encrypted to age keys, and no given identity opens it")
  }

  static var truncated: ExchangeError { ExchangeError(.malformed, "is truncated or damaged") }

  static var libargon2Missing: ExchangeError {
    ExchangeError(.unsupported, "needs the library libargon2 (Debian: libargon2-1), which is not installed")
  }

  static func unknownDerivation(at place: SourcePlace? = nil) -> ExchangeError {
    ExchangeError(.unsupported, "the key of the file is derived in an unknown way", at: place)
  }

  static func tooCostly(at place: SourcePlace? = nil) -> ExchangeError {
    ExchangeError(.unsupported, "opening the file needs more work than the tool itself asks for", at: place)
  }

  static func changed(at path: String) -> ExchangeError {
    ExchangeError(
      .notAuthentic, "the file has been changed: its authentication code does not match", at: SourcePlace(path: path))
  }

  static func invalidText(at place: SourcePlace) -> ExchangeError {
    ExchangeError(.invalidText, "the text is not valid in the encoding of the file", at: place)
  }

  static func folder(_ reason: StaticString) -> ExchangeError {
    ExchangeError(
      .tooLarge, reason, advice: ["name a folder that holds only the files to import; nothing was changed"])
  }

  static func tooDeep(at place: SourcePlace?) -> ExchangeError {
    ExchangeError(.tooLarge, "the values are nested too deeply", at: place)
  }

  static func repeatedMember(at place: SourcePlace?) -> ExchangeError {
    ExchangeError(.malformed, "an object has the same member twice", at: place)
  }
}
